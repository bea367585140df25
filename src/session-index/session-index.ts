import { existsSync, realpathSync, statSync } from 'node:fs';
import { SessiondexError } from '../errors.js';
import { type Host, processHost } from '../host.js';
import { asIndexError, isCorruption } from '../sqlite/sqlite-error.js';
import { IndexPaths } from './index-paths.js';
import { IndexReader } from './index-reader.js';
import { defaultDbPath, defaultRoots } from './locations.js';
import type { RunOptions } from './progress.js';
import { healthOf } from './queries/health.js';
import { listSessions } from './queries/list.js';
import { parseListQuery } from './queries/list-filter.js';
import { resolveSession } from './queries/resolve-session.js';
import { searchEntries } from './queries/search.js';
import { placedEntries, withValues } from './queries/show.js';
import { type FileProblem, readProblems, type SyncReport } from './reports.js';
import type {
  IndexHealth,
  ListOptions,
  ListResult,
  SearchOptions,
  SearchResult,
  ShowOptions,
  ShowResult,
  VerifyResult,
} from './results.js';
import { scopeOf } from './root-scope.js';
import { type IndexSetting, isBeingBuilt, reindex, sync } from './sync.js';
import { type VerifyOptions, verify } from './verify/verify.js';

export interface SessionIndexOptions {
  /** Folders that hold session files at any depth; those of the installed agents when not given. */
  readonly roots?: readonly string[] | undefined;
  /** The index's database; in the platform's cache folder when not given. */
  readonly dbPath?: string | undefined;
  /** Threads for building; as many as there are processors, at most 4, when not given. */
  readonly workerCount?: number | undefined;
  readonly host?: Host | undefined;
}

/**
 * The derived index of session files: finds, lists, searches and verifies. The files are the truth and are never
 * written; the index can be deleted at any time.
 *
 * Queries answer from what is indexed: call `sync` first to take in what changed. They answer for the roots given here,
 * whatever else the database holds.
 */
export class SessionIndex {
  /** Absolute real paths. */
  readonly roots: readonly string[];
  readonly dbPath: string;
  readonly #setting: IndexSetting;
  #reader: IndexReader | undefined;

  private constructor(setting: IndexSetting) {
    this.#setting = setting;
    this.roots = setting.roots;
    this.dbPath = setting.paths.dbPath;
  }

  /**
   * Opens nothing yet: the database is made by the first `sync`.
   *
   * @throws SessiondexError NO_ROOTS when there is no folder to look in, or a given one does not exist
   */
  static async open(options: SessionIndexOptions = {}): Promise<SessionIndex> {
    const host = options.host ?? processHost;
    return new SessionIndex({
      paths: new IndexPaths(options.dbPath ?? defaultDbPath(host)),
      roots: realRoots(options.roots ?? foundRoots(host)),
      host,
      workerCount: options.workerCount,
    });
  }

