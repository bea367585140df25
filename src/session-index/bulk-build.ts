import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { packageRoot } from '../sqlite/package-root.js';
import { BulkCounters } from './bulk-counters.js';
import { type BulkJob, runBulkJob } from './bulk-job.js';
import type { IngestTask } from './ingest.js';
import type { RunOptions } from './progress.js';

/** ms between two looks at how far the workers are. */
const POLL_MS = 100;

/** Where one worker writes. */
export type BulkTarget = Pick<BulkJob, 'shardId' | 'stagingPath' | 'shardPath' | 'isNewShard'>;

/**
 * Reads many files with one worker thread a target. A worker reads, parses and writes by itself: handing parsed objects
 * from thread to thread costs more than it saves.
 *
 * @param tasks the largest first, so that no worker is left with a large one at the end
 * @throws the signal's reason when it is aborted; what was written then is worthless
 */
export async function bulkBuild(
  tasks: readonly IngestTask[],
  bytesTotal: number,
  targets: readonly BulkTarget[],
  { signal, onProgress }: RunOptions,
): Promise<void> {
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
  try {
    const runs = targets.map((target) =>
      runTarget({ ...target, tasks, counters: counters.buffer }, counters),
    );
    const results = await Promise.allSettled(runs);
    signal?.throwIfAborted();
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    report();
  } finally {
    clearInterval(timer);
    signal?.removeEventListener('abort', stop);
  }
}

async function runTarget(job: BulkJob, counters: BulkCounters): Promise<void> {
  const script = join(packageRoot(), 'dist', 'ingest-worker.js');
  if (!existsSync(script)) {
    // A source tree that was not built: the same work, in this thread.
    runBulkJob(job, counters);
    return;
  }
  const worker = new Worker(script, { workerData: job });
  await new Promise<void>((resolve, reject) => {
    worker.once('error', (error) => {
      counters.stop(); // the others' work is lost with this one's: the build as a whole failed
      reject(error);
    });
    worker.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`an indexing worker ended with code ${code}`));
    });
  });
}
