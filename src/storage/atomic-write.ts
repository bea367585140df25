import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { writeFully } from './file-bytes.js';
import type { MonotonicTime } from './monotonic-time.js';
import { ownerToken } from './owner.js';
import { FILE_MODE } from './private-files.js';
import { hasCode, type StorageFs } from './storage-fs.js';
import { syncDir } from './sync-dir.js';

/** Stands in the name of a temporary file between the name of the file it is for and its owner's token. */
export const TEMP_MARK = '.tmp-';

/** Bytes gathered before they are written. */
const BATCH_BYTES = 1024 * 1024;

/** How often, and with which pauses in ms, a rename is tried that something keeps from succeeding for a moment (B08). */
const RENAME_PAUSES = [2, 5, 10, 20, 50, 100];

/** What identifies a file on its device, whatever its name. */
export interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/**
 * A file that is written beside the one whose place it takes, in the same folder (F33): write, `seal`, then `replace` or
 * `create`. Whatever happens, call `discard` at the end: it removes what is left.
 */
export class TempFile {
  readonly path: string;
  readonly #fs: StorageFs;
  readonly #target: string;
  #fd: number | undefined;
  #isThere = true;
  #batch: Buffer[] = [];
  #batchBytes = 0;

  /** Bytes written or gathered. */
  length = 0;

  /** @param mode permissions of the new file, whatever the process's umask */
  constructor(fs: StorageFs, target: string, mode: number = FILE_MODE) {
    this.#fs = fs;
    this.#target = target;
    this.path = `${target}${TEMP_MARK}${ownerToken()}-${randomBytes(4).toString('hex')}`;
    this.#fd = fs.openSync(this.path, 'wx+', mode);
    try {
      fs.fchmodSync(this.#fd, mode);
    } catch (error) {
      this.discard();
      throw error;
    }
  }

  get identity(): FileIdentity {
    const { dev, ino } = this.#fs.fstatSync(this.#open(), { bigint: true });
    return { dev, ino };
  }

  /** The bytes are copied. */
  write(bytes: Uint8Array | string): void {
    const copy = Buffer.from(bytes as string);
    this.#batch.push(copy);
    this.#batchBytes += copy.length;
    this.length += copy.length;
    if (this.#batchBytes >= BATCH_BYTES) this.#drain();
  }

  /** As the owner of another file has it; only a privileged process can, and any other owns what it writes anyway. */
  giveTo(uid: number, gid: number): void {
    try {
      this.#fs.fchownSync(this.#open(), uid, gid);
    } catch (error) {
      if (!hasCode(error, 'EPERM', 'ENOSYS', 'ENOTSUP', 'EINVAL')) throw error;
    }
  }

  /** The device has all of it so far. */
  flush(): void {
    this.#drain();
    this.#fs.fsyncSync(this.#open());
  }

  /** `flush`, and the file is closed. */
  seal(): void {
    this.flush();
    const fd = this.#open();
    this.#fd = undefined;
    this.#fs.closeSync(fd);
  }

  /**
   * Takes the target's place in one step. A system that does not let it happen for a moment is asked again.
   *
   * @param onRefusal called before the second attempt: to let go of what may be in the way
   */
  replace(time: MonotonicTime, onRefusal: () => void = () => {}): void {
    renameWithPatience(this.#fs, time, this.path, this.#target, onRefusal);
    this.#isThere = false;
  }

  /** Takes the name in one step if nothing has it; false when something does. */
  create(time: MonotonicTime): boolean {
    try {
      this.#fs.linkSync(this.path, this.#target);
      return true;
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return false;
      if (!hasCode(error, 'EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EACCES')) throw error;
    }
    // No hard links here: two that create the same file at the same moment would be one too many.
    if (this.#fs.existsSync(this.#target)) return false;
    this.replace(time);
    return true;
  }

  /** Removes the temporary name; the first error of the whole undertaking matters more than one of this. */
  discard(): void {
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd !== undefined) attempt(() => this.#fs.closeSync(fd));
    if (!this.#isThere) return;
    this.#isThere = false;
    if (!attempt(() => this.#fs.unlinkSync(this.path))) attempt(() => this.#fs.unlinkSync(this.path));
  }

  #open(): number {
    if (this.#fd === undefined) throw new TypeError('the temporary file is closed');
    return this.#fd;
  }

  #drain(): void {
    if (this.#batchBytes === 0) return;
    const [first, second] = this.#batch;
    const bytes = first !== undefined && second === undefined ? first : Buffer.concat(this.#batch);
    this.#batch = [];
    this.#batchBytes = 0;
    writeFully(this.#fs, this.#open(), bytes);
  }
}

/** `renameSync`, asked again where a scanner, an indexer or another process has the file open (B08). */
export function renameWithPatience(
  fs: StorageFs,
  time: MonotonicTime,
  from: string,
  to: string,
  onRefusal: () => void = () => {},
): void {
  for (const pause of RENAME_PAUSES) {
    try {
      fs.renameSync(from, to);
      return;
    } catch (error) {
      if (!hasCode(error, 'EPERM', 'EBUSY', 'EACCES')) throw error;
      onRefusal();
      time.pause(pause);
    }
  }
  fs.renameSync(from, to);
}

/** A whole file at once: the complete old or the complete new one is there at every instant (F33). Its folder exists. */
export function writeFileAtomically(fs: StorageFs, time: MonotonicTime, file: string, content: string): void {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  const target = stat === undefined ? file : fs.realpathSync(file);
  const temp = new TempFile(fs, target, stat === undefined ? FILE_MODE : stat.mode & 0o777);
  try {
    if (stat !== undefined) temp.giveTo(stat.uid, stat.gid);
    temp.write(content);
    temp.seal();
    temp.replace(time);
  } finally {
    temp.discard();
  }
  syncDir(fs, path.dirname(target));
}

function attempt(action: () => void): boolean {
  try {
    action();
    return true;
  } catch {
    return false; // any failure of a clean-up: the caller's own error is on its way already, or tries again
  }
}
