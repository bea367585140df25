import { closeSync, fsyncSync, openSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { openForWriting, openScratch } from '../sqlite/open.js';
import type { BulkCounters } from './bulk-counters.js';
import { Ingest, type IngestTask } from './ingest.js';
import { SearchWriter } from './search-writer.js';

/** What a worker thread says when its rows are whole. */
export const ROWS_READY = 'rows-ready';

/** What one worker of a build does: takes files from the common list and fills its own two databases. */
export interface BulkJob {
  readonly tasks: readonly IngestTask[];
  readonly counters: SharedArrayBuffer;
  readonly shardId: number;
  /** A scratch database for rows, to be put together with the others' afterwards. */
  readonly stagingPath: string;
  readonly shardPath: string;
  /** A new shard is filled without a journal; an existing one stays readable meanwhile. */
  readonly isNewShard: boolean;
}

/** Bytes read until the common counter hears of them. */
const REPORT_BYTES = 4 * 1024 * 1024;

/**
 * Leaves both databases whole and on disk, unless the build was stopped.
 *
 * @param onRows called when the rows are whole: they can be put together while the text is still being written
 */
export function runBulkJob(job: BulkJob, counters: BulkCounters, onRows: () => void): void {
  const rows = openScratch(job.stagingPath, 'index', { withoutIndexes: true });
  const shard = job.isNewShard
    ? openScratch(job.shardPath, 'search')
    : openForWriting(job.shardPath, 'search');
  try {
    rows.exec('BEGIN');
    shard.exec('BEGIN IMMEDIATE');
    readTasks(job, counters, new Ingest(rows, new SearchWriter(shard, true), job.shardId));
    const end = counters.isStopped ? 'ROLLBACK' : 'COMMIT';
    rows.exec(end);
    rows.close();
    if (!counters.isStopped) onRows();
    shard.exec(end);
    if (job.isNewShard && !counters.isStopped) makeDurable(shard, job.shardPath);
  } finally {
    rows.close();
    shard.close();
  }
}

function readTasks(job: BulkJob, counters: BulkCounters, ingest: Ingest): void {
  let unreported = 0;
  const onBytes = (bytes: number) => {
    unreported += bytes;
    if (unreported < REPORT_BYTES) return;
    counters.addBytes(unreported);
    unreported = 0;
  };
  for (;;) {
    const task = job.tasks[counters.takeTask()];
    if (!task || counters.isStopped) break;
    ingest.file(task, onBytes);
    counters.addFile();
    counters.addBytes(unreported);
    unreported = 0;
  }
  if (!counters.isStopped) ingest.flush();
}

/** A shard that is about to be published must outlive a power cut. */
function makeDurable(shard: Database, path: string): void {
  shard.pragma('locking_mode = NORMAL');
  shard.pragma('synchronous = NORMAL');
  shard.pragma('journal_mode = WAL');
  shard.pragma('wal_checkpoint(TRUNCATE)');
  const fd = openSync(path, 'r+');
  fsyncSync(fd);
  closeSync(fd);
}
