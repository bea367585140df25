import path from 'node:path';
import { keepBackup } from './backup.js';
import { readFrom } from './file-bytes.js';
import { FileHandle } from './file-handle.js';
import { moveFile } from './file-move.js';
import { createFile, type ReplaceTarget, replaceSeenFile } from './file-replace.js';
import { type FileState, FileTail } from './file-tail.js';
import { lineBytes, sizeAtRest } from './line-append.js';
import { overwriteLine } from './line-overwrite.js';
import type { MonotonicTime } from './monotonic-time.js';
import { ensurePrivateDir } from './private-files.js';
import { LastBytes, SeenFile } from './seen-file.js';
import type { LogDrift, SeenPosition, SessionLog } from './session-storage.js';
import { type StorageFs, systemError } from './storage-fs.js';
import { syncDir } from './sync-dir.js';
import { WriteLease } from './write-lease.js';

/** What a log needs of its surroundings. */
export interface FileLogContext {
  readonly fs: StorageFs;
  readonly time: MonotonicTime;
  /** Unix ms, for the names of backups. */
  readonly now: () => number;
}

/**
 * A session file on a file system. See `FileTail` for how appends find their place, `WriteLease` for how they and
 * rewrites keep out of each other's way.
 */
export class FileLog implements SessionLog {
  readonly #fs: StorageFs;
  readonly #context: FileLogContext;
  readonly #lease: WriteLease;
  readonly #tail: FileTail;
  #path: string;
  #seen: SeenFile | undefined;
  /** The open file in which what was seen has been found. */
  #recognised: FileHandle | undefined;
  /** What `read` has come upon since it was last called. */
  #reading: { readonly file: FileHandle; readonly last: LastBytes; end: number } | undefined;
  /** Something was written that the device may not have. */
  #isUnsynced = false;

