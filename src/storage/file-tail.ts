import { FileHandle } from './file-handle.js';
import { appendBytes, cutBack, endsInNewline, presenceOf, sizeAtRest, standsAt } from './line-append.js';
import type { MonotonicTime } from './monotonic-time.js';
import { hasCode, type StorageFs, systemError } from './storage-fs.js';
import type { WriteLease } from './write-lease.js';

const NEWLINE = Buffer.from('\n');

/** A file as it was at the last look. */
export interface FileState {
  readonly handle: FileHandle;
  /** Bytes. */
  readonly size: number;
}

/** Is told what happens at the file's end. */
export interface TailListener {
  /** A line was added, with a `\n` before it if it needed one; from and to in bytes. */
  onOwn(line: Buffer, from: number, to: number, handle: FileHandle): void;
  /** Another process wrote at the same moment: up to here the file was certainly as it was thought to be, in bytes. */
  onForeign(certain: number): void;
  /** The file is another one, or of another size than what was added to it explains. */
  onChanged(): void;
}

interface LastLine {
  readonly line: Buffer;
  /** Bytes: the size of the file before it, as far as that was known. */
  readonly before: number;
  /** No rewrite can have missed it, because it was written within the lease. */
  readonly isLeased: boolean;
}

/**
 * The end of a file that others append to as well: adds whole lines, each on a line of its own (F9), and makes sure of
 * each when it looks at the file the next time.
 */
export class FileTail {
  readonly #fs: StorageFs;
  readonly #time: MonotonicTime;
  readonly #lease: WriteLease;
  readonly #listener: TailListener;
  #path: string;
  #handle: FileHandle | undefined;
  /** Bytes: the size that the file has if nobody else wrote. */
  #end = 0;
  #isAtLineStart = true;
  /** The last line written, until the file was found to have grown by just that. */
  #last: LastLine | undefined;
  /** Lines that were promised and have to be written again. */
  #owed: Buffer[] = [];
  /** The file was looked at, and nothing has been written since. */
  #isFresh = false;

  constructor(fs: StorageFs, time: MonotonicTime, lease: WriteLease, path: string, listener: TailListener) {
    this.#fs = fs;
    this.#time = time;
    this.#lease = lease;
    this.#path = path;
    this.#listener = listener;
  }

  get handle(): FileHandle | undefined {
    return this.#handle;
  }

  /**
   * Looks at the file; undefined when there is none. Waits for nobody and writes nothing.
   *
   * Of a file that was replaced, its reader finds out what is missing in it.
   */
  look(): FileState | undefined {
    this.#lease.tryRenew();
    return this.#refresh(false);
  }

  /** Adds one line. Throws when it is not in the file. */
  append(line: Buffer): void {
    this.#owed.push(line);
    try {
      this.#payOwed();
    } catch (error) {
      const at = this.#owed.lastIndexOf(line);
      if (at >= 0) this.#owed.splice(at, 1);
      throw error;
    }
  }

  /** Every line that was promised is in the file: looks once more where it has not since. Throws ENOENT without a file. */
  makeSure(): FileHandle {
    this.#isFresh = false;
    const handle = this.#ready();
    this.#payOwed();
    return this.#handle ?? handle;
  }

  /** The file has another name now. */
  moveTo(path: string): void {
    this.#path = path;
    this.#isFresh = false;
  }

  /** The file is another one now, and holds all lines that were promised. */
  forget(): void {
    this.#last = undefined;
    this.#owed = [];
    this.release();
  }

  /** Closes the file; it is opened again when it is needed. */
  release(): void {
    const handle = this.#handle;
    this.#handle = undefined;
    this.#isFresh = false;
    handle?.release();
  }

  #payOwed(): void {
    while (this.#owed.length > 0) {
      const handle = this.#ready();
      // Lines that the look found missing come first.
      const line = this.#owed[0];
      if (line === undefined) return;
      this.#write(handle, line);
      this.#owed.shift();
      if (this.#last?.isLeased === false) this.#lookAfterwards();
    }
  }