  /**
   * Takes in what changed in the files since the last time. After it, every query answers as if it had read the files
   * (rule 2).
   *
   * @throws the signal's reason; SessiondexError INDEX_FOREIGN, INDEX_TOO_NEW, FILE_IO
   */
  async sync(options: RunOptions = {}): Promise<SyncReport> {
    return await sync(this.#setting, options);
  }

  /** Builds the index anew from the files, beside the old one, which answers until the new one is whole. */
  async reindex(options: RunOptions = {}): Promise<SyncReport> {
    return await reindex(this.#setting, options);
  }

  /** Whether SQLite finds no damage in the rows: unlike `sync`, looks and mends nothing. True where there is no index. */
  isWhole(): boolean {
    try {
      return this.#ask(
        (reader) => reader?.rows(({ db }) => db.pragma('quick_check', { simple: true }) === 'ok') ?? true,
      );
    } catch (error) {
      if (isCorruption(error)) return false;
      throw error;
    }
  }

  /** Reads every file again and compares every row and word of the index with it. Changes nothing. */
  async verify(options: VerifyOptions = {}): Promise<VerifyResult> {
    if (!existsSync(this.dbPath)) return NOTHING_TO_VERIFY;
    return await verify(this.#setting, options);
  }

  /**
   * Sessions, newest first.
   *
   * @throws SessiondexError QUERY_SYNTAX
   */
  list(options: ListOptions = {}): ListResult {
    const filter = parseListQuery(options.query ?? '', this.#setting.host.now());
    return this.#ask((reader) => {
      if (!reader) return { total: 0, sessions: [] };
      return reader.rowsAndText((snapshot) => {
        return listSessions(snapshot, this.roots, filter.conditionFor(snapshot, this.roots), options);
      });
    });
  }

  /**
   * Entries, best first, with the words marked in a piece of their text.
   *
   * @throws SessiondexError QUERY_SYNTAX
   */
  search(query: string, options: SearchOptions = {}): SearchResult {
    return this.#ask((reader) => searchEntries(reader, this.roots, query, options, this.#setting.host.now()));
  }

  /**
   * The entries of one path of a session, or all of them, read from the file.
   *
   * @param session the beginning of its id or of its file's name, or its path
   * @throws SessiondexError SESSION_NOT_FOUND, AMBIGUOUS_SESSION, ENTRY_NOT_FOUND, FILE_IO
   */
  show(session: string, options: ShowOptions = {}): ShowResult {
    return this.#ask((reader) => {
      if (!reader) throw notFound(session);
      return reader.rows((snapshot) => {
        const found = resolveSession(snapshot, this.roots, session);
        const placed = placedEntries(snapshot, found, options);
        const condition = { sql: 's.id = ?', parameters: [found.fileId] };
        const [summary] = listSessions(snapshot, this.roots, condition, {}).sessions;
        if (!summary) throw notFound(session);
        const leafId = options.all ? null : (placed.at(-1)?.entryId ?? null);
        return { session: summary, leafId, entries: withValues(found.path, placed) };
      });
    });
  }

  /** The ids of all sessions, each as often as it stands in a file. */
  sessionIds(): string[] {
    const scope = scopeOf(this.roots);
    return this.#ask(
      (reader) =>
        reader?.rows(({ db }) =>
          db
            .prepare<string[], string>(
              `SELECT s.session_id FROM sessions s JOIN files f ON f.id = s.id WHERE ${scope.condition('f.path')}`,
            )
            .pluck()
            .all(...scope.parameters),
        ) ?? [],
    );
  }

  /** What is wrong with the files, as of the last sync. */
  problems(): FileProblem[] {
    return this.#ask((reader) => reader?.rows(({ db }) => readProblems(db, { roots: this.roots })) ?? []);
  }

  health(): IndexHealth {
    const { paths } = this.#setting;
    return this.#ask((reader) =>
      healthOf(paths, this.roots, reader, existsSync(paths.dbPath) && isBeingBuilt(paths)),
    );
  }

  close(): void {
    this.#reader?.close();
    this.#reader = undefined;
  }

  /** Asks with the open index, undefined when nothing was ever indexed; what goes wrong is an error of ours. */
  #ask<T>(question: (reader: IndexReader | undefined) => T): T {
    try {
      this.#reader ??= IndexReader.open(this.#setting.paths);
      return question(this.#reader);
    } catch (error) {
      // A damaged or replaced database is opened again by the next question.
      if (!(error instanceof SessiondexError)) this.close();
      throw asIndexError(error, this.dbPath);
    }
  }
}

function notFound(session: string): SessiondexError {
  return new SessiondexError('SESSION_NOT_FOUND', `no session is called ${JSON.stringify(session)}`, {
    hint: '"sessiondex list" shows what there is.',
  });
}

const NOTHING_TO_VERIFY: VerifyResult = {
  ok: true,
  files: 0,
  entries: 0,
  bytes: 0,
  elapsedMs: 0,
  differences: [],
  isCut: false,
};

function foundRoots(host: Host): readonly string[] {
  const { found, looked } = defaultRoots(host);
  if (found.length > 0) return found;
  throw new SessiondexError('NO_ROOTS', 'no folder with sessions was found', {
    hint: `Looked in:\n  ${looked.join('\n  ')}\nName one with --root DIR or SESSIONDEX_ROOTS, or see it work on made-up sessions: sessiondex demo`,
  });
}

/** Links are resolved, so that one folder has one name; a root within another one is not walked twice. */
function realRoots(given: readonly string[]): string[] {
  const real = given.map((path) => {
    if (existsSync(path) && statSync(path).isDirectory()) return realpathSync(path);
    throw new SessiondexError('NO_ROOTS', `there is no folder ${path}`, {
      where: { path },
      hint: 'Name a folder that holds session files.',
    });
  });
  return [...new Set(real)];
}
