import path from 'node:path';
import type {
  OpenWriterOptions,
  SessionStorage,
  SessionStorageWriter,
} from '../../src/storage/session-storage.js';

/**
 * The least that a storage can be: the family's members, nothing else, and every line written a turn later. It is here
 * to test the suite, and what is made of storages that know nothing of logs.
 */
export class MinimalStorage implements SessionStorage {
  readonly #texts = new Map<string, string>();
  readonly #dirs = new Set<string>();
  /** Makes the next lines fail. */
  failure: Error | undefined;

  ensureDirSync(dir: string): void {
    this.#dirs.add(path.resolve(dir));
  }

  existsSync(file: string): boolean {
    return this.#texts.has(file) || this.#dirs.has(file);
  }

  writeTextSync(file: string, content: string): void {
    this.#texts.set(file, Buffer.from(content, 'utf8').toString('utf8'));
  }

  statSync(file: string) {
    return { size: Buffer.byteLength(this.#require(file), 'utf8'), mtimeMs: 0, mtime: new Date(0) };
  }

  listFilesSync(dir: string, pattern: string): string[] {
    const parts = pattern
      .split('*')
      .map((part) => part.replace(/[.?]/g, (c) => (c === '?' ? '[^/]' : '\\.')));
    const matcher = new RegExp(`^${parts.join('[^/]*').replace('[^/]*[^/]*/', '(?:.*/)?')}$`);
    return [...this.#texts.keys()].filter((file) => matcher.test(path.relative(dir, file))).sort();
  }

  async exists(file: string): Promise<boolean> {
    return this.existsSync(file);
  }

  async readText(file: string): Promise<string> {
    return this.#require(file);
  }

  async readTextPrefix(file: string, maxBytes: number): Promise<string> {
    let prefix = '';
    for (const character of this.#require(file)) {
      if (Buffer.byteLength(prefix + character, 'utf8') > maxBytes) break;
      prefix += character;
    }
    return prefix;
  }

  async writeText(file: string, content: string): Promise<void> {
    this.writeTextSync(file, content);
  }

  async rename(file: string, nextFile: string): Promise<void> {
    const text = this.#require(file);
    this.#texts.delete(file);
    this.#texts.set(nextFile, text);
  }

  async unlink(file: string): Promise<void> {
    this.#require(file);
    this.#texts.delete(file);
  }

  openWriter(file: string, { flags = 'a', onError }: OpenWriterOptions = {}): SessionStorageWriter {
    if (flags === 'w' || !this.#texts.has(file)) this.#texts.set(file, '');
    return new MinimalWriter((line) => this.#append(file, line), onError);
  }

  #append(file: string, line: string): void {
    if (this.failure !== undefined) throw this.failure;
    const text = this.#require(file);
    const start = text === '' || text.endsWith('\n') ? '' : '\n';
    this.#texts.set(file, text + start + Buffer.from(line, 'utf8').toString('utf8'));
  }

  #require(file: string): string {
    const text = this.#texts.get(file);
    if (text === undefined) throw Object.assign(new Error(`ENOENT: ${file}`), { code: 'ENOENT' });
    return text;
  }
}

class MinimalWriter implements SessionStorageWriter {
  readonly #append: (line: string) => void;
  readonly #onError: ((error: Error) => void) | undefined;
  #chain = Promise.resolve();
  #error: Error | undefined;
  #isClosed = false;

  constructor(append: (line: string) => void, onError: ((error: Error) => void) | undefined) {
    this.#append = append;
    this.#onError = onError;
  }

  async writeLine(line: string): Promise<void> {
    if (line.trimEnd().includes('\n') || line === '') throw new TypeError('line must be one line');
    if (this.#isClosed) throw new Error('closed');
    const result = this.#chain.then(() => {
      if (this.#error !== undefined) throw this.#error;
      try {
        this.#append(line.endsWith('\n') ? line : `${line}\n`);
      } catch (error) {
        this.#error = error as Error;
        this.#onError?.(this.#error);
        throw error;
      }
    });
    this.#chain = result.catch(() => {});
    await result;
  }

  async flush(): Promise<void> {
    await this.#chain;
    if (this.#error !== undefined && !this.#isClosed) throw this.#error;
  }

  async fsync(): Promise<void> {
    await this.flush();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#chain;
    if (this.#error !== undefined) throw this.#error;
  }

  getError(): Error | undefined {
    return this.#error;
  }
}
