import { setTimeout as sleep } from 'node:timers/promises';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { ensurePrivateFile } from './private-file.js';

/** ms between two tries. */
const RETRY_MS = 25;

/** A lock between processes that the system takes back when its holder dies, however it dies. */
export interface HeldLock {
  release(): void;
}

export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called once, when another process is found to hold the lock. */
  readonly onWait?: (() => void) | undefined;
}

/**
 * Takes the lock, or gives undefined when another process holds it.
 *
 * The lock is SQLite's own lock on an empty database: the operating system drops it with the process, so that there is
 * never a stale one to judge.
 */
export function tryLock(path: string): HeldLock | undefined {
  ensurePrivateFile(path);
  const db = new SqliteDatabase(path, { timeout: 0 });
  try {
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return { release: () => release(db) };
}

/** Waits for the lock without blocking the process. Throws the signal's reason when it is aborted. */
export async function lock(path: string, { signal, onWait }: LockOptions = {}): Promise<HeldLock> {
  let held = tryLock(path);
  if (!held) onWait?.();
  while (!held) {
    signal?.throwIfAborted();
    await sleep(RETRY_MS);
    held = tryLock(path);
  }
  return held;
}

function release(db: Database): void {
  if (db.inTransaction) db.exec('ROLLBACK');
  db.close();
}

function isBusy(error: unknown): boolean {
  const code = (error as { code?: string }).code ?? '';
  return code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED');
}
