import type { Database } from 'better-sqlite3';

/** The one row of `index_state`. */
export interface IndexState {
  readonly uuid: string;
  readonly revision: number;
  readonly derivation: number;
  readonly nextFileId: number;
  readonly generation: string;
  /** Unix ms; null before the first full build. */
  readonly builtMs: number | null;
}

export interface ShardFile {
  readonly id: number;
  readonly fileName: string;
}

/** undefined: the database has its schema, and nothing was ever built in it. */
export function readState(db: Database): IndexState | undefined {
  return db
    .prepare<[], IndexState>(
      `SELECT uuid, revision, derivation, next_file_id AS nextFileId, generation, built_ms AS builtMs
       FROM index_state WHERE id = 1`,
    )
    .get();
}

export function readShards(db: Database): ShardFile[] {
  return db.prepare<[], ShardFile>('SELECT id, file_name AS fileName FROM shards ORDER BY id').all();
}

/**
 * Takes numbers for new files. Committed by itself before they are used: text that a killed process has put into a
 * shard under such a number is never taken for another file's.
 *
 * @returns the first of them
 */
export function takeFileIds(db: Database, count: number): number {
  const take = db.transaction(() => {
    const first = db.prepare<[], number>('SELECT next_file_id FROM index_state').pluck().get() as number;
    db.prepare('UPDATE index_state SET next_file_id = ?').run(first + count);
    return first;
  });
  return take.immediate();
}