  /** The write took longer than the lease: was there a rewrite? A line that it missed is owed from here on. */
  #lookAfterwards(): void {
    try {
      this.#ready();
    } catch {
      // Any error: the line was written, and the next look makes sure of it. An error now would have it written twice.
      this.#isFresh = false;
    }
  }

  /** A file to append to, looked at under a lease. */
  #ready(): FileHandle {
    while (!(this.#isFresh && this.#lease.isValid())) {
      // The look comes after the lease began: a rewrite before that shows in the file, a later one waits for the lease.
      this.#lease.renew();
      this.#refresh(true);
      if (this.#handle === undefined) break;
    }
    const handle = this.#handle;
    if (handle === undefined) throw systemError('ENOENT', 'no such file or directory, append', this.#path);
    if (handle.refusal !== undefined) throw this.#refusedAgain(handle);
    return handle;
  }

  /** What may not be written may have become writable since. */
  #refusedAgain(handle: FileHandle): unknown {
    this.release();
    return handle.refusal;
  }

  #write(handle: FileHandle, line: Buffer): void {
    const before = this.#end;
    const bytes = this.#isAtLineStart ? line : Buffer.concat([NEWLINE, line]);
    this.#isFresh = false;
    const broken = appendBytes(this.#fs, handle, bytes);
    if (broken !== undefined) {
      if (broken.written > 0) this.#takeBack(handle, bytes.subarray(0, broken.written));
      throw broken.error;
    }
    this.#end = before + bytes.length;
    this.#isAtLineStart = true;
    this.#last = { line, before, isLeased: this.#lease.isValid() };
    this.#listener.onOwn(line, before, this.#end, handle);
  }

  /** The lock keeps others' lines from being cut off with it. What stays, a newline ends at the next append. */
  #takeBack(handle: FileHandle, part: Buffer): void {
    let isCut = false;
    try {
      isCut = this.#lease.quiet(() => cutBack(this.#fs, handle, part));
    } catch {
      // any error: the append's own is reported
    }
    if (!isCut) this.#end = -1; // no size that the file can have: the next look takes nothing for granted
  }

  /** @param isOwing whether a line that a replaced file lacks is owed by this log, or left to its reader */
  #refresh(isOwing: boolean): FileState | undefined {
    this.#isFresh = false;
    const stat = this.#fs.statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) {
      this.release();
      return undefined;
    }
    const known = this.#handle;
    if (known?.isSameFile(stat)) {
      this.#settle(known, Number(stat.size), true, isOwing);
      this.#isFresh = true;
      return { handle: known, size: this.#end };
    }
    return this.#reopen(isOwing);
  }

  #reopen(isOwing: boolean): FileState | undefined {
    this.release();
    try {
      this.#handle = FileHandle.open(this.#fs, this.#path);
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    }
    this.#lease.follow(this.#path);
    const size = Number(this.#fs.fstatSync(this.#handle.fd, { bigint: true }).size);
    this.#settle(this.#handle, size, false, isOwing);
    // Looked at once more under the lease before anything is written: the name may lead to yet another file by now.
    return { handle: this.#handle, size: this.#end };
  }

  #settle(handle: FileHandle, size: number, isSameFile: boolean, isOwing: boolean): void {
    const last = this.#last;
    if (isSameFile && size === this.#end) {
      this.#last = undefined;
      return;
    }
    this.#listener.onChanged();
    if (last !== undefined) {
      this.#last = undefined;
      this.#check(last, handle, isSameFile && size >= this.#end, isOwing);
    }
    this.#end = sizeAtRest(this.#fs, this.#time, handle, size);
    this.#isAtLineStart = endsInNewline(this.#fs, handle, this.#end);
  }

  /** Somebody else wrote, or put another file in this one's place: is the line there, and where it was thought to be? */
  #check(last: LastLine, handle: FileHandle, isGrown: boolean, isOwing: boolean): void {
    if (isGrown) {
      if (standsAt(this.#fs, handle, last.line, this.#end)) return;
      this.#listener.onForeign(last.before);
      // Another process ended in the middle of a line, just before.
      if (presenceOf(this.#fs, handle, last.line, last.before) === 'glued') this.#owed.unshift(last.line);
    } else if (isOwing && !last.isLeased && presenceOf(this.#fs, handle, last.line, 0) !== 'whole') {
      this.#owed.unshift(last.line);
    }
  }
}
