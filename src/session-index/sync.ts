import { existsSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import type { Host } from '../host.js';
import { lock, tryLock } from '../sqlite/lock.js';
import { openForReading, refuseForeign } from '../sqlite/open.js';
import { asIndexError, isCorruption } from '../sqlite/sqlite-error.js';
import { type Drift, driftBetween, isBelow, type KnownFile } from './drift.js';
import { DERIVATION_VERSION } from './facets/registry.js';
import type { IndexPaths } from './index-paths.js';
import { IndexWriter } from './index-writer.js';
import type { RunOptions } from './progress.js';
import { type FileProblem, readProblems, type SyncReport } from './reports.js';
import { scopeOf } from './root-scope.js';
import { readShards, readState, type ShardFile } from './state.js';
import { type FoundFile, type WalkResult, walk } from './walk.js';

/** What the operations that change the index need to know. */
export interface IndexSetting {
  readonly paths: IndexPaths;
  /** Absolute real paths. */
  readonly roots: readonly string[];
  readonly host: Host;
  /** Threads for building; as many as there are processors, up to a limit, when not given. */
  readonly workerCount?: number | undefined;
}

/**
 * Brings the index up to what the files say now (rules 2 and 3). When nothing changed it reads directories, one stat a
 * file, and writes nothing.
 *
 * @throws the signal's reason; SessiondexError as `openForWriting`
 */
export async function sync(setting: IndexSetting, options: RunOptions): Promise<SyncReport> {
  return await healing(setting, options, () => syncOnce(setting, options));
}

async function syncOnce(setting: IndexSetting, options: RunOptions): Promise<SyncReport> {
  const startedMs = setting.host.now();
  const onDisk = walk(setting.roots);
  const drift = existsSync(setting.paths.dbPath) ? driftWithoutLock(setting, onDisk) : undefined;
  if (drift && drift.added.length + drift.removedIds.length === 0) {
    return unchangedReport(onDisk, drift, setting.host.now() - startedMs);
  }
  const held = await lock(setting.paths.writeLock, waitOptions(options));
  const writer = new IndexWriter(setting.paths, setting.host, setting.workerCount);
  try {
    const state = writer.initialise();
    if (state.derivation !== DERIVATION_VERSION) {
      held.release();
      return await rebuildAll(setting, writer, options, startedMs);
    }
    rememberRoots(writer.db, setting.roots);
    sweep(setting, readShards(writer.db));
    // Another process may have brought the index up to date while this one waited.
    const now = walk(setting.roots);
    const missing = driftBetween(now.files, knownFiles(writer.db, setting.roots), foldersOf(now));
    await writer.apply(missing, options);
    return changedReport(writer.db, now, missing, setting.host.now() - startedMs);
  } finally {
    writer.close();
    held.release();
  }
}

/**
 * Builds everything anew beside the old index and then puts it in its place. Readers see the old one until then.
 * Roots that the index knows besides the given ones are built as well, as far as they are there.
 *
 * @throws the signal's reason: the old index stands
 */
export async function reindex(setting: IndexSetting, options: RunOptions): Promise<SyncReport> {
  return await healing(setting, options, () => reindexOnce(setting, options));
}

async function reindexOnce(setting: IndexSetting, options: RunOptions): Promise<SyncReport> {
  const startedMs = setting.host.now();
  const writer = await openInitialised(setting, options);
  try {
    return await rebuildAll(setting, writer, options, startedMs);
  } finally {
    writer.close();
  }
}

async function openInitialised(setting: IndexSetting, options: RunOptions): Promise<IndexWriter> {
  const held = await lock(setting.paths.writeLock, waitOptions(options));
  try {
    const writer = new IndexWriter(setting.paths, setting.host, setting.workerCount);
    writer.initialise();
    return writer;
  } finally {
    held.release();
  }
}

/** Runs `work`; if the index turns out to be damaged, moves it aside, nothing of it deleted, and runs it again. */
async function healing<T>(setting: IndexSetting, options: RunOptions, work: () => Promise<T>): Promise<T> {
  refuseForeign(setting.paths.dbPath, 'index'); // before a lock file stands beside another program's database
  try {
    return await work();
  } catch (error) {
    if (!isCorruption(error)) throw asIndexError(error, setting.paths.dbPath);
    const held = await lock(setting.paths.writeLock, waitOptions(options));
    try {
      const aside = setting.paths.setAside(setting.host.now());
      options.onNotice?.(`the index was damaged and is made anew; the damaged one is kept as ${aside}`);
      sweep(setting, []);
    } finally {
      held.release();
    }
    return await work();
  }
}

/** Removes what killed builds left, unless one is running. The caller holds the write lock. */
function sweep({ paths }: IndexSetting, current: readonly ShardFile[]): void {
  const building = tryLock(paths.buildLock);
  if (!building) return;
  paths.removeLeftovers(current.map(({ fileName }) => fileName));
  building.release();
}

/** Holds the build lock all along, and the write lock only while the new index takes the old one's place. */
async function rebuildAll(
  setting: IndexSetting,
  writer: IndexWriter,
  options: RunOptions,
  startedMs: number,
): Promise<SyncReport> {
  const building = await lock(setting.paths.buildLock, waitOptions(options));
  try {
    const roots = allRoots(writer.db, setting.roots);
    const onDisk = walk(roots);
    await writer.rebuild(onDisk.files, options, async (makeVisible) => {
      const held = await lock(setting.paths.writeLock, waitOptions(options));
      try {
        options.onProgress?.(publishing(onDisk.files));
        await makeVisible();
        rememberRoots(writer.db, roots);
        setting.paths.removeLeftovers(readShards(writer.db).map(({ fileName }) => fileName));
      } finally {
        held.release();
      }
    });
    const asked = { ...onDisk, files: onDisk.files.filter(({ path }) => isBelowAny(path, setting.roots)) };
    const drift = { added: asked.files, removedIds: [], unchanged: 0, gone: 0 };
    return changedReport(writer.db, asked, drift, setting.host.now() - startedMs);
  } finally {
    building.release();
  }
}

function isBelowAny(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => isBelow(path, root));
}