  constructor(context: FileLogContext, file: string) {
    this.#fs = context.fs;
    this.#context = context;
    this.#path = file;
    this.#lease = new WriteLease(context.fs, context.time, file);
    this.#tail = new FileTail(context.fs, context.time, this.#lease, file, {
      onOwn: (line, from, to, handle) => this.#onOwn(line, from, to, handle),
      onForeign: (certain) => this.#seen?.shrinkTo(certain),
      onChanged: () => {
        this.#recognised = undefined;
      },
    });
  }

  get path(): string {
    return this.#path;
  }

  get seen(): SeenPosition | undefined {
    return this.#seen;
  }

  async load(): Promise<Iterable<Buffer> | undefined> {
    return this.#fs.statSync(this.#path, { throwIfNoEntry: false }) === undefined ? undefined : this.read(0);
  }

  look(): LogDrift {
    const state = this.#tail.look();
    if (state === undefined) return 'missing';
    if (!this.#isSeenIn(state)) {
      this.#seen = undefined; // nothing that happens to the file makes it the one that was seen again
      return 'replaced';
    }
    return state.size > (this.#seen?.bytes ?? 0) ? 'grown' : 'same';
  }

  *read(fromByte: number): Generator<Buffer, void, undefined> {
    const known = this.#tail.handle;
    known?.retain();
    const file = known ?? FileHandle.openToRead(this.#fs, this.#path);
    const reading = { file, last: new LastBytes(), end: fromByte };
    this.#reading = reading;
    try {
      // Not to the middle of a line that another process is writing.
      const size = Number(this.#fs.fstatSync(file.fd, { bigint: true }).size);
      const end = sizeAtRest(this.#fs, this.#context.time, file, size);
      for (const piece of readFrom(this.#fs, file.fd, fromByte, end)) {
        reading.end += piece.length;
        reading.last.push(piece);
        yield piece;
      }
    } finally {
      file.release();
    }
  }

  markSeen(position: SeenPosition): void {
    if (this.#reading === undefined) throw new TypeError('markSeen must follow read or load');
    const { file, last, end } = this.#reading;
    this.#seen = new SeenFile(file, position, end === position.bytes ? last.bytes : new Uint8Array());
    this.#recognised = undefined;
  }

  append(line: string): void {
    const bytes = lineBytes(line);
    this.#isUnsynced = true;
    this.#tail.append(bytes);
  }

  overwrite(byteOffset: number, line: string): boolean {
    const bytes = lineBytes(line);
    return this.#lease.alone(() => {
      const drift = this.look();
      const handle = this.#tail.handle;
      if (handle === undefined || drift === 'replaced' || drift === 'missing') return false;
      this.#isUnsynced = true;
      this.#seen?.forgetAnchor();
      return overwriteLine(this.#fs, this.#lease.realPath, handle, byteOffset, bytes);
    });
  }

  replace(lines: Iterable<string>): boolean {
    const before = this.#seen?.bytes;
    const drift = this.look();
    if (drift === 'missing') return this.create(lines);
    const seen = this.#seen;
    const old = this.#tail.handle;
    // Where a line of ours has another place than thought, the lines must be made anew by whoever knows.
    if (old === undefined || seen === undefined || drift === 'replaced' || seen.bytes !== before)
      return false;
    if (old.refusal !== undefined) {
      this.#tail.release(); // it may be writable when it is tried again
      throw old.refusal;
    }
    return this.#become(replaceSeenFile(this.#target, old, seen, lines, () => this.#tail.release()));
  }

  create(lines: Iterable<string>): boolean {
    ensurePrivateDir(this.#fs, path.dirname(this.#path));
    this.#lease.follow(this.#path);
    return this.#become(createFile(this.#target, lines));
  }

  keepBackup(): string | undefined {
    if (this.#fs.statSync(this.#path, { throwIfNoEntry: false }) === undefined) return undefined;
    this.#lease.follow(this.#path);
    return keepBackup(this.#fs, this.#context.time, this.#lease.realPath, this.#context.now());
  }

  async rename(nextPath: string): Promise<void> {
    const isThere = this.#tail.look() !== undefined;
    if (isThere) {
      this.#lease.quiet(() => {
        if (this.#fs.lstatSync(nextPath, { throwIfNoEntry: false }) !== undefined)
          throw systemError('EEXIST', 'file already exists, rename', nextPath);
        moveFile(this.#fs, this.#context.time, this.#path, nextPath);
      });
    }
    this.#path = nextPath;
    this.#lease.follow(nextPath);
    this.#tail.moveTo(nextPath);
    if (isThere) this.#followMove();
  }

  async settled(): Promise<void> {}

  async sync(): Promise<void> {
    if (!this.#isUnsynced) return;
    const handle = this.#tail.makeSure();
    handle.retain();
    this.#isUnsynced = false;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#fs.fsync(handle.fd, (error) => (error ? reject(error) : resolve()));
      });
    } catch (error) {
      this.#isUnsynced = true;
      throw error;
    } finally {
      handle.release();
    }
  }

  async close(): Promise<void> {
    this.#tail.release();
  }

  get #target(): ReplaceTarget {
    return { fs: this.#fs, time: this.#context.time, lease: this.#lease, path: this.#path };
  }

  #isSeenIn({ handle, size }: FileState): boolean {
    const seen = this.#seen;
    if (seen === undefined || !seen.isIn(handle) || size < seen.bytes) return false;
    // A file may have been emptied and filled anew, or another one may have been given its number.
    if (this.#recognised === handle) return true;
    if (!seen.isIntact(this.#fs, handle)) return false;
    this.#recognised = handle;
    return true;
  }

  #onOwn(line: Buffer, from: number, to: number, handle: FileHandle): void {
    const seen = this.#seen;
    if (seen?.bytes !== from) return;
    try {
      if (this.#isSeenIn({ handle, size: from })) seen.grow(line, to);
    } catch {
      // It cannot be read: the line is in the file all the same, and the next look tells growth.
    }
  }

  /** The new file is in its place: whatever the folder's sync says, it is the one that is known from here on. */
  #become(next: SeenFile | undefined): boolean {
    if (next === undefined) return false;
    this.#seen = next;
    this.#isUnsynced = false;
    this.#tail.forget();
    syncDir(this.#fs, path.dirname(this.#lease.realPath));
    return true;
  }

  /** To another device the file was copied: what is known of it is known of the copy. */
  #followMove(): void {
    const before = this.#tail.handle;
    const seen = this.#seen;
    const wasKnown = before !== undefined && seen?.isIn(before) === true;
    const state = this.#tail.look();
    if (wasKnown && state !== undefined) this.#seen = seen.movedTo(state.handle);
  }
}
