import { SessiondexError } from '../errors.js';
import type { MonotonicTime } from './monotonic-time.js';
import { ownerState, ownerToken, pidOf } from './owner.js';
import { FILE_MODE } from './private-files.js';
import { hasCode, type StorageFs } from './storage-fs.js';

/** Ms after which a lock whose owner cannot be asked for is taken to be left over. */
const ABANDONED_MS = 60_000;
/** Ms to wait for a live owner. */
const PATIENCE_MS = 10_000;

/** What a file system says that has no symbolic links, or does not let everybody make them. */
const NO_LINKS = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL'];

/**
 * Keeps appends away from a file while it is being replaced; see file-log.ts for how. It is a symbolic link beside the
 * file whose target is its owner's token: made in one step together with what it says. A lock whose owner is gone is
 * taken over (B25).
 */
export class RewriteLock {
  readonly path: string;
  readonly #fs: StorageFs;
  readonly #time: MonotonicTime;

  constructor(fs: StorageFs, time: MonotonicTime, file: string) {
    this.path = `${file}.rewrite-lock`;
    this.#fs = fs;
    this.#time = time;
  }

  /** One system call. */
  isHeld(): boolean {
    return this.#fs.lstatSync(this.path, { throwIfNoEntry: false }) !== undefined;
  }

  /** Returns when nobody holds it. Throws FILE_IO when a live owner does not let go. */
  waitUntilFree(): void {
    this.#retry(() => !this.isHeld());
  }

  /** Runs while holding it. Throws FILE_IO as above, or what keeps a link from being made. */
  hold<Result>(action: () => Result): Result {
    this.#retry(() => this.#tryTake());
    try {
      return action();
    } finally {
      this.#release();
    }
  }

  /** Whether it is this process that holds it; another may have taken it over in the belief that this one had ended. */
  isOurs(): boolean {
    return this.#holderOf(this.path) === ownerToken();
  }

  #retry(attempt: () => boolean): void {
    const start = this.#time.now();
    for (let pause = 0.2; !attempt(); pause = Math.min(pause * 2, 20)) {
      const holder = this.#holderOf(this.path);
      if (holder === undefined || this.#breakIfAbandoned()) continue;
      if (this.#time.now() - start > PATIENCE_MS) throw this.#isStuck(holder);
      this.#time.pause(pause);
    }
  }

  #tryTake(): boolean {
    try {
      this.#fs.symlinkSync(ownerToken(), this.path);
      return true;
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return false;
      if (!hasCode(error, ...NO_LINKS)) throw error;
    }
    return this.#tryTakeAsFile();
  }

  /** Where there are no symbolic links: a file, which is empty for a moment. */
  #tryTakeAsFile(): boolean {
    let fd: number;
    try {
      fd = this.#fs.openSync(this.path, 'wx', FILE_MODE);
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return false;
      throw error;
    }
    try {
      this.#fs.writeSync(fd, ownerToken());
    } finally {
      this.#fs.closeSync(fd);
    }
    return true;
  }

  /** The owner's token; empty where it says none; undefined when nobody holds it. */
  #holderOf(lock: string): string | undefined {
    try {
      return this.#fs.readlinkSync(lock);
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      if (!hasCode(error, 'EINVAL', 'UNKNOWN')) throw error;
      return this.#textOfFile(lock);
    }
  }

  #textOfFile(lock: string): string | undefined {
    let fd: number;
    try {
      fd = this.#fs.openSync(lock, 'r');
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    }
    try {
      const bytes = Buffer.alloc(200);
      return bytes.toString('latin1', 0, this.#fs.readSync(fd, bytes, 0, bytes.length, 0));
    } finally {
      this.#fs.closeSync(fd);
    }
  }

  #release(): void {
    for (const isLast of [false, true]) {
      try {
        if (this.isOurs()) this.#fs.unlinkSync(this.path);
        return;
      } catch {
        // What the lock was held for is done. If it cannot be removed, this process breaks it at its next use of the
        // file, and others when this process has ended.
        if (isLast) return;
      }
    }
  }

  /** One process at a time breaks a lock, or it might break the one that another put in its place just now. */
  #breakIfAbandoned(): boolean {
    if (!this.#isAbandoned(this.path)) return false;
    const breaker = `${this.path}-break`;
    try {
      this.#fs.symlinkSync(ownerToken(), breaker);
    } catch (error) {
      if (hasCode(error, 'EEXIST')) {
        if (this.#isAbandoned(breaker)) this.#fs.rmSync(breaker, { force: true });
        return false;
      }
      if (!hasCode(error, ...NO_LINKS)) throw error;
    }
    try {
      if (!this.#isAbandoned(this.path)) return false;
      this.#fs.rmSync(this.path, { force: true });
      return true;
    } finally {
      this.#fs.rmSync(breaker, { force: true });
    }
  }

  /** Ours is abandoned too when we come across it: nothing takes a lock while it holds it. */
  #isAbandoned(lock: string): boolean {
    const holder = this.#holderOf(lock);
    if (holder === undefined) return false;
    const state = holder === ownerToken() ? 'gone' : ownerState(holder);
    return state === 'gone' || (state === 'unknown' && this.#ageOf(lock) > ABANDONED_MS);
  }

  /** Ms, by the clock of the file system, as far as it agrees with ours. */
  #ageOf(file: string): number {
    const stat = this.#fs.lstatSync(file, { throwIfNoEntry: false });
    return stat === undefined ? 0 : Date.now() - stat.mtimeMs;
  }

  #isStuck(holder: string): SessiondexError {
    return new SessiondexError(
      'FILE_IO',
      `Process ${pidOf(holder)} is rewriting the file and does not finish`,
      {
        where: { path: this.path },
        hint: `End process ${pidOf(holder)} if it hangs; if there is none, remove the lock.`,
      },
    );
  }
}
