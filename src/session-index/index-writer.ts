import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import type { Host } from '../host.js';
import { openForWriting } from '../sqlite/open.js';
import { bulkBuild } from './bulk-build.js';
import { DERIVATION_VERSION } from './facets/registry.js';
import type { IndexPaths } from './index-paths.js';
import { Ingest, type IngestTask } from './ingest.js';
import type { RunOptions } from './progress.js';
import {
  attachStaging,
  copyStaged,
  detachStaging,
  removeEverything,
  removeFiles,
  replaceShards,
  withoutIndexes,
} from './publish.js';
import { SearchWriter } from './search-writer.js';
import { settle } from './settle.js';
import { type IndexState, readShards, readState, type ShardFile, takeFileIds } from './state.js';
import type { FoundFile } from './walk.js';

/** From so many bytes on, starting workers pays. */
const BULK_MIN_BYTES = 24 * 1024 * 1024;

/** More shards make every search a little slower. */
const MAX_SHARDS = 4;

/** KiB of pages in memory: a transaction that replaces everything need not be written twice. */
const CACHE_KIB = 64 * 1024;

/** ms of reading after which the process gets a turn: signals and progress wait no longer. */
const TURN_MS = 50;

/** Files to take in, and numbers of files whose rows go. */
export interface ChangeSet {
  readonly added: readonly FoundFile[];
  readonly removedIds: readonly number[];
}

/**
 * Changes the index. Text reaches a shard first and is committed there; the main database's one commit then makes rows
 * and text visible together, because a hit counts only when its entry is in the main database. The caller holds the
 * write lock.
 */
export class IndexWriter {
  readonly #paths: IndexPaths;
  readonly #host: Host;
  readonly #db: Database;
  readonly #workerCount: number;

  /** @throws SessiondexError as `openForWriting` */
  constructor(paths: IndexPaths, host: Host, workerCount = host.parallelism) {
    this.#paths = paths;
    this.#host = host;
    this.#workerCount = Math.max(1, Math.min(workerCount, MAX_SHARDS));
    this.#db = openForWriting(paths.dbPath, 'index');
    this.#db.pragma(`cache_size = -${CACHE_KIB}`);
  }

  get db(): Database {
    return this.#db;
  }

  close(): void {
    this.#db.close();
  }

