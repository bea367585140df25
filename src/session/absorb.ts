import type { JsonObject } from '../format/json.js';
import { entryIdOf } from '../format/spellings.js';
import type { FileEntry, SessionEntry } from '../format/types.js';
import type { SessionContent } from './session-content.js';

/** How an entry of ours looks as a line of the file. */
export type LineOf = (record: FileEntry) => string;

/**
 * Takes in what stands behind the part of the file that was seen (F35). Usually all of it is foreign; a line of ours is
 * among it when another process appended at the same moment.
 *
 * @param unwritten ours, not known to be in the file: they stay last
 * @returns what is left of `unwritten`
 */
export function absorbGrowth(
  content: SessionContent,
  grown: readonly FileEntry[],
  unwritten: readonly SessionEntry[],
  lineOf: LineOf,
): SessionEntry[] {
  const placed = grown.map((record) => ownEntry(content, record, lineOf) ?? record);
  const isAllForeign = placed.every((record, i) => record === grown[i]);
  if (isAllForeign && unwritten.length === 0) {
    for (const record of placed) content.adopt(record);
    return [];
  }
  const moved = new Set<FileEntry>([...placed, ...unwritten]);
  const before = content.records.filter((record) => !moved.has(record));
  const last = unwritten.filter((entry) => !placed.includes(entry));
  content.arrange([...before, ...placed, ...last]);
  return last;
}

/**
 * Takes in a file that somebody put in the place of ours: its order and its version of an entry count, unless that is
 * just ours as it was written.
 *
 * @returns what we know and the file does not: to be appended again, in order (F35)
 */
export function absorbReplacement(
  content: SessionContent,
  records: readonly FileEntry[],
  lineOf: LineOf,
): SessionEntry[] {
  const onDisk = new Set(records.map((record) => keyOf(record, asLine)));
  const placed = records.map((record) => ownEntry(content, record, lineOf) ?? record);
  const missing = content.tree.entries.filter((entry) => !onDisk.has(keyOf(entry, lineOf)));
  content.arrange([...placed, ...missing]);
  return missing;
}

/** Our entry for a record of the file: the same id and the same line. */
function ownEntry(content: SessionContent, record: FileEntry, lineOf: LineOf): SessionEntry | undefined {
  const id = record.type === 'session' ? undefined : entryIdOf(record);
  const own = id === undefined ? undefined : content.tree.get(id);
  return own !== undefined && lineOf(own) === asLine(record) ? own : undefined;
}

/** By what a record is known again: its id, or all of it where it has none. */
function keyOf(record: FileEntry, lineOf: LineOf): string {
  const id = record.type === 'session' ? undefined : entryIdOf(record as JsonObject);
  return id ?? lineOf(record);
}

function asLine(record: FileEntry): string {
  return `${JSON.stringify(record)}\n`;
}
