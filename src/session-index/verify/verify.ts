import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { SessiondexError } from '../../errors.js';
import { openForReading, openScratch } from '../../sqlite/open.js';
import { isCorruption } from '../../sqlite/sqlite-error.js';
import { bulkBuild } from '../bulk-build.js';
import type { IngestTask } from '../ingest.js';
import type { RunOptions } from '../progress.js';
import { attachStaging, copyStaged, detachStaging } from '../publish.js';
import type { VerifyResult } from '../results.js';
import { settle } from '../settle.js';
import { stampOf, UNREACHABLE_STAMP } from '../stamp.js';
import { readShards, readState } from '../state.js';
import type { IndexSetting } from '../sync.js';
import { walk } from '../walk.js';
import { compareRows } from './compare-rows.js';
import { compareText } from './compare-text.js';
import { DifferenceList } from './difference-list.js';

/** Differences listed when nothing else is asked for. */
const DEFAULT_LIMIT = 1000;

export interface VerifyOptions extends RunOptions {
  /** Differences to list. */
  readonly limit?: number | undefined;
}

interface Known {
  readonly id: number;
  readonly path: string;
  readonly stamp: string;
  readonly sizeBytes: number;
}

/**
 * Proves that the index equals the files: reads every byte of every file again, derives every row and every word anew
 * beside the index, and compares. Names each difference; changes nothing.
 *
 * @throws the signal's reason
 */
export async function verify(setting: IndexSetting, options: VerifyOptions): Promise<VerifyResult> {
  const startedMs = setting.host.now();
  const differences = new DifferenceList(options.limit ?? DEFAULT_LIMIT);
  const totals = { files: 0, entries: 0, bytes: 0 };
  try {
    await compareAll(setting, options, differences, totals);
  } catch (error) {
    if (!isDamage(error)) throw error;
    differences.add(databaseDifference(setting.paths.dbPath, error.message));
  }
  const { found, isCut } = differences;
  return {
    ok: found.length === 0,
    ...totals,
    elapsedMs: setting.host.now() - startedMs,
    differences: found,
    isCut,
  };
}

/** A statement that fails here fails because the database is not as it was made, its schema included. */
function isDamage(error: unknown): error is Error {
  return isCorruption(error) || (error as { code?: unknown }).code === 'SQLITE_ERROR';
}

function databaseDifference(path: string, message: string) {
  return { kind: 'database' as const, path, sessionId: null, expected: 'a whole database', actual: message };
}

