import { createHash } from 'node:crypto';
import * as nodeFs from 'node:fs';
import path from 'node:path';
import { blobReference } from '../format/names.js';
import { TempFile } from './atomic-write.js';
import { readFileFrom } from './file-bytes.js';
import { type MonotonicTime, systemTime } from './monotonic-time.js';
import { ensurePrivateDir } from './private-files.js';
import { hasCode, type StorageFs } from './storage-fs.js';
import { syncDir } from './sync-dir.js';

export interface BlobStoreOptions {
  /** What is called instead of `node:fs`. */
  readonly fs?: StorageFs;
  readonly time?: MonotonicTime;
}

/** Where a blob is. */
export interface StoredBlob {
  /** SHA-256 of the bytes: 64 lower-case hex digits. */
  readonly hash: string;
  readonly path: string;
  /** What stands for the bytes in a session: `blob:sha256:<hash>`. */
  readonly ref: string;
}

/**
 * Bytes under the name of their SHA-256, each written once and shared by all sessions (F37). What is no hash never
 * becomes part of a path (F38): there is no such blob.
 */
export class BlobStore {
  /** Absolute. Made with the first blob. */
  readonly dir: string;
  readonly #fs: StorageFs;
  readonly #time: MonotonicTime;

  constructor(dir: string, { fs = nodeFs, time = systemTime }: BlobStoreOptions = {}) {
    this.dir = dir;
    this.#fs = fs;
    this.#time = time;
  }

  /** Stores the bytes, if they are not there; the device has them when it resolves. */
  async put(bytes: Uint8Array): Promise<StoredBlob> {
    return this.putSync(bytes);
  }

  /** The bytes, or null when there is no such blob. */
  async get(hash: string): Promise<Buffer | null> {
    return this.getSync(hash);
  }

  async has(hash: string): Promise<boolean> {
    return this.hasSync(hash);
  }

  /** As `put`. Throws what the file system says, and leaves nothing behind. */
  putSync(bytes: Uint8Array): StoredBlob {
    const hash = createHash('sha256').update(bytes).digest('hex');
    const file = path.join(this.dir, hash);
    const blob = { hash, path: file, ref: blobReference(hash) };
    // A file under this name with other bytes is what a crash left of a program that writes in place.
    if (this.getSync(hash)?.equals(bytes)) return blob;
    ensurePrivateDir(this.#fs, this.dir);
    const temp = new TempFile(this.#fs, file);
    try {
      temp.write(bytes);
      temp.seal();
      temp.replace(this.#time);
    } finally {
      temp.discard();
    }
    syncDir(this.#fs, this.dir);
    return blob;
  }

  /** As `get`. */
  getSync(hash: string): Buffer | null {
    if (!isHash(hash)) return null;
    const pieces: Buffer[] = [];
    try {
      for (const piece of readFileFrom(this.#fs, path.join(this.dir, hash))) pieces.push(Buffer.from(piece));
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return null;
      throw error;
    }
    return Buffer.concat(pieces);
  }

  /** As `has`. */
  hasSync(hash: string): boolean {
    return isHash(hash) && this.#fs.existsSync(path.join(this.dir, hash));
  }
}

function isHash(hash: string): boolean {
  return /^[0-9a-f]{64}$/.test(hash);
}
