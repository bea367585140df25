import type { Database } from 'better-sqlite3';
import { SessiondexError } from '../../errors.js';
import { readLines } from '../entry-lines.js';
import type { Snapshot } from '../index-reader.js';
import { ROW_SPAN, rowKey } from '../keys.js';
import type { PlacedEntry, ShowOptions, ShowResult } from '../results.js';
import { pathRanges, type SeqRange } from './path-ranges.js';
import type { SessionRef } from './resolve-session.js';

const PLACED = `SELECT e.id % ${ROW_SPAN} AS seq, e.entry_id AS entryId, k.type, nullif(k.role, '') AS role,
  e.timestamp_ms AS timestampMs, e.byte_offset AS byteOffset, e.byte_length AS byteLength
  FROM entries e JOIN kinds k ON k.id = e.kind_id`;

/** The entries of a path, or all, in order, without their content. */
export function placedEntries({ db }: Snapshot, session: SessionRef, options: ShowOptions): PlacedEntry[] {
  const find = db.prepare<[number, number], PlacedEntry>(
    `${PLACED} WHERE e.id >= ? AND e.id <= ? ORDER BY e.id`,
  );
  const ranges = options.all ? [everything(db, session)] : pathOf(db, session, options.leafId);
  return ranges
    .toReversed()
    .flatMap(({ from, to }) => find.all(rowKey(session.fileId, to), rowKey(session.fileId, from)));
}

function everything(db: Database, { fileId }: SessionRef): SeqRange {
  const last = db
    .prepare<[number], number>('SELECT entry_count FROM sessions WHERE id = ?')
    .pluck()
    .get(fileId);
  return { from: last ?? 0, to: 1 };
}

function pathOf(db: Database, session: SessionRef, leafId: string | undefined): SeqRange[] {
  const leaf = leafId === undefined ? session.leafSeq : seqOfEntry(db, session, leafId);
  return leaf === null ? [] : pathRanges(db, session.fileId, leaf);
}

/** The entry with this id, or the only one that begins so; of several with one id the last (F23). */
function seqOfEntry(db: Database, { fileId, path }: SessionRef, entryId: string): number {
  const bounds = [rowKey(fileId, 0), rowKey(fileId + 1, 0)] as const;
  const exact = db
    .prepare<[string, number, number], number>(
      'SELECT max(id) FROM entries WHERE entry_id = ? AND id >= ? AND id < ?',
    )
    .pluck()
    .get(entryId, ...bounds);
  if (typeof exact === 'number') return exact - bounds[0];
  const beginning = db
    .prepare<[number, number, string, string], { entryId: string; id: number }>(
      `SELECT entry_id AS entryId, max(id) AS id FROM entries
       WHERE id >= ? AND id < ? AND substr(entry_id, 1, length(?)) = ? GROUP BY entry_id LIMIT 2`,
    )
    .all(...bounds, entryId, entryId);
  const [only] = beginning;
  if (only && beginning.length === 1) return only.id - bounds[0];
  throw new SessiondexError('ENTRY_NOT_FOUND', `Entry ${entryId} not found`, {
    where: { path },
    hint: only
      ? 'Several entries begin so: give more of the id.'
      : 'Entry ids are shown by "sessiondex search".',
  });
}

/** Reads the lines of placed entries; those that changed since are left out. */
export function withValues(path: string, placed: readonly PlacedEntry[]): ShowResult['entries'] {
  const inFileOrder = [...placed].sort((a, b) => a.byteOffset - b.byteOffset);
  const values = readLines(path, inFileOrder);
  const bySeq = new Map(inFileOrder.map(({ seq }, n) => [seq, values[n]]));
  return placed.flatMap((entry) => {
    const value = bySeq.get(entry.seq);
    return value ? [{ ...entry, value }] : [];
  });
}
