import { SessiondexError } from '../errors.js';

/** Whether SQLite, or our own look at the file, found the database damaged. */
export function isCorruption(error: unknown): error is Error {
  const code = (error as { code?: unknown }).code;
  if (!(error instanceof Error) || typeof code !== 'string') return false;
  return code === 'INDEX_CORRUPT' || code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB';
}

/**
 * What went wrong with a database, as an error of ours; what does not come from SQLite or the file system is given back
 * as it is.
 */
export function asIndexError(error: unknown, path: string): unknown {
  if (error instanceof SessiondexError || !(error instanceof Error)) return error;
  const code = (error as { code?: unknown }).code;
  const { message } = error;
  if (isCorruption(error)) {
    return new SessiondexError('INDEX_CORRUPT', `the index is damaged: ${message}`, {
      where: { path },
      hint: 'Run "sessiondex reindex": the index is made again from the session files.',
      cause: error,
    });
  }
  const isSqlite = typeof code === 'string' && code.startsWith('SQLITE_');
  const isSystem = typeof (error as NodeJS.ErrnoException).syscall === 'string';
  if (!isSqlite && !isSystem) return error;
  return new SessiondexError('FILE_IO', `the index cannot be used: ${message}`, {
    where: { path },
    hint: 'Make room or give permission, or choose another index with --db FILE.',
    cause: error,
  });
}