  /** The state; made, with empty shards, when the index is new. */
  initialise(): IndexState {
    const known = readState(this.#db);
    if (known) return known;
    const generation = this.#newGeneration();
    const shards = this.#shardFiles(generation);
    for (const { fileName } of shards) openForWriting(this.#paths.shardPath(fileName), 'search').close();
    const insert = this.#db.prepare(
      `INSERT INTO index_state (id, uuid, revision, derivation, next_file_id, generation, built_ms)
       VALUES (1, ?, 0, ?, 1, ?, NULL)`,
    );
    this.#db
      .transaction(() => {
        insert.run(randomUUID(), DERIVATION_VERSION, generation);
        replaceShards(this.#db, shards);
      })
      .immediate();
    return readState(this.#db) as IndexState;
  }

  /** Brings single changes in. */
  async apply(changes: ChangeSet, options: RunOptions): Promise<void> {
    const bytes = sumOfSizes(changes.added);
    if (bytes >= BULK_MIN_BYTES && changes.added.length > 0)
      await this.#applyWithWorkers(changes, bytes, options);
    else await this.#applyHere(changes, bytes, options);
  }

  /**
   * Builds a new generation of everything beside the old one. `publish` runs its callback, which makes the new
   * generation visible, when the caller has the write lock.
   */
  async rebuild(
    found: readonly FoundFile[],
    options: RunOptions,
    publish: (makeVisible: () => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const generation = this.#newGeneration();
    const shards = this.#shardFiles(generation);
    const targets = shards.map(({ id, fileName }) => ({
      shardId: id,
      stagingPath: this.#paths.stagingPath(generation, id),
      shardPath: this.#paths.shardPath(fileName),
      isNewShard: true,
    }));
    const stagingPaths = targets.map(({ stagingPath }) => stagingPath);
    try {
      const build = bulkBuild(this.#tasks(found), sumOfSizes(found), targets, options);
      try {
        await build.rowsReady;
        await publish(() => this.#publishGeneration(generation, shards, stagingPaths, build.finished));
      } finally {
        await build.finished; // before its files are removed, or its failure is forgotten
      }
    } catch (error) {
      for (const { shardPath } of targets) this.#paths.remove(shardPath);
      throw error;
    } finally {
      for (const path of stagingPaths) this.#paths.remove(path);
    }
  }

  /** Puts the rows together while the workers still write text, and makes both visible when that is on disk. */
  async #publishGeneration(
    generation: string,
    shards: readonly ShardFile[],
    stagingPaths: readonly string[],
    textWritten: Promise<void>,
  ): Promise<void> {
    const former = readShards(this.#db);
    const staged = attachStaging(this.#db, stagingPaths);
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      withoutIndexes(this.#db, () => {
        removeEverything(this.#db);
        copyStaged(this.#db, staged);
      });
      replaceShards(this.#db, shards);
      settle(this.#db, 'everything');
      this.#db
        .prepare(
          'UPDATE index_state SET generation = ?, derivation = ?, revision = revision + 1, built_ms = ?',
        )
        .run(generation, DERIVATION_VERSION, this.#host.now());
      await textWritten;
      this.#db.exec('COMMIT');
    } finally {
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
      detachStaging(this.#db, staged);
    }
    for (const { fileName } of former) this.#paths.remove(this.#paths.shardPath(fileName));
  }

  async #applyWithWorkers(changes: ChangeSet, bytes: number, options: RunOptions): Promise<void> {
    const run = this.#newGeneration();
    const targets = readShards(this.#db)
      .slice(0, Math.max(1, Math.min(this.#workerCount, changes.added.length)))
      .map(({ id, fileName }) => ({
        shardId: id,
        stagingPath: this.#paths.stagingPath(run, id),
        shardPath: this.#paths.shardPath(fileName),
        isNewShard: false,
      }));
    const stagingPaths = targets.map(({ stagingPath }) => stagingPath);
    try {
      await bulkBuild(this.#tasks(changes.added), bytes, targets, options).finished;
      const staged = attachStaging(this.#db, stagingPaths);
      this.#db
        .transaction(() => {
          const revision = this.#nextRevision();
          const removal = removeFiles(this.#db, changes.removedIds, revision);
          const added = stagedFileIds(this.#db, staged);
          const isMost = this.#isMost(bytes);
          if (isMost) withoutIndexes(this.#db, () => copyStaged(this.#db, staged));
          else copyStaged(this.#db, staged);
          settle(this.#db, isMost ? 'everything' : { added, formerEntryIds: removal.sharedEntryIds });
        })
        .immediate();
      detachStaging(this.#db, staged);
    } finally {
      for (const path of stagingPaths) this.#paths.remove(path);
    }
  }

  async #applyHere(
    changes: ChangeSet,
    bytesTotal: number,
    { signal, onProgress }: RunOptions,
  ): Promise<void> {
    const tasks = this.#tasks(changes.added);
    const shards = readShards(this.#db).map(({ id, fileName }) => ({
      id,
      db: openForWriting(this.#paths.shardPath(fileName), 'search'),
    }));
    try {
      for (const { db } of shards) db.exec('BEGIN IMMEDIATE');
      this.#db.exec('BEGIN IMMEDIATE');
      this.#purge(shards);
      const revision = this.#nextRevision();
      const removal = removeFiles(this.#db, changes.removedIds, revision);
      const ingests = shards.map(({ id, db }) => new Ingest(this.#db, new SearchWriter(db, false), id));
      let bytesDone = 0;
      let lastTurn = this.#host.now();
      for (const [n, task] of tasks.entries()) {
        const outcome = (ingests[task.fileId % ingests.length] as Ingest).file(task);
        bytesDone += outcome.bytes;
        if (this.#host.now() - lastTurn < TURN_MS) continue;
        onProgress?.({ phase: 'reading', filesDone: n + 1, filesTotal: tasks.length, bytesDone, bytesTotal });
        await turn();
        signal?.throwIfAborted();
        lastTurn = this.#host.now();
      }
      for (const ingest of ingests) ingest.flush();
      settle(this.#db, { added: tasks.map(({ fileId }) => fileId), formerEntryIds: removal.sharedEntryIds });
      for (const { db } of shards) db.exec('COMMIT');
      this.#db.exec('COMMIT');
    } catch (error) {
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
      throw error;
    } finally {
      for (const { db } of shards) db.close(); // an open transaction is rolled back by closing
    }
  }

  /** Removes the text of files that were gone before this change: no reader that began before it can need it. */
  #purge(shards: readonly { readonly id: number; readonly db: Database }[]): void {
    const retired = this.#db
      .prepare<[], { id: number; shardId: number; revision: number }>(
        'SELECT id, shard_id AS shardId, revision FROM retired_files',
      )
      .all();
    if (retired.length === 0) return;
    const purged = Math.max(...retired.map(({ revision }) => revision));
    for (const { id, db } of shards) {
      const writer = new SearchWriter(db, false);
      for (const file of retired) if (file.shardId === id) writer.forget(file.id);
      db.prepare('UPDATE shard_state SET purged_revision = ?').run(purged);
    }
    this.#db.exec('DELETE FROM retired_files');
  }

  #nextRevision(): number {
    return this.#db
      .prepare<[], number>('UPDATE index_state SET revision = revision + 1 RETURNING revision')
      .pluck()
      .get() as number;
  }

  /** Whether so much is added that making the secondary indexes anew is cheaper than keeping them up. */
  #isMost(bytes: number): boolean {
    const known = this.#db
      .prepare<[], number>('SELECT coalesce(sum(indexed_bytes), 0) FROM files')
      .pluck()
      .get();
    return bytes > (known ?? 0);
  }

  #tasks(found: readonly FoundFile[]): IngestTask[] {
    const first = takeFileIds(this.#db, found.length);
    return [...found]
      .sort((a, b) => b.sizeBytes - a.sizeBytes || (a.path < b.path ? -1 : 1))
      .map(({ path }, n) => ({ fileId: first + n, path }));
  }

  #newGeneration(): string {
    return Buffer.from(this.#host.random(6)).toString('hex');
  }

  #shardFiles(generation: string): ShardFile[] {
    return Array.from({ length: this.#workerCount }, (_, id) => ({
      id,
      fileName: this.#paths.shardFileName(generation, id),
    }));
  }
}

function sumOfSizes(found: readonly FoundFile[]): number {
  return found.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

function stagedFileIds(db: Database, staged: readonly string[]): number[] {
  return staged.flatMap((name) => db.prepare<[], number>(`SELECT id FROM ${name}.files`).pluck().all());
}
