import type { FileIdentity } from './atomic-write.js';
import { hasCode, type StorageFs } from './storage-fs.js';

/**
 * A session file that is open: for reading anywhere in it and, where that is allowed, for appending. Closed when its
 * last user has let go.
 */
export class FileHandle implements FileIdentity {
  readonly fd: number;
  readonly dev: bigint;
  readonly ino: bigint;
  /** Why it cannot be written, or undefined when it can. */
  readonly refusal: unknown;
  readonly #fs: StorageFs;
  #users = 1;

  private constructor(fs: StorageFs, fd: number, identity: FileIdentity, refusal: unknown) {
    this.#fs = fs;
    this.fd = fd;
    this.dev = identity.dev;
    this.ino = identity.ino;
    this.refusal = refusal;
  }

  /** Never makes a file: ENOENT is thrown. One that may only be read is opened so. */
  static open(fs: StorageFs, path: string): FileHandle {
    let refusal: unknown;
    let fd: number;
    try {
      fd = fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_APPEND);
    } catch (error) {
      if (!hasCode(error, 'EACCES', 'EPERM', 'EROFS')) throw error;
      refusal = error;
      fd = fs.openSync(path, 'r');
    }
    return FileHandle.#of(fs, fd, refusal);
  }

  static openToRead(fs: StorageFs, path: string): FileHandle {
    return FileHandle.#of(fs, fs.openSync(path, 'r'), undefined);
  }

  static #of(fs: StorageFs, fd: number, refusal: unknown): FileHandle {
    try {
      return new FileHandle(fs, fd, fs.fstatSync(fd, { bigint: true }), refusal);
    } catch (error) {
      fs.closeSync(fd);
      throw error;
    }
  }

  isSameFile({ dev, ino }: FileIdentity): boolean {
    return this.dev === dev && this.ino === ino;
  }

  get isOpen(): boolean {
    return this.#users > 0;
  }

  /** Another user, who releases it too. */
  retain(): void {
    this.#users += 1;
  }

  release(): void {
    this.#users -= 1;
    if (this.#users === 0) this.#fs.closeSync(this.fd);
  }
}
