import path from 'node:path';
import { artifactsDirOf } from '../format/names.js';
import { type Host, processHost } from '../host.js';
import { globPattern } from './glob.js';
import { terminated } from './line-append.js';
import { MemoryFiles } from './memory-files.js';
import { MemoryLog } from './memory-log.js';
import type {
  OpenWriterOptions,
  SessionLog,
  SessionStorage,
  SessionStorageStat,
  SessionStorageWriter,
  StorageSupports,
} from './session-storage.js';
import { hasCode, systemError } from './storage-fs.js';
import { wholeCharacters } from './text-prefix.js';
import { WriterState } from './writer-state.js';

/** Session files that end with the storage: for sessions that are not kept (F30) and for tests. */
export class MemorySessionStorage implements SessionStorage {
  readonly supports: StorageSupports = {
    durable: false,
    atomicReplace: true,
    appendCheck: true,
    syncAppend: true,
    privateFiles: true,
  };
  readonly #files: MemoryFiles;

  constructor({ host = processHost }: { readonly host?: Pick<Host, 'now'> } = {}) {
    this.#files = new MemoryFiles(() => host.now());
  }

  ensureDirSync(dir: string): void {
    this.#files.makeDir(dir);
  }

  existsSync(file: string): boolean {
    return this.#files.get(file) !== undefined || this.#files.hasDir(file);
  }

  writeTextSync(file: string, content: string): void {
    this.#files.put(file, Buffer.from(content, 'utf8'));
  }

  statSync(file: string): SessionStorageStat {
    const { size, mtimeMs } = this.#files.require(file);
    return { size, mtimeMs, mtime: new Date(mtimeMs) };
  }

  listFilesSync(dir: string, pattern: string): string[] {
    const matcher = globPattern(pattern);
    const isMatch = (file: string) => matcher.test(path.relative(dir, file).replaceAll(path.sep, '/'));
    return this.#files.below(dir).filter(isMatch).sort();
  }

  async exists(file: string): Promise<boolean> {
    return this.existsSync(file);
  }

  async readText(file: string): Promise<string> {
    return this.#files.require(file).bytes.toString('utf8');
  }

  async readTextPrefix(file: string, maxBytes: number): Promise<string> {
    return wholeCharacters(this.#files.require(file).bytes.subarray(0, maxBytes));
  }

  async writeText(file: string, content: string): Promise<void> {
    this.writeTextSync(file, content);
  }

  async rename(file: string, nextFile: string): Promise<void> {
    this.#files.move(file, nextFile);
  }

  async unlink(file: string): Promise<void> {
    this.#files.remove(file);
  }

  openWriter(file: string, { flags = 'a', onError }: OpenWriterOptions = {}): SessionStorageWriter {
    const found = this.#files.get(file) ?? this.#files.put(file, Buffer.alloc(0));
    if (flags === 'w') found.empty(this.#files.now());
    return new MemoryWriter(new MemoryLog(this.#files, file), onError);
  }

  openLog(file: string): SessionLog {
    return new MemoryLog(this.#files, file);
  }

  readChunksSync(file: string, fromByte = 0): Iterable<Buffer> {
    return new MemoryLog(this.#files, file).read(fromByte);
  }

  copyDirSync(dir: string, nextDir: string): void {
    if (!this.#files.hasDir(dir)) return;
    this.#files.makeDir(nextDir);
    for (const file of this.#files.below(dir)) {
      const copy = path.join(nextDir, path.relative(dir, file));
      if (this.#files.get(copy) === undefined) this.#files.put(copy, this.#files.require(file).bytes);
    }
  }

  moveDirSync(dir: string, nextDir: string): void {
    if (!this.#files.hasDir(dir)) return;
    if (this.existsSync(nextDir)) throw systemError('EEXIST', 'file already exists, rename', nextDir);
    this.#files.makeDir(nextDir);
    for (const file of this.#files.below(dir))
      this.#files.move(file, path.join(nextDir, path.relative(dir, file)));
    this.#files.removeDir(dir);
  }

  async deleteSessionWithArtifacts(sessionPath: string): Promise<void> {
    const artifacts = artifactsDirOf(sessionPath);
    if (artifacts === undefined) throw new TypeError(`not the path of a session file: ${sessionPath}`);
    try {
      this.#files.remove(sessionPath);
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
    this.#files.removeDir(artifacts);
  }
}

class MemoryWriter implements SessionStorageWriter {
  readonly #log: MemoryLog;
  readonly #state: WriterState;

  constructor(log: MemoryLog, onError: OpenWriterOptions['onError']) {
    this.#log = log;
    this.#state = new WriterState(log.path, onError);
  }

  async writeLine(line: string): Promise<void> {
    const whole = terminated(line);
    await this.#state.now(() => this.#log.append(whole));
  }

  async flush(): Promise<void> {
    await this.#state.next(async () => {});
  }

  async fsync(): Promise<void> {
    await this.flush();
  }

  async close(): Promise<void> {
    await this.#state.close(async () => {});
  }

  getError(): Error | undefined {
    return this.#state.error;
  }
}
