import { entryIdOf, parentIdOf } from '../format/spellings.js';
import type { SessionEntry } from '../format/types.js';

/** Entries by id; of two with one id the last (F23). */
export type EntriesById = ReadonlyMap<string, SessionEntry>;

export function indexById(entries: Iterable<SessionEntry>): Map<string, SessionEntry> {
  const byId = new Map<string, SessionEntry>();
  for (const entry of entries) {
    const id = entryIdOf(entry);
    if (id !== undefined) byId.set(id, entry);
  }
  return byId;
}

/**
 * The entries from the root to `leaf` (F27). A parent that does not exist makes a root; a cycle ends the walk at the
 * repeated entry (F23). Iterative and linear in the path's length.
 */
export function pathTo(leaf: SessionEntry, byId: EntriesById): SessionEntry[] {
  const path: SessionEntry[] = [];
  for (let entry: SessionEntry | undefined = leaf; entry !== undefined; entry = parentOf(entry, byId)) {
    // The leaf may be an entry that another one with its id hides; a longer path goes round in a circle.
    if (path.length > byId.size) return pathAroundCycle(leaf, byId);
    path.push(entry);
  }
  return path.reverse();
}

/** The slow way, which remembers where it has been. */
function pathAroundCycle(leaf: SessionEntry, byId: EntriesById): SessionEntry[] {
  const seen = new Set<SessionEntry>();
  let entry: SessionEntry | undefined = leaf;
  while (entry !== undefined && !seen.has(entry)) {
    seen.add(entry);
    entry = parentOf(entry, byId);
  }
  return [...seen].reverse();
}

function parentOf(entry: SessionEntry, byId: EntriesById): SessionEntry | undefined {
  const parentId = parentIdOf(entry);
  return parentId === null ? undefined : byId.get(parentId);
}
