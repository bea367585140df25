import * as nodeFs from 'node:fs';
import path from 'node:path';
import { artifactsDirOf } from '../format/names.js';
import { type Host, processHost } from '../host.js';
import { writeFileAtomically } from './atomic-write.js';
import { copyDir, listFiles, moveDir } from './dir-tree.js';
import { readFileFrom } from './file-bytes.js';
import { FileLog, type FileLogContext } from './file-log.js';
import { moveFile } from './file-move.js';
import { FileSessionWriter } from './file-writer.js';
import { type MonotonicTime, systemTime } from './monotonic-time.js';
import { ensurePrivateDir } from './private-files.js';
import type {
  OpenWriterOptions,
  SessionLog,
  SessionStorage,
  SessionStorageStat,
  SessionStorageWriter,
  StorageSupports,
} from './session-storage.js';
import { hasCode, type StorageFs } from './storage-fs.js';
import { wholeCharacters } from './text-prefix.js';

export interface FileStorageOptions {
  /** What is called instead of `node:fs`. */
  readonly fs?: StorageFs;
  readonly host?: Pick<Host, 'now'>;
  readonly time?: MonotonicTime;
}

/** Session files on the file system: private to their owner, durable, shared with other processes. */
export class FileSessionStorage implements SessionStorage {
  readonly supports: StorageSupports = {
    durable: true,
    atomicReplace: true,
    appendCheck: true,
    syncAppend: true,
    privateFiles: true,
  };
  readonly #fs: StorageFs;
  readonly #context: FileLogContext;

  constructor({ fs = nodeFs, host = processHost, time = systemTime }: FileStorageOptions = {}) {
    this.#fs = fs;
    this.#context = { fs, time, now: () => host.now() };
  }

  ensureDirSync(dir: string): void {
    ensurePrivateDir(this.#fs, dir);
  }

  existsSync(file: string): boolean {
    return this.#fs.existsSync(file);
  }

  writeTextSync(file: string, content: string): void {
    ensurePrivateDir(this.#fs, path.dirname(file));
    writeFileAtomically(this.#fs, this.#context.time, file, content);
  }

  statSync(file: string): SessionStorageStat {
    const { size, mtimeMs, mtime } = this.#fs.statSync(file);
    return { size, mtimeMs, mtime };
  }

  listFilesSync(dir: string, pattern: string): string[] {
    return listFiles(this.#fs, dir, pattern);
  }

  async exists(file: string): Promise<boolean> {
    return this.#fs.existsSync(file);
  }

  async readText(file: string): Promise<string> {
    return await this.#fs.promises.readFile(file, 'utf8');
  }

  async readTextPrefix(file: string, maxBytes: number): Promise<string> {
    const handle = await this.#fs.promises.open(file, 'r');
    try {
      const bytes = Buffer.alloc(maxBytes);
      let length = 0;
      while (length < maxBytes) {
        const { bytesRead } = await handle.read(bytes, length, maxBytes - length, length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return wholeCharacters(bytes.subarray(0, length));
    } finally {
      await handle.close();
    }
  }

  async writeText(file: string, content: string): Promise<void> {
    this.writeTextSync(file, content);
  }

  async rename(file: string, nextFile: string): Promise<void> {
    moveFile(this.#fs, this.#context.time, file, nextFile);
  }

  async unlink(file: string): Promise<void> {
    this.#fs.unlinkSync(file);
  }

  openWriter(file: string, options: OpenWriterOptions = {}): SessionStorageWriter {
    ensurePrivateDir(this.#fs, path.dirname(file));
    return new FileSessionWriter(this.#context, file, options);
  }

  openLog(file: string): SessionLog {
    return new FileLog(this.#context, file);
  }

  readChunksSync(file: string, fromByte = 0): Iterable<Buffer> {
    return readFileFrom(this.#fs, file, fromByte);
  }

  copyDirSync(dir: string, nextDir: string): void {
    copyDir(this.#fs, dir, nextDir);
  }

  moveDirSync(dir: string, nextDir: string): void {
    moveDir(this.#fs, this.#context.time, dir, nextDir);
  }

  /** The file first: artifacts without a session are clutter, a session without its artifacts is broken. */
  async deleteSessionWithArtifacts(sessionPath: string): Promise<void> {
    const artifacts = artifactsDirOf(sessionPath);
    if (artifacts === undefined) throw new TypeError(`not the path of a session file: ${sessionPath}`);
    try {
      this.#fs.unlinkSync(sessionPath);
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
    this.#fs.rmSync(artifacts, { recursive: true, force: true });
  }
}