async function compareAll(
  setting: IndexSetting,
  options: VerifyOptions,
  differences: DifferenceList,
  totals: { files: number; entries: number; bytes: number },
): Promise<void> {
  const db = openForReading(setting.paths.dbPath, 'index');
  const folder = mkdtempSync(`${setting.paths.dbPath}-verify-`);
  try {
    const shardPaths = checkDatabases(db, setting, differences);
    const known = db
      .prepare<[], Known>(
        'SELECT id, path, stamp, size_bytes AS sizeBytes FROM files ORDER BY size_bytes DESC',
      )
      .all();
    compareFiles(setting, known, differences);
    const fresh = await buildFresh(setting, known, folder, options);
    options.onProgress?.(comparing(known));
    db.prepare('ATTACH ? AS fresh').run(fresh.dbPath);
    const live = attach(db, 'shard', shardPaths);
    const freshShards = attach(db, 'fresh_shard', fresh.shardPaths);
    db.exec('BEGIN');
    compareSchemas(db, setting.paths.dbPath, differences);
    compareRows(db, differences);
    compareText(db, live, freshShards, differences);
    db.exec('COMMIT');
    Object.assign(totals, totalsOf(db));
  } finally {
    db.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** SQLite's own check of the main database and the shards: trees, indexes, full-text segments. */
function checkDatabases(db: Database, setting: IndexSetting, differences: DifferenceList): string[] {
  if (!readState(db)) {
    throw new SessiondexError('INDEX_CORRUPT', 'the index has lost its state', {
      where: { path: setting.paths.dbPath },
      hint: 'Run "sessiondex reindex".',
    });
  }
  checkOne(db, setting.paths.dbPath, differences);
  const shardPaths = readShards(db).map(({ fileName }) => setting.paths.shardPath(fileName));
  for (const path of shardPaths) {
    const shard = openForReading(path, 'search');
    try {
      checkOne(shard, path, differences);
    } finally {
      shard.close();
    }
  }
  return shardPaths;
}

/** Tables, indexes and views as they were made. */
function compareSchemas(db: Database, path: string, differences: DifferenceList): void {
  const schemaOf = (name: string) => `SELECT type, name, sql FROM ${name}.sqlite_schema`;
  const differing = db
    .prepare<[], string>(
      `SELECT DISTINCT name FROM (
         SELECT * FROM (${schemaOf('main')} EXCEPT ${schemaOf('fresh')})
         UNION ALL SELECT * FROM (${schemaOf('fresh')} EXCEPT ${schemaOf('main')}))`,
    )
    .pluck()
    .all();
  for (const name of differing)
    differences.add(databaseDifference(path, `the definition of ${name} is another`));
}

function checkOne(db: Database, path: string, differences: DifferenceList): void {
  const messages = db.pragma('integrity_check') as { integrity_check: string }[];
  for (const { integrity_check: message } of messages) {
    if (message !== 'ok') differences.add(databaseDifference(path, message));
  }
}

/** Files that are on disk and not in the index, or the other way round. */
function compareFiles(setting: IndexSetting, known: readonly Known[], differences: DifferenceList): void {
  const byPath = new Set(known.map(({ path }) => path));
  for (const { path } of walk(setting.roots).files) {
    if (byPath.has(path)) continue;
    differences.add({ kind: 'file', path, sessionId: null, expected: 'indexed', actual: 'not indexed' });
  }
  for (const { path, stamp } of known) {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stats ? stampOf(stats) === stamp || stamp === '' : stamp === UNREACHABLE_STAMP) continue;
    const expected = stats ? 'as on disk' : 'not indexed';
    const actual = stats ? 'indexed before its last change' : 'indexed';
    differences.add({ kind: 'file', path, sessionId: null, expected, actual });
  }
}

/** Derives everything from the files, under the numbers that the index gave them. */
async function buildFresh(
  setting: IndexSetting,
  known: readonly Known[],
  folder: string,
  options: RunOptions,
): Promise<{ dbPath: string; shardPaths: string[] }> {
  const tasks: IngestTask[] = known.map(({ id, path }) => ({ fileId: id, path }));
  const bytes = known.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const workerCount = Math.max(1, Math.min(setting.workerCount ?? setting.host.parallelism, 4));
  const targets = Array.from({ length: workerCount }, (_, shardId) => ({
    shardId,
    stagingPath: join(folder, `rows-${shardId}`),
    shardPath: join(folder, `text-${shardId}`),
    isNewShard: true,
  }));
  await bulkBuild(tasks, bytes, targets, options).finished;
  const dbPath = join(folder, 'index.db');
  const db = openScratch(dbPath, 'index');
  const staged = attachStaging(
    db,
    targets.map(({ stagingPath }) => stagingPath),
  );
  db.transaction(() => {
    copyStaged(db, staged);
    settle(db, 'everything');
  })();
  detachStaging(db, staged);
  db.close();
  return { dbPath, shardPaths: targets.map(({ shardPath }) => shardPath) };
}

function attach(db: Database, prefix: string, paths: readonly string[]): string[] {
  return paths.map((path, n) => {
    const name = `${prefix}${n}`;
    db.prepare(`ATTACH ? AS ${name}`).run(path);
    return name;
  });
}

function totalsOf(db: Database): { files: number; entries: number; bytes: number } {
  const totals = db
    .prepare<[], { files: number; entries: number; bytes: number }>(
      `SELECT (SELECT count(*) FROM files) AS files, (SELECT coalesce(sum(entry_count), 0) FROM sessions) AS entries,
         (SELECT coalesce(sum(indexed_bytes), 0) FROM files) AS bytes`,
    )
    .get();
  return totals ?? { files: 0, entries: 0, bytes: 0 };
}

function comparing(known: readonly Known[]) {
  const bytes = known.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const done = { filesDone: known.length, filesTotal: known.length, bytesDone: bytes, bytesTotal: bytes };
  return { phase: 'comparing' as const, ...done };
}
