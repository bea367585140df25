import { existsSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { SessiondexError } from '../errors.js';
import { openForReading } from '../sqlite/open.js';
import type { IndexPaths } from './index-paths.js';
import { type IndexState, readShards, readState, type ShardFile } from './state.js';

/** A consistent view of the index: rows and text of one moment (rule 4). Valid during the call only. */
export interface Snapshot {
  readonly db: Database;
  readonly state: IndexState;
  /** Names under which the shards are attached; empty when text was not asked for. */
  readonly shards: readonly string[];
}

/** Only a rebuild between two statements makes a snapshot fail, and it cannot do so again and again. */
const MAX_TRIES = 20;

/** Reads the index. Never waits for a writer: WAL lets readers see the state before it. */
export class IndexReader {
  readonly #paths: IndexPaths;
  readonly #db: Database;
  #attached: readonly ShardFile[] = [];

  private constructor(paths: IndexPaths, db: Database) {
    this.#paths = paths;
    this.#db = db;
  }

  /**
   * undefined when nothing was ever indexed here.
   *
   * @throws SessiondexError INDEX_FOREIGN, INDEX_TOO_NEW, INDEX_CORRUPT, FILE_IO
   */
  static open(paths: IndexPaths): IndexReader | undefined {
    if (!existsSync(paths.dbPath)) return undefined;
    const db = openForReading(paths.dbPath, 'index');
    const hasSchema = (db.pragma('user_version', { simple: true }) as number) > 0;
    if (hasSchema && readState(db)) return new IndexReader(paths, db);
    db.close();
    return undefined;
  }

  close(): void {
    this.#db.close();
  }

  /** Runs `work` on rows of one moment. */
  rows<T>(work: (snapshot: Snapshot) => T): T {
    this.#db.exec('BEGIN');
    try {
      return work({ db: this.#db, state: this.#state(), shards: [] });
    } finally {
      this.#db.exec('COMMIT');
    }
  }

  /** Runs `work` on rows and text of one moment. */
  rowsAndText<T>(work: (snapshot: Snapshot) => T): T {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      this.#attachCurrentShards();
      this.#db.exec('BEGIN');
      try {
        const state = this.#state();
        if (this.#isConsistent(state))
          return work({ db: this.#db, state, shards: this.#attached.map(nameOf) });
      } finally {
        this.#db.exec('COMMIT');
      }
    }
    throw new SessiondexError('INDEX_BUSY', 'the index was rebuilt again and again while it was being read', {
      where: { path: this.#paths.dbPath },
      hint: 'Try again in a moment.',
    });
  }

  #state(): IndexState {
    const state = readState(this.#db);
    if (state) return state;
    throw new SessiondexError('INDEX_CORRUPT', 'the index has lost its state', {
      where: { path: this.#paths.dbPath },
      hint: 'Run "sessiondex reindex": the index is made again from the session files.',
    });
  }

  /** ATTACH is not possible inside a transaction, so that what is attached is checked again inside it. */
  #attachCurrentShards(): void {
    const current = readShards(this.#db);
    if (isSame(current, this.#attached)) return;
    for (const shard of this.#attached) this.#db.exec(`DETACH ${nameOf(shard)}`);
    this.#attached = [];
    const attached: ShardFile[] = [];
    for (const shard of current) {
      const path = this.#paths.shardPath(shard.fileName);
      if (!existsSync(path)) break; // replaced since: the next try sees the new ones
      this.#db.prepare(`ATTACH ? AS ${nameOf(shard)}`).run(path);
      attached.push(shard);
      this.#attached = attached;
    }
  }

  /**
   * Whether the attached shards are this snapshot's, and hold the text of every file in it: a shard may be newer than
   * the rows, whose additions are harmless, unless text was removed from it that these rows still need.
   */
  #isConsistent(state: IndexState): boolean {
    if (!isSame(readShards(this.#db), this.#attached)) return false;
    return this.#attached.every((shard) => {
      const purged = this.#db
        .prepare<[], number>(`SELECT purged_revision FROM ${nameOf(shard)}.shard_state`)
        .pluck()
        .get();
      return purged !== undefined && purged <= state.revision;
    });
  }
}

function nameOf(shard: ShardFile): string {
  return `shard${shard.id}`;
}

function isSame(a: readonly ShardFile[], b: readonly ShardFile[]): boolean {
  return a.length === b.length && a.every((shard, n) => shard.fileName === b[n]?.fileName);
}
