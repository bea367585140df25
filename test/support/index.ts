import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { SessionIndex, type SessionIndexOptions } from '../../src/session-index/session-index.js';
import { dumpIndex } from './index-dump.js';
import { temporaryFolder } from './tree.js';

/** An index that goes with the test. */
export async function openIndex(
  roots: readonly string[],
  options: SessionIndexOptions = {},
): Promise<SessionIndex> {
  const dbPath = options.dbPath ?? join(temporaryFolder(), 'index.db');
  const index = await SessionIndex.open({ roots, workerCount: 2, ...options, dbPath });
  onTestFinished(() => index.close());
  return index;
}

/** What an index built from nothing says of the same files. */
export async function freshDump(roots: readonly string[]): Promise<Record<string, unknown>> {
  const index = await openIndex(roots);
  await index.reindex();
  return dumpIndex(index.dbPath);
}
