import { existsSync, statSync } from 'node:fs';
import type { IndexPaths } from '../index-paths.js';
import type { IndexReader } from '../index-reader.js';
import { readProblems } from '../reports.js';
import type { IndexHealth } from '../results.js';
import { scopeOf } from '../root-scope.js';
import { readShards } from '../state.js';

interface FileCounts {
  readonly files: number;
  readonly sessions: number;
  readonly notSessions: number;
  readonly unreadable: number;
  readonly sessionBytes: number;
  readonly entries: number;
}

const NOTHING: FileCounts = {
  files: 0,
  sessions: 0,
  notSessions: 0,
  unreadable: 0,
  sessionBytes: 0,
  entries: 0,
};

export function healthOf(
  paths: IndexPaths,
  roots: readonly string[],
  reader: IndexReader | undefined,
  isBeingBuilt: boolean,
): IndexHealth {
  const outside = { dbPath: paths.dbPath, roots, isBeingBuilt };
  if (!reader) {
    return {
      ...outside,
      ...NOTHING,
      exists: existsSync(paths.dbPath),
      builtMs: null,
      revision: null,
      generation: null,
      sizeBytes: sizeOf(paths.dbPath),
      problems: [],
    };
  }
  return reader.rows(({ db, state }) => {
    const scope = scopeOf(roots);
    const counts = db
      .prepare<string[], FileCounts>(
        `SELECT count(*) AS files, coalesce(sum(f.status = 'session'), 0) AS sessions,
           coalesce(sum(f.status = 'not-a-session'), 0) AS notSessions,
           coalesce(sum(f.status = 'unreadable'), 0) AS unreadable, coalesce(sum(size_bytes), 0) AS sessionBytes,
           coalesce(sum(s.entry_count), 0) AS entries
         FROM files f LEFT JOIN sessions s ON s.id = f.id WHERE ${scope.condition('f.path')}`,
      )
      .get(...scope.parameters);
    const shardPaths = readShards(db).map(({ fileName }) => paths.shardPath(fileName));
    return {
      ...outside,
      ...(counts ?? NOTHING),
      exists: true,
      builtMs: state.builtMs,
      revision: state.revision,
      generation: state.generation,
      sizeBytes: [paths.dbPath, ...shardPaths].reduce((sum, path) => sum + sizeOf(path), 0),
      problems: readProblems(db, { roots }),
    };
  });
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
