import type { JsonObject } from '../json.js';
import { isHeader, readCompaction, versionOf } from '../spellings.js';
import { CURRENT_SESSION_VERSION, type FileEntry } from '../types.js';
import { V1Chain } from './v1-to-v2.js';
import { renameHookMessage } from './v2-to-v3.js';

/**
 * Brings the entries of one file, header first, to the current version in place (F11-F14).
 *
 * Deterministic and idempotent: a version 3 file, or a newer one, is not touched.
 *
 * @returns whether anything changed
 */
export function migrateSessionEntries(entries: FileEntry[]): boolean {
  const header = entries[0];
  if (!isHeader(header)) return false;
  const version = versionOf(header);
  if (version >= CURRENT_SESSION_VERSION) return false;
  if (version < 2) chainEntries(header, entries);
  for (const entry of entries) renameHookMessage(entry);
  header.version = CURRENT_SESSION_VERSION;
  return true;
}

function chainEntries(header: FileEntry, entries: FileEntry[]): void {
  const chain = new V1Chain(header.id);
  for (let position = 1; position < entries.length; position += 1) {
    const entry = entries[position] as JsonObject;
    if (entry.type === 'session') continue; // a second header is carried as it is
    Object.assign(entry, chain.next(entry, position));
  }
  for (const entry of entries) resolveFirstKept(entry, entries);
}

function resolveFirstKept(entry: JsonObject, entries: FileEntry[]): void {
  if (entry.type !== 'compaction' || !('firstKeptEntryIndex' in entry)) return;
  const { firstKeptEntryId, firstKeptEntryIndex } = readCompaction(entry);
  const kept = firstKeptEntryIndex === undefined ? undefined : entries[firstKeptEntryIndex];
  if (firstKeptEntryId === undefined) {
    // An index that means no entry is kept as it was written: it says as little afterwards, but nothing is lost (F10).
    if (!kept || kept.type === 'session') return;
    entry.firstKeptEntryId = kept.id;
  }
  delete entry.firstKeptEntryIndex;
}
