import type { Database } from 'better-sqlite3';
import { ROW_SPAN } from './keys.js';
import { scopeOf } from './root-scope.js';

/** Something wrong with a file, or with a place in it. */
export interface FileProblem {
  readonly path: string;
  readonly byteOffset: number;
  /** Counted from 1. */
  readonly line: number;
  /** A `ProblemKind`, or why the whole file is no session. */
  readonly kind: string;
  readonly message: string;
}

/** What a sync or a reindex did. */
export interface SyncReport {
  readonly files: {
    readonly seen: number;
    /** Taken in by this run. */
    readonly indexed: number;
    readonly unchanged: number;
    readonly removed: number;
    /** Could not be read, now. */
    readonly failed: number;
    /** Are no sessions, now. */
    readonly notSessions: number;
  };
  /** Entries in the sessions that were taken in. */
  readonly entries: number;
  /** Bytes read. */
  readonly bytes: number;
  readonly elapsedMs: number;
  /** Of the files that were taken in. */
  readonly problems: readonly FileProblem[];
}

/** The problems of these files, or of every file below the roots. */
export function readProblems(
  db: Database,
  of: { readonly roots: readonly string[] } | { readonly paths: ReadonlySet<string> },
): FileProblem[] {
  const scope = 'roots' in of ? scopeOf(of.roots) : { condition: () => '1', parameters: [] };
  const ofFiles = db
    .prepare<string[], FileProblem>(
      `SELECT path, 0 AS byteOffset, 1 AS line, kind, reason AS message FROM files
       WHERE status <> 'session' AND ${scope.condition('path')}`,
    )
    .all(...scope.parameters);
  const ofLines = db
    .prepare<string[], FileProblem>(
      `SELECT f.path, p.byte_offset AS byteOffset, p.line, p.kind, p.message
       FROM problems p JOIN files f ON f.id = p.id / ${ROW_SPAN} WHERE ${scope.condition('f.path')}`,
    )
    .all(...scope.parameters);
  const all = [...ofFiles, ...ofLines].filter(({ path }) => 'roots' in of || of.paths.has(path));
  return all.sort((a, b) => (a.path === b.path ? a.byteOffset - b.byteOffset : a.path < b.path ? -1 : 1));
}
