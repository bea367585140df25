import { backupPath } from './backup.js';
import { lineBytes } from './line-append.js';
import type {
  LogDrift,
  OpenLogOptions,
  SeenPosition,
  SessionLog,
  SessionStorage,
  SessionStorageWriter,
} from './session-storage.js';
import { systemError } from './storage-fs.js';

/**
 * A log over a storage that has the family's members alone. They can do most things only later: changes are begun in
 * order, and `onLateFailure` is told of those that fail. What other writers do to the file goes unnoticed, except that it
 * is gone; a rewrite is a new file renamed over the old one.
 */
export class BasicLog implements SessionLog {
  readonly #storage: SessionStorage;
  readonly #now: () => number;
  readonly #onLateFailure: (error: unknown) => void;
  #path: string;
  #seen: SeenPosition | undefined;
  #loaded: Buffer | undefined;
  #writer: SessionStorageWriter | undefined;
  #isAtLineStart = true;
  /** The file is there as soon as what was begun is done. */
  #isComing = false;
  #chain: Promise<void> = Promise.resolve();

  constructor(
    storage: SessionStorage,
    path: string,
    now: () => number,
    { onLateFailure }: OpenLogOptions = {},
  ) {
    this.#storage = storage;
    this.#path = path;
    this.#now = now;
    this.#onLateFailure = onLateFailure ?? (() => {});
  }

  get path(): string {
    return this.#path;
  }

  get seen(): SeenPosition | undefined {
    return this.#seen;
  }

  async load(): Promise<Iterable<Buffer> | undefined> {
    await this.settled();
    if (!(await this.#storage.exists(this.#path))) return undefined;
    this.#loaded = Buffer.from(await this.#storage.readText(this.#path), 'utf8');
    return [this.#loaded];
  }

  look(): LogDrift {
    if (this.#isComing) return 'same';
    if (!this.#storage.existsSync(this.#path)) return 'missing';
    return this.#seen === undefined ? 'replaced' : 'same';
  }

  read(): Iterable<Buffer> {
    throw new TypeError('this storage reads only when asked to load');
  }

  markSeen(seen: SeenPosition): void {
    if (this.#loaded === undefined) throw new TypeError('markSeen must follow load');
    this.#isAtLineStart = this.#loaded.length === 0 || this.#loaded.at(-1) === 0x0a;
    this.#seen = seen;
    this.#loaded = undefined;
  }

  append(line: string): void {
    const { length } = lineBytes(line);
    if (this.look() === 'missing')
      throw systemError('ENOENT', 'no such file or directory, append', this.#path);
    const startsLine = this.#isAtLineStart;
    this.#isAtLineStart = true;
    if (this.#seen !== undefined) this.#seen = { bytes: this.#seen.bytes + length + (startsLine ? 0 : 1) };
    this.#begin(async () => {
      this.#writer ??= this.#storage.openWriter(this.#path, { flags: 'a' });
      if (!startsLine) await this.#writer.writeLine(' \n'); // blank: ends what stands there, and is no line to any reader
      await this.#writer.writeLine(line);
    });
  }

  overwrite(): boolean {
    return false;
  }

  replace(lines: Iterable<string>): boolean {
    const content = Array.from(lines);
    this.#isAtLineStart = true;
    this.#isComing = true;
    this.#seen = { bytes: content.reduce((sum, line) => sum + Buffer.byteLength(line, 'utf8'), 0) };
    this.#begin(async () => {
      try {
        await this.#closeWriter();
        await this.#writeWhole(content);
      } finally {
        this.#isComing = false;
      }
    });
    return true;
  }

  create(lines: Iterable<string>): boolean {
    return this.look() === 'missing' && this.replace(lines);
  }

  keepBackup(): string | undefined {
    if (!this.#storage.existsSync(this.#path)) return undefined;
    const copy = this.#freeBackupPath();
    this.#begin(async () => {
      await this.#storage.writeText(copy, await this.#storage.readText(this.#path));
    });
    return copy;
  }

  async rename(nextPath: string): Promise<void> {
    await this.settled();
    await this.#closeWriter();
    if (await this.#storage.exists(this.#path)) {
      if (await this.#storage.exists(nextPath))
        throw systemError('EEXIST', 'file already exists, rename', nextPath);
      await this.#storage.rename(this.#path, nextPath);
    }
    this.#path = nextPath;
  }

  async settled(): Promise<void> {
    await this.#chain;
  }

  async sync(): Promise<void> {
    await this.settled();
    await this.#writer?.fsync();
  }

  async close(): Promise<void> {
    await this.settled();
    await this.#closeWriter();
  }

  #begin(action: () => Promise<void>): void {
    this.#chain = this.#chain.then(action).catch(async (error: unknown) => {
      this.#onLateFailure(error);
      // A writer that failed stays so: what comes next takes another one.
      await this.#closeWriter().catch(() => {}); // the error that it failed with, which has been told
    });
  }

  async #closeWriter(): Promise<void> {
    const writer = this.#writer;
    this.#writer = undefined;
    await writer?.close();
  }

  async #writeWhole(lines: readonly string[]): Promise<void> {
    const temp = `${this.#path}.tmp`;
    try {
      const writer = this.#storage.openWriter(temp, { flags: 'w' });
      try {
        for (const line of lines) await writer.writeLine(line);
        await writer.flush();
        await writer.fsync();
      } finally {
        await writer.close();
      }
      await this.#storage.rename(temp, this.#path);
    } catch (error) {
      await this.#storage.unlink(temp).catch(() => {}); // ENOENT, or the storage is broken: the first error counts
      throw error;
    }
  }

  #freeBackupPath(): string {
    for (let number = 1; ; number += 1) {
      const copy = backupPath(this.#path, this.#now(), number);
      if (!this.#storage.existsSync(copy)) return copy;
    }
  }
}
