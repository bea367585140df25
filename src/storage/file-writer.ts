import { FileLog, type FileLogContext } from './file-log.js';
import { terminated } from './line-append.js';
import { FILE_MODE } from './private-files.js';
import type { OpenWriterOptions, SessionStorageWriter } from './session-storage.js';
import { WriterState } from './writer-state.js';

/**
 * Writes lines to the end of one file, one system call a line: a line has been handed to the system when the call of
 * `writeLine` returns.
 */
export class FileSessionWriter implements SessionStorageWriter {
  readonly #log: FileLog;
  readonly #state: WriterState;

  /** Makes the file, or empties it for `w`; its folder exists. Throws what the file system says. */
  constructor(context: FileLogContext, path: string, { flags = 'a', onError }: OpenWriterOptions) {
    const { fs } = context;
    fs.closeSync(fs.openSync(path, flags, FILE_MODE));
    this.#log = new FileLog(context, path);
    this.#state = new WriterState(path, onError);
  }

  async writeLine(line: string): Promise<void> {
    const whole = terminated(line);
    await this.#state.now(() => this.#log.append(whole));
  }

  async flush(): Promise<void> {
    await this.#state.next(async () => {});
  }

  async fsync(): Promise<void> {
    await this.#state.next(() => this.#log.sync());
  }

  async close(): Promise<void> {
    await this.#state.close(() => this.#log.close());
  }

  getError(): Error | undefined {
    return this.#state.error;
  }
}
