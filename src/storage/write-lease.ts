import path from 'node:path';
import type { MonotonicTime } from './monotonic-time.js';
import { RewriteLock } from './rewrite-lock.js';
import { hasCode, type StorageFs } from './storage-fs.js';

/** Ms for which a look at the lock holds good, and for which whoever takes the lock waits before relying on it. */
export const LEASE_MS = 2;

/**
 * Keeps appends and rewrites of one file apart, at almost no cost to appends, which are many (F35).
 *
 * An append may rely on the lock having been free for `LEASE_MS` after it began to look. Only when the write took it
 * beyond that does it look again afterwards, and makes sure of its line if there was a rewrite. A rewrite takes the lock
 * and then waits for `LEASE_MS`: every append that has returned without that second look was in the file by then, every
 * later one waits. So between the end of the wait and the rename the file holds all lines that anybody was promised, and
 * none comes in. Killed at any moment, a rewrite leaves a lock that the next process takes over, and the old or the new
 * file, each with all those lines.
 *
 * It takes clocks that run equally fast, not ones that agree. Programs that append without looking are not kept out: what
 * they write until the rename is copied, what they write to the old file after it is lost.
 */
export class WriteLease {
  readonly #fs: StorageFs;
  readonly #time: MonotonicTime;
  #lock: RewriteLock;
  #since = Number.NEGATIVE_INFINITY;
  /** Where the file really is: a link to it must lead to the same lock. */
  #realPath: string;

  constructor(fs: StorageFs, time: MonotonicTime, file: string) {
    this.#fs = fs;
    this.#time = time;
    this.#realPath = realPathOf(fs, file);
    this.#lock = new RewriteLock(fs, time, this.#realPath);
  }

  get realPath(): string {
    return this.#realPath;
  }

  /** The file has been made, moved or replaced: where is it now? */
  follow(file: string): void {
    const realPath = realPathOf(this.#fs, file);
    if (realPath === this.#realPath) return;
    this.#realPath = realPath;
    this.#lock = new RewriteLock(this.#fs, this.#time, realPath);
    this.#since = Number.NEGATIVE_INFINITY;
  }

  isValid(): boolean {
    return this.#time.now() - this.#since <= LEASE_MS;
  }

  /** Waits for a rewrite to end. Throws FILE_IO when it does not. */
  renew(): void {
    for (;;) {
      const since = this.#time.now();
      if (!this.#lock.isHeld()) {
        this.#since = since;
        return;
      }
      this.#lock.waitUntilFree();
    }
  }

  /** Does not wait: while there is a rewrite, the lease stays as it is. */
  tryRenew(): void {
    if (this.isValid()) return;
    const since = this.#time.now();
    if (!this.#lock.isHeld()) this.#since = since;
  }

  /** Runs while no other process rewrites the file. */
  alone<Result>(action: () => Result): Result {
    return this.#lock.hold(action);
  }

  /** Runs while no other process rewrites the file or appends to it. */
  quiet<Result>(action: () => Result): Result {
    return this.#lock.hold(() => {
      this.#since = Number.NEGATIVE_INFINITY;
      const end = this.#time.now() + LEASE_MS;
      for (let left = LEASE_MS; left > 0; left = end - this.#time.now()) this.#time.pause(left);
      return action();
    });
  }

  /** Whether the lock that this process took is still its own. */
  isHeldByUs(): boolean {
    return this.#lock.isOurs();
  }
}

function realPathOf(fs: StorageFs, file: string): string {
  try {
    return fs.realpathSync(file);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  try {
    return path.join(fs.realpathSync(path.dirname(file)), path.basename(file));
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    return file; // no folder yet: nobody else can hold its lock
  }
}
