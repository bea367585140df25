import { isObject, nonEmptyString } from '../format/json.js';
import { entryIdOf, parentIdOf, readCompaction } from '../format/spellings.js';
import type { SessionEntry } from '../format/types.js';
import { indexById, pathTo } from './path.js';

/**
 * What is odd about a session's entries, though each of them can be read. Reading copes with all of it (F23, F29).
 *
 * - `no-id`: kept, but nothing can refer to it.
 * - `duplicate-id`: hidden behind a later entry with its id.
 * - `orphan`: its parent does not exist, so that it is a root and what was above it is not in its path.
 * - `cycle`: it is above itself; the walk ends where it repeats.
 * - `kept-entry-off-path`: a compaction whose first kept entry is not above it: none of the earlier ones is kept.
 * - `open-call`: a tool call on the path to the leaf without a result.
 * - `stray-result`: a tool result on that path without a call above it.
 * - `repeated-result`: a second result for one call on that path.
 */
export type FindingKind =
  | 'no-id'
  | 'duplicate-id'
  | 'orphan'
  | 'cycle'
  | 'kept-entry-off-path'
  | 'open-call'
  | 'stray-result'
  | 'repeated-result';

export interface Finding {
  readonly kind: FindingKind;
  /** The entry's position in file order, from 0. */
  readonly position: number;
  readonly entryId: string | undefined;
  readonly message: string;
}

/**
 * Looks through a session for what was lost or mixed up before: nothing is changed. Linear, but for the path of each
 * compaction.
 *
 * @param leafId where the path ends whose tool calls are paired; null for none
 */
export function inspectEntries(entries: readonly SessionEntry[], leafId: string | null): Finding[] {
  const byId = indexById(entries);
  const positions = new Map(entries.map((entry, position) => [entry, position]));
  const findings: Finding[] = [];
  const add = (kind: FindingKind, entry: SessionEntry, message: string) => {
    findings.push({ kind, position: positions.get(entry) ?? 0, entryId: entryIdOf(entry), message });
  };
  for (const entry of entries) inspectPlace(entry, byId, add);
  for (const entry of entriesOnCycles(entries, byId)) add('cycle', entry, 'the entry is above itself');
  for (const entry of entries) if (entry.type === 'compaction') inspectCompaction(entry, byId, add);
  const leaf = leafId === null ? undefined : byId.get(leafId);
  if (leaf !== undefined) inspectCalls(pathTo(leaf, byId), add);
  return findings.sort((a, b) => a.position - b.position);
}

type Add = (kind: FindingKind, entry: SessionEntry, message: string) => void;
type ById = ReadonlyMap<string, SessionEntry>;

function inspectPlace(entry: SessionEntry, byId: ById, add: Add): void {
  const id = entryIdOf(entry);
  if (id === undefined) {
    if ((entry.type as string) !== 'leaf') add('no-id', entry, 'the entry has no id');
  } else if (byId.get(id) !== entry) add('duplicate-id', entry, `a later entry has the id ${id} too`);
  const parentId = parentIdOf(entry);
  if (parentId !== null && !byId.has(parentId))
    add('orphan', entry, `there is no entry ${parentId} above it`);
}

function entriesOnCycles(entries: readonly SessionEntry[], byId: ById): SessionEntry[] {
  const found: SessionEntry[] = [];
  const walkOf = new Map<SessionEntry, SessionEntry>();
  for (const start of entries) {
    let at: SessionEntry | undefined = start;
    while (at !== undefined && !walkOf.has(at)) {
      walkOf.set(at, start);
      at = byId.get(parentIdOf(at) ?? '');
    }
    if (at === undefined || walkOf.get(at) !== start) continue;
    const first = at;
    do {
      found.push(at);
      at = byId.get(parentIdOf(at) ?? '') as SessionEntry;
    } while (at !== first);
  }
  return found;
}

function inspectCompaction(entry: SessionEntry, byId: ById, add: Add): void {
  const { firstKeptEntryId, firstKeptEntryIndex } = readCompaction(entry);
  if (firstKeptEntryId === undefined && firstKeptEntryIndex !== undefined) return;
  const isAbove = pathTo(entry, byId).some((other) => other !== entry && other.id === firstKeptEntryId);
  if (!isAbove)
    add('kept-entry-off-path', entry, `its first kept entry ${firstKeptEntryId ?? ''} is not above it`);
}

function inspectCalls(path: readonly SessionEntry[], add: Add): void {
  const open = new Map<string, SessionEntry>();
  const answered = new Set<string>();
  for (const entry of path) {
    const message: unknown = entry.type === 'message' ? entry.message : undefined;
    if (!isObject(message)) continue;
    if (message.role === 'assistant') for (const id of callIdsIn(message.content)) open.set(id, entry);
    if (message.role !== 'toolResult') continue;
    const id = nonEmptyString(message.toolCallId) ?? '';
    if (open.delete(id)) answered.add(id);
    else if (answered.has(id)) add('repeated-result', entry, `the call ${id} has a result already`);
    else add('stray-result', entry, `there is no call ${id} above it`);
  }
  for (const [id, entry] of open) add('open-call', entry, `the call ${id} has no result`);
}

/** The ids of the tool calls in an assistant's content. */
export function callIdsIn(content: unknown): string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown) => {
    const id = isObject(block) && block.type === 'toolCall' ? nonEmptyString(block.id) : undefined;
    return id === undefined ? [] : [id];
  });
}
