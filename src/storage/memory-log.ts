import { backupPath } from './backup.js';
import { lineBytes } from './line-append.js';
import type { MemoryFile, MemoryFiles } from './memory-files.js';
import type { LogDrift, SeenPosition, SessionLog } from './session-storage.js';
import { systemError } from './storage-fs.js';

const NEWLINE = 0x0a;

interface SeenMemory extends SeenPosition {
  readonly file: MemoryFile;
  /** How often the file had been emptied: what was seen before is gone, whatever its size. */
  readonly emptied: number;
}

/** A log over files in memory. Every log over the same files is to it what another process is on a file system. */
export class MemoryLog implements SessionLog {
  readonly #files: MemoryFiles;
  #path: string;
  #seen: SeenMemory | undefined;
  #read: MemoryFile | undefined;

  constructor(files: MemoryFiles, path: string) {
    this.#files = files;
    this.#path = path;
  }

  get path(): string {
    return this.#path;
  }

  get seen(): SeenPosition | undefined {
    return this.#seen;
  }

  async load(): Promise<Iterable<Buffer> | undefined> {
    return this.#files.get(this.#path) === undefined ? undefined : this.read(0);
  }

  look(): LogDrift {
    const file = this.#files.get(this.#path);
    if (file === undefined) return 'missing';
    const seen = this.#seen;
    if (seen === undefined || !isSeenIn(file, seen)) {
      this.#seen = undefined; // nothing that happens to the file makes it the one that was seen again
      return 'replaced';
    }
    return file.size > seen.bytes ? 'grown' : 'same';
  }

  *read(fromByte: number): Generator<Buffer, void, undefined> {
    const file = this.#files.require(this.#path);
    this.#read = file;
    if (file.size > fromByte) yield Buffer.from(file.bytes.subarray(fromByte));
  }

  markSeen({ bytes, tornAt }: SeenPosition): void {
    if (this.#read === undefined) throw new TypeError('markSeen must follow read or load');
    this.#seen = { file: this.#read, emptied: this.#read.emptied, bytes, tornAt };
  }

  append(line: string): void {
    const bytes = lineBytes(line);
    const file = this.#files.require(this.#path);
    const from = file.size;
    const startsLine = from === 0 || file.bytes[from - 1] === NEWLINE;
    file.append(startsLine ? bytes : Buffer.concat([Buffer.from('\n'), bytes]), this.#files.now());
    const seen = this.#seen;
    if (seen?.bytes === from && isSeenIn(file, seen))
      this.#seen = { file, emptied: file.emptied, bytes: file.size };
  }

  overwrite(byteOffset: number, line: string): boolean {
    const bytes = lineBytes(line);
    const drift = this.look();
    if (drift === 'missing' || drift === 'replaced') return false;
    const file = this.#files.require(this.#path);
    const old = file.bytes.subarray(byteOffset, byteOffset + bytes.length);
    const startsLine = byteOffset === 0 || file.bytes[byteOffset - 1] === NEWLINE;
    if (!startsLine || old.length < bytes.length || old.indexOf(NEWLINE) !== bytes.length - 1) return false;
    file.overwrite(byteOffset, bytes, this.#files.now());
    return true;
  }

  replace(lines: Iterable<string>): boolean {
    const drift = this.look();
    if (drift === 'missing') return this.create(lines);
    const seen = this.#seen;
    if (seen === undefined || drift === 'replaced') return false;
    const head = joined(lines);
    this.#become(head, drift === 'grown' ? tailOf(seen) : Buffer.alloc(0));
    return true;
  }

  create(lines: Iterable<string>): boolean {
    if (this.#files.get(this.#path) !== undefined) return false;
    this.#become(joined(lines), Buffer.alloc(0));
    return true;
  }

  keepBackup(): string | undefined {
    const file = this.#files.get(this.#path);
    if (file === undefined) return undefined;
    for (let number = 1; ; number += 1) {
      const copy = backupPath(this.#path, this.#files.now(), number);
      if (this.#files.get(copy) !== undefined) continue;
      this.#files.put(copy, file.bytes);
      return copy;
    }
  }

  async rename(nextPath: string): Promise<void> {
    if (this.#files.get(this.#path) !== undefined) {
      if (this.#files.get(nextPath) !== undefined || this.#files.hasDir(nextPath))
        throw systemError('EEXIST', 'file already exists, rename', nextPath);
      this.#files.move(this.#path, nextPath);
    }
    this.#path = nextPath;
  }

  async settled(): Promise<void> {}

  /** There is nothing that could lose it, but a file that is gone is as bad here. */
  async sync(): Promise<void> {
    if (this.#seen !== undefined) this.#files.require(this.#path);
  }

  async close(): Promise<void> {}

  #become(head: Buffer, tail: Buffer): void {
    const file = this.#files.put(this.#path, Buffer.concat([head, tail]));
    this.#seen = { file, emptied: 0, bytes: head.length };
  }
}

function isSeenIn(file: MemoryFile, { file: seenFile, bytes, emptied }: SeenMemory): boolean {
  return seenFile === file && file.size >= bytes && (bytes === 0 || emptied === file.emptied);
}

function joined(lines: Iterable<string>): Buffer {
  return Buffer.concat(Array.from(lines, (line) => Buffer.from(line, 'utf8')));
}

/** What stands behind the part that was seen; an append behind an unterminated line begins with a `\n` too many. */
function tailOf({ file, bytes, tornAt }: SeenMemory): Buffer {
  const tail = file.bytes.subarray(tornAt ?? bytes);
  return tail[0] === NEWLINE ? tail.subarray(1) : tail;
}
