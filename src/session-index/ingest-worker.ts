import { parentPort, workerData } from 'node:worker_threads';
import { BulkCounters } from './bulk-counters.js';
import { type BulkJob, ROWS_READY, runBulkJob } from './bulk-job.js';

const job = workerData as BulkJob;
runBulkJob(job, new BulkCounters(job.counters), () => parentPort?.postMessage(ROWS_READY));
parentPort?.close();
