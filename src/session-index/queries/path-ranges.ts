import type { Database } from 'better-sqlite3';
import { rowKey } from '../keys.js';

/** Entries `from` down to `to`, sequence numbers of one file, each the parent of the one before it. */
export interface SeqRange {
  /** The end nearer to the leaf. */
  readonly from: number;
  /** The end nearer to the root; at most `from`. */
  readonly to: number;
}

interface Run {
  readonly id: number;
  readonly lastSeq: number;
  readonly parentSeq: number | null;
}

/**
 * The path from an entry to its root (F23), as ranges: one look-up a run of `parents`, whatever the number of entries.
 * A cycle ends it at the repeated entry.
 */
export function pathRanges(db: Database, fileId: number, seq: number): SeqRange[] {
  const runOf = db.prepare<[number, number], Run>(
    `SELECT id, last_seq AS lastSeq, parent_seq AS parentSeq FROM parents
     WHERE id <= ? AND id > ? ORDER BY id DESC LIMIT 1`,
  );
  const ranges: SeqRange[] = [];
  /** The highest visited entry of each run, by the run's first: a run is always walked down to its start. */
  const visited = new Map<number, number>();
  let at: number | null = seq;
  while (at !== null) {
    const run: Run | undefined = runOf.get(rowKey(fileId, at), rowKey(fileId, 0));
    if (!run) break;
    const first: number = run.id - rowKey(fileId, 0);
    const reached = visited.get(first);
    if (reached !== undefined && at <= reached) break;
    visited.set(first, at);
    ranges.push({ from: at, to: reached === undefined ? first : reached + 1 });
    if (reached !== undefined) break;
    at = run.parentSeq;
  }
  return ranges;
}

export function isWithin(ranges: readonly SeqRange[], seq: number): boolean {
  return ranges.some(({ from, to }) => seq <= from && seq >= to);
}