function publishing(files: readonly FoundFile[]) {
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const done = { filesDone: files.length, filesTotal: files.length, bytesDone: bytes, bytesTotal: bytes };
  return { phase: 'publishing' as const, ...done };
}

/** Whether another process is building the index anew right now. */
export function isBeingBuilt(paths: IndexPaths): boolean {
  const free = tryLock(paths.buildLock);
  free?.release();
  return free === undefined;
}

function waitOptions({ signal, onProgress }: RunOptions) {
  const nothing = { filesDone: 0, filesTotal: 0, bytesDone: 0, bytesTotal: 0 };
  return { signal, onWait: () => onProgress?.({ phase: 'waiting', ...nothing }) };
}

/** undefined: only a writer can say, because the index is not there yet or has to be made anew. */
function driftWithoutLock({ paths, roots }: IndexSetting, onDisk: WalkResult): Drift | undefined {
  const db = openForReading(paths.dbPath, 'index');
  try {
    if (!hasSchema(db)) return undefined;
    const state = readState(db);
    if (!state || state.derivation !== DERIVATION_VERSION) return undefined;
    return driftBetween(onDisk.files, knownFiles(db, roots), foldersOf(onDisk));
  } finally {
    db.close();
  }
}

function hasSchema(db: Database): boolean {
  return (db.pragma('user_version', { simple: true }) as number) > 0;
}

function knownFiles(db: Database, roots: readonly string[]): KnownFile[] {
  const scope = scopeOf(roots);
  return db
    .prepare<string[], KnownFile>(`SELECT id, path, stamp FROM files WHERE ${scope.condition('path')}`)
    .all(...scope.parameters);
}

function foldersOf({ unlistable }: WalkResult): string[] {
  return unlistable.map(({ path }) => path);
}

function rememberRoots(db: Database, roots: readonly string[]): void {
  const insert = db.prepare('INSERT OR IGNORE INTO roots (path) VALUES (?)');
  for (const root of roots) insert.run(root);
}

function allRoots(db: Database, given: readonly string[]): string[] {
  const known = db.prepare<[], string>('SELECT path FROM roots ORDER BY path').pluck().all();
  return [...new Set([...given, ...known.filter((path) => existsSync(path))])];
}

function unlistableProblems({ unlistable }: WalkResult): FileProblem[] {
  return unlistable.map(({ path, reason }) => {
    return { path, byteOffset: 0, line: 1, kind: 'unlistable', message: `cannot be listed: ${reason}` };
  });
}

function unchangedReport(onDisk: WalkResult, { unchanged }: Drift, elapsedMs: number): SyncReport {
  return {
    files: { seen: onDisk.files.length, indexed: 0, unchanged, removed: 0, failed: 0, notSessions: 0 },
    entries: 0,
    bytes: 0,
    elapsedMs,
    problems: unlistableProblems(onDisk),
  };
}

function changedReport(db: Database, onDisk: WalkResult, drift: Drift, elapsedMs: number): SyncReport {
  const paths = new Set(drift.added.map(({ path }) => path));
  const rows = db
    .prepare<[], { path: string; status: string; bytes: number; entries: number }>(
      `SELECT f.path, f.status, f.indexed_bytes AS bytes, coalesce(s.entry_count, 0) AS entries
       FROM files f LEFT JOIN sessions s ON s.id = f.id`,
    )
    .all()
    .filter(({ path }) => paths.has(path));
  const count = (status: string) => rows.filter((row) => row.status === status).length;
  return {
    files: {
      seen: onDisk.files.length,
      indexed: count('session'),
      unchanged: drift.unchanged,
      removed: drift.gone,
      failed: count('unreadable'),
      notSessions: count('not-a-session'),
    },
    entries: rows.reduce((sum, { entries }) => sum + entries, 0),
    bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
    elapsedMs,
    problems: [...unlistableProblems(onDisk), ...readProblems(db, { paths })],
  };
}
