import path from 'node:path';
import { systemError } from './storage-fs.js';

/** A file in memory. A file that takes another's place is another object. */
export class MemoryFile {
  #bytes: Buffer;
  #length: number;
  /** Unix ms. */
  mtimeMs: number;
  /** How often it was emptied. */
  emptied = 0;

  constructor(bytes: Uint8Array, mtimeMs: number) {
    this.#bytes = Buffer.from(bytes);
    this.#length = bytes.length;
    this.mtimeMs = mtimeMs;
  }

  /** Valid until the file changes. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  get size(): number {
    return this.#length;
  }

  append(bytes: Uint8Array, mtimeMs: number): void {
    const needed = this.#length + bytes.length;
    if (needed > this.#bytes.length) {
      const grown = Buffer.alloc(Math.max(needed, this.#bytes.length * 2, 1024));
      this.bytes.copy(grown);
      this.#bytes = grown;
    }
    this.#bytes.set(bytes, this.#length);
    this.#length = needed;
    this.mtimeMs = mtimeMs;
  }

  empty(mtimeMs: number): void {
    this.#length = 0;
    this.emptied += 1;
    this.mtimeMs = mtimeMs;
  }

  overwrite(byteOffset: number, bytes: Uint8Array, mtimeMs: number): void {
    this.#bytes.set(bytes, byteOffset);
    this.mtimeMs = mtimeMs;
  }
}

/** Files and folders in memory, by their absolute paths. */
export class MemoryFiles {
  readonly now: () => number;
  readonly #files = new Map<string, MemoryFile>();
  readonly #dirs = new Set<string>();

  constructor(now: () => number) {
    this.now = now;
  }

  get(file: string): MemoryFile | undefined {
    return this.#files.get(path.resolve(file));
  }

  /** Throws ENOENT. */
  require(file: string): MemoryFile {
    const found = this.get(file);
    if (found === undefined) throw systemError('ENOENT', 'no such file or directory', file);
    return found;
  }

  /** A new file in the place of whatever is there. */
  put(file: string, bytes: Uint8Array): MemoryFile {
    const made = new MemoryFile(bytes, this.now());
    this.makeDir(path.dirname(file));
    this.#files.set(path.resolve(file), made);
    return made;
  }

  /** Throws ENOENT. */
  remove(file: string): void {
    this.require(file);
    this.#files.delete(path.resolve(file));
  }

  /** Throws ENOENT. */
  move(file: string, nextFile: string): void {
    const moved = this.require(file);
    this.makeDir(path.dirname(nextFile));
    this.#files.delete(path.resolve(file));
    this.#files.set(path.resolve(nextFile), moved);
  }

  makeDir(dir: string): void {
    for (let made = path.resolve(dir); !this.#dirs.has(made); made = path.dirname(made)) this.#dirs.add(made);
  }

  removeDir(dir: string): void {
    for (const below of this.below(dir)) this.#files.delete(below);
    const removed = path.resolve(dir);
    for (const made of this.#dirs)
      if (made === removed || made.startsWith(removed + path.sep)) this.#dirs.delete(made);
  }

  hasDir(dir: string): boolean {
    return this.#dirs.has(path.resolve(dir));
  }

  /** The paths of all files in a folder and in those below it. */
  below(dir: string): string[] {
    const prefix = path.resolve(dir) + path.sep;
    return [...this.#files.keys()].filter((file) => file.startsWith(prefix));
  }
}
