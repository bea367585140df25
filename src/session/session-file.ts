import { type LoadedFile, Loader } from '../format/load.js';
import type { Problem } from '../format/problem.js';
import { FileScanner } from '../format/scan.js';
import type { FileEntry } from '../format/types.js';
import { openSessionLog } from '../storage/open-log.js';
import type { LogDrift, SessionLog, SessionStorage } from '../storage/session-storage.js';

/** What stands in a file behind what was seen of it before. */
export interface Growth {
  readonly entries: readonly FileEntry[];
  readonly problems: readonly Problem[];
  /** Where reading began: problems reported from here on are reported again. */
  readonly fromByte: number;
}

/** The log of one session with its lines parsed: reading it moves on what counts as seen. */
export class SessionFile {
  readonly log: SessionLog;
  /** What was written is in the file when the call returns; else only `settled` says when, and whether. */
  readonly isSynchronous: boolean;

  /** @param onLateFailure told of a write that the storage took and could not do after all */
  constructor(storage: SessionStorage, file: string, onLateFailure: (error: unknown) => void) {
    this.isSynchronous = storage.openLog !== undefined;
    this.log = openSessionLog(storage, file, { onLateFailure });
  }

  /** Absolute. */
  get path(): string {
    return this.log.path;
  }

  look(): LogDrift {
    return this.log.look();
  }

  /** Everything that is in the file, or undefined when there is none. */
  async load(): Promise<LoadedFile | undefined> {
    const chunks = await this.log.load();
    return chunks === undefined ? undefined : this.#parse(chunks);
  }

  /** After `look` said `replaced`. */
  readAll(): LoadedFile {
    return this.#parse(this.log.read(0));
  }

  /** After `look` said `grown`. */
  readGrowth(): Growth {
    const { bytes, tornAt } = this.log.seen ?? { bytes: 0 };
    const fromByte = tornAt ?? bytes;
    const entries: FileEntry[] = [];
    const problems: Problem[] = [];
    const scanner = new FileScanner({
      object: (value) => entries.push(value as unknown as FileEntry),
      problem: (problem) => problems.push({ ...problem, byteOffset: problem.byteOffset + fromByte }),
    });
    for (const chunk of this.log.read(fromByte)) scanner.push(chunk);
    const end = scanner.finish();
    this.#markSeen(fromByte + end.bytes, problems);
    return { entries, problems, fromByte };
  }

  #parse(chunks: Iterable<Buffer>): LoadedFile {
    const loader = new Loader();
    for (const chunk of chunks) loader.push(chunk);
    const loaded = loader.finish();
    this.#markSeen(loaded.bytes, loaded.problems);
    return loaded;
  }

  #markSeen(bytes: number, problems: readonly Problem[]): void {
    this.log.markSeen({ bytes, tornAt: problems.find(({ kind }) => kind === 'torn')?.byteOffset });
  }
}
