import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { packageRoot } from '../sqlite/package-root.js';
import { BulkCounters } from './bulk-counters.js';
import { type BulkJob, ROWS_READY, runBulkJob } from './bulk-job.js';
import type { IngestTask } from './ingest.js';
import type { RunOptions } from './progress.js';

/** ms between two looks at how far the workers are. */
const POLL_MS = 100;

/** Where one worker writes. */
export type BulkTarget = Pick<BulkJob, 'shardId' | 'stagingPath' | 'shardPath' | 'isNewShard'>;

/** A build under way. */
export interface BulkBuild {
  /** The rows of all targets are whole. */
  readonly rowsReady: Promise<void>;
  /** The text is, too, and all of it on disk. Rejects with the signal's reason when it is aborted. */
  readonly finished: Promise<void>;
}

/**
 * Reads many files with one worker thread a target. A worker reads, parses and writes by itself: handing parsed objects
 * from thread to thread costs more than it saves. What was written is worthless if the build fails.
 *
 * @param tasks the largest first, so that no worker is left with a large one at the end
 */
export function bulkBuild(
  tasks: readonly IngestTask[],
  bytesTotal: number,
  targets: readonly BulkTarget[],
  { signal, onProgress }: RunOptions,
): BulkBuild {
  const counters = new BulkCounters();
  const report = () =>
    onProgress?.({
      phase: 'reading',
      filesDone: counters.filesDone,
      filesTotal: tasks.length,
      bytesDone: counters.bytesDone,
      bytesTotal,
    });
  const timer = setInterval(report, POLL_MS);
  const stop = () => counters.stop();
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  const runs = targets.map((target) => runTarget({ ...target, tasks, counters: counters.buffer }, counters));
  const settle = async () => {
    try {
      const results = await Promise.allSettled(runs.map(({ finished }) => finished));
      signal?.throwIfAborted();
      const failed = results.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
    } finally {
      clearInterval(timer);
      signal?.removeEventListener('abort', stop);
    }
  };
  const finished = settle();
  const rows = Promise.all(runs.map(({ rowsReady }) => rowsReady)).then(report);
  // A build that fails never has its rows ready: its failure ends the wait for them.
  const rowsReady = Promise.race([rows, finished]);
  rowsReady.catch(() => {}); // whoever waits for `finished` alone hears of the failure there
  return { rowsReady, finished };
}

interface TargetRun {
  readonly rowsReady: Promise<void>;
  readonly finished: Promise<void>;
}

function runTarget(job: BulkJob, counters: BulkCounters): TargetRun {
  const script = join(packageRoot(), 'dist', 'ingest-worker.js');
  if (existsSync(script)) return runInThread(script, job, counters);
  // A source tree that was not built: the same work, in this thread.
  const done = Promise.resolve().then(() => runBulkJob(job, counters, () => {}));
  return { rowsReady: done, finished: done };
}

function runInThread(script: string, job: BulkJob, counters: BulkCounters): TargetRun {
  const worker = new Worker(script, { workerData: job });
  const rowsReady = new Promise<void>((resolve) => {
    worker.on('message', (message) => {
      if (message === ROWS_READY) resolve();
    });
  });
  const finished = new Promise<void>((resolve, reject) => {
    worker.once('error', (error) => {
      counters.stop(); // the others' work is lost with this one's: the build as a whole failed
      reject(error);
    });
    worker.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`an indexing worker ended with code ${code}`));
    });
  });
  return { rowsReady, finished };
}
