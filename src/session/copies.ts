import { isObject, nonEmptyString } from '../format/json.js';
import { entryIdOf, parentIdOf, readCompaction } from '../format/spellings.js';
import {
  CURRENT_SESSION_VERSION,
  type FileEntry,
  type SessionEntry,
  type SessionHeader,
} from '../format/types.js';
import { callIdsIn } from '../tree/inspect.js';
import { Labels } from '../tree/labels.js';
import type { SessionContent } from './session-content.js';

/** Whose copy it is and where it stands. */
export interface CopyIdentity {
  readonly id: string;
  /** ISO 8601; also that of labels written anew. */
  readonly timestamp: string;
  readonly cwd: string;
  /** The source's id or path. */
  readonly parentSession: string | undefined;
}

/** The header of a copy: everything that the source's says, but for its identity; the title is the one in force. */
function copiedHeader(source: SessionContent, identity: CopyIdentity): SessionHeader {
  const { branchedFrom: _, parentSession: __, title: ___, titleSource: ____, ...rest } = source.header;
  const { title, source: titleSource } = source.title();
  return {
    ...rest,
    type: 'session',
    version: CURRENT_SESSION_VERSION,
    id: identity.id,
    timestamp: identity.timestamp,
    cwd: identity.cwd,
    ...(title === undefined ? {} : { title }),
    ...(titleSource === undefined ? {} : { titleSource }),
    ...(identity.parentSession === undefined ? {} : { parentSession: identity.parentSession }),
  };
}

/** Header and entries of a whole copy: one header, every entry as it is, in order. */
export function copyOfSession(source: SessionContent, identity: CopyIdentity): FileEntry[] {
  const entries = source.tree.entries.map((entry) => withPinnedFirstKept(entry, source));
  return [copiedHeader(source, identity), ...entries];
}

/**
 * Header and entries of the path to one entry. Labels mean the same in the copy: those that stand elsewhere in the source
 * are written anew behind the path.
 *
 * @param nextId makes an id that is not among `taken`
 */
export function copyOfPath(
  source: SessionContent,
  path: readonly SessionEntry[],
  identity: CopyIdentity,
  nextId: (taken: ReadonlySet<string>) => string,
): FileEntry[] {
  const entries = path.map((entry, i) => {
    const pinned = withPinnedFirstKept(entry, source);
    // The path's first entry hangs under nothing: an orphan's parent is in no file, and a cycle is cut here.
    return i === 0 && parentIdOf(pinned) !== null ? { ...pinned, parentId: null } : pinned;
  });
  return [copiedHeader(source, identity), ...entries, ...missingLabels(source, path, identity, nextId)];
}

function missingLabels(
  source: SessionContent,
  path: readonly SessionEntry[],
  { timestamp }: CopyIdentity,
  nextId: (taken: ReadonlySet<string>) => string,
): SessionEntry[] {
  const onPath = new Labels();
  for (const entry of path) onPath.apply(entry);
  const taken = new Set(path.map(({ id }) => id));
  const added: SessionEntry[] = [];
  let parentId = path.at(-1)?.id ?? null;
  for (const { id: targetId } of path) {
    const label = source.tree.labels.get(targetId);
    if (label === onPath.get(targetId)) continue;
    const id = nextId(taken);
    taken.add(id);
    added.push({
      type: 'label',
      id,
      parentId,
      timestamp,
      targetId,
      ...(label === undefined ? {} : { label }),
    });
    parentId = id;
  }
  return added;
}

/** A compaction that counts positions in its file says the entry's id instead: positions differ in the copy. */
function withPinnedFirstKept(entry: SessionEntry, source: SessionContent): SessionEntry {
  if (entry.type !== 'compaction') return entry;
  const { firstKeptEntryId, firstKeptEntryIndex } = readCompaction(entry);
  if (firstKeptEntryId !== undefined || firstKeptEntryIndex === undefined) return entry;
  const kept = source.tree.entries[firstKeptEntryIndex - 1];
  const { firstKeptEntryIndex: _, ...rest } = entry;
  return { ...rest, firstKeptEntryId: (kept && entryIdOf(kept)) ?? '' } as SessionEntry;
}

/** Tool calls on a path that no result on it answers: a copy that ends here is cut in the middle of a turn. */
export function openToolCalls(path: readonly SessionEntry[]): string[] {
  const open = new Set<string>();
  for (const entry of path) {
    const message: unknown = entry.type === 'message' ? entry.message : undefined;
    if (!isObject(message)) continue;
    if (message.role === 'toolResult') open.delete(nonEmptyString(message.toolCallId) ?? '');
    if (message.role === 'assistant') for (const id of callIdsIn(message.content)) open.add(id);
  }
  return [...open];
}
