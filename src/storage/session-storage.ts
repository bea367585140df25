import type { WithCatalog } from './catalog.js';

/** What `statSync` tells of a file. */
export interface SessionStorageStat {
  /** Bytes. */
  readonly size: number;
  /** Unix ms. */
  readonly mtimeMs: number;
  readonly mtime: Date;
}

export interface OpenWriterOptions {
  /** `a` (the default) appends, `w` empties the file first. Either makes the file if there is none. */
  readonly flags?: 'a' | 'w';
  /** Told of the writer's first error, once. */
  readonly onError?: (error: Error) => void;
}

export interface OpenLogOptions {
  /**
   * Told of a write that an asynchronous storage accepted and could not do after all. Storages that write before they
   * return never call it.
   */
  readonly onLateFailure?: (error: unknown) => void;
}

/**
 * What a storage promises. The conformance suite runs the parts that apply; absent means no to everything.
 */
export interface StorageSupports {
  /** What was written outlives the process. */
  readonly durable: boolean;
  /** `openLog` is there, and a log's `replace` leaves the complete old or the complete new file at every instant. */
  readonly atomicReplace: boolean;
  /** A log notices what other writers did to its file. */
  readonly appendCheck: boolean;
  /** A line is in the file when `append`, or the call of `writeLine`, returns; not only when its promise resolves. */
  readonly syncAppend: boolean;
  /** New files are readable by their owner alone. */
  readonly privateFiles: boolean;
}

/**
 * Where session files are (FORMAT section 10). Paths are absolute. Errors are those of the file system, with its `code`
 * (`ENOENT` for what is not there), whatever the storage is made of.
 *
 * The required members are those of the family. The optional ones carry the guarantees beyond them; callers reach a log
 * through `openSessionLog` (open-log.ts), which makes do with the required ones where a storage has no `openLog`.
 */
export interface SessionStorage extends WithCatalog {
  readonly supports?: StorageSupports;

  /** Makes the folder and those above it. */
  ensureDirSync(dir: string): void;
  existsSync(path: string): boolean;
  /** The whole file at once, its folders included. Atomic where `supports.atomicReplace`. */
  writeTextSync(path: string, content: string): void;
  statSync(path: string): SessionStorageStat;
  /**
   * The files of a folder whose path below it matches a glob (`*`, `?`, `**`), as absolute paths in code unit order.
   * `[]` when there is no such folder.
   */
  listFilesSync(dir: string, pattern: string): string[];

  exists(path: string): Promise<boolean>;
  readText(path: string): Promise<string>;
  /** The first `maxBytes` bytes at most, never half a character. */
  readTextPrefix(path: string, maxBytes: number): Promise<string>;
  /** As `writeTextSync`. */
  writeText(path: string, content: string): Promise<void>;
  /** Moves a file, replacing what has the new name; makes the new folder if needed. */
  rename(path: string, nextPath: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Makes the folder if needed. Throws at once when the file cannot be opened. */
  openWriter(path: string, options?: OpenWriterOptions): SessionStorageWriter;

  /** The file of a living session. Opens nothing yet: the file need not exist. */
  openLog?(path: string, options?: OpenLogOptions): SessionLog;
  /** A file's bytes from an offset to its end, in pieces. A piece is valid until the next one is asked for. */
  readChunksSync?(path: string, fromByte?: number): Iterable<Buffer>;
  /** Copies a folder with everything in it. Nothing happens when there is none; files that exist are kept. */
  copyDirSync?(dir: string, nextDir: string): void;
  /** Moves a folder with everything in it. Nothing happens when there is none; EEXIST when something has the name. */
  moveDirSync?(dir: string, nextDir: string): void;
  /** Removes a session file and the folder of its artifacts. Either may be missing. */
  deleteSessionWithArtifacts?(sessionPath: string): Promise<void>;
}

/**
 * Writes lines to one file, in the order of the calls (F32).
 *
 * | state | `writeLine` | `flush` | `fsync` | `close` | `getError` |
 * |---|---|---|---|---|---|
 * | open, flushed | writes | waits | waits, then syncs | closes | undefined |
 * | failed | rejects with the first error | rejects with it | rejects with it | closes, then rejects with it | the first error |
 * | closed | rejects | resolves | resolves | resolves | as before |
 *
 * A line is written whole or not at all: after a failure the file ends at a line boundary, unless not even that can be
 * had (then the next writer starts on a new line). A file that vanished under the writer is an error, not a new file; in
 * one that was replaced it goes on.
 */
export interface SessionStorageWriter {
  /** @param line one line of JSON; its `\n` is added when missing. A `TypeError` when there is another `\n` in it. */
  writeLine(line: string): Promise<void>;
  /** Resolves when everything has been handed to the storage. */
  flush(): Promise<void>;
  /** As `flush`, and the device has it. */
  fsync(): Promise<void>;
  close(): Promise<void>;
  getError(): Error | undefined;
}

/**
 * How a file stands to what was last seen of it.
 *
 * - `same`: nobody else wrote.
 * - `grown`: bytes stand behind those that were seen.
 * - `replaced`: another file has its place, or it is shorter than what was seen, or nothing has been seen of it yet.
 * - `missing`: there is no file.
 */
export type LogDrift = 'same' | 'grown' | 'replaced' | 'missing';

/** How much of a file is known to whoever holds its log. */
export interface SeenPosition {
  /** Bytes from the file's start. */
  readonly bytes: number;
  /** Where an unterminated last line starts that does not parse (F9): another process may be about to finish it. */
  readonly tornAt?: number | undefined;
}

/**
 * The file of a living session, shared with any number of other processes (F9, F32-F35).
 *
 * The order of operations: `load` (or `look`, then `read`), parse, `markSeen`; then, before each change, `look` and read
 * what is new; then the change. A log that has seen nothing may only `create`, `load` or `read`.
 *
 * Every method but `load`, `rename`, `settled`, `sync` and `close` has done its work when it returns: what it wrote has been handed
 * to the operating system and survives the end of the process. Nothing is latched here: after an error each method may
 * be called again, and does what it can.
 */
export interface SessionLog {
  /** Absolute. Changes with `rename`. */
  readonly path: string;

  /**
   * Everything that is in the file, or undefined when there is none. Read it to its end, then call `markSeen`. Changes
   * nothing on disk.
   */
  load(): Promise<Iterable<Buffer> | undefined>;

  /** Compares the file, as it is now, with what was seen. */
  look(): LogDrift;

  /**
   * The bytes from an offset to the end of the file as it is now, in pieces that are valid until the next one is asked
   * for. After `grown` read from `seen.bytes` (or from `seen.tornAt`, where that is set), after `replaced` from 0; then
   * call `markSeen`. Throws ENOENT when there is no file. Not for logs over a storage without `openLog`: those only ever
   * answer `same` and `missing`.
   */
  read(fromByte: number): Iterable<Buffer>;

  /** What memory stands for from now on: the file that was last read, up to there. */
  markSeen(seen: SeenPosition): void;

  /**
   * What was seen last; undefined before the first time and after `replaced`. Moves on with `append`, `replace` and
   * `create`.
   */
  readonly seen: SeenPosition | undefined;

  /**
   * Adds one line at the file's end and on a line of its own (F9). Looks at the file before, unless `look` has just been
   * called (no more than 2 ms ago, and no other append since). `seen` moves behind it, unless another process wrote
   * at the same moment: then the next `look` says `grown`, with `seen` back where it was last certain, so that the last
   * lines of this log are among what is read.
   *
   * Throws when it could not: the line is not in the file then, which ends at a line boundary. Only where not even the
   * clean-up succeeds does half a line stay, and the next append starts on a new line. Throws ENOENT when the file is
   * gone, and does not make it again: that takes `replace`. When the file was replaced since the last `look`, the line
   * goes to the new one and the next `look` says `replaced`.
   *
   * @param line one line of JSON, ending in its only `\n`
   */
  append(line: string): void;

  /**
   * Writes a line over one of the same width in bytes, in place. Gives false, and does nothing, when the file is another
   * than the one seen or no line of just this width is there: `look` again.
   */
  overwrite(byteOffset: number, line: string): boolean;

  /**
   * Puts a new file in the place of the one that was seen, atomically (F33): at every instant the complete old or the
   * complete new one is there, with the old one's permissions. What others appended behind `seen` is copied behind the
   * lines (F35), and the next `look` says `grown`; otherwise `same`. Also where the file is missing.
   *
   * Gives false, and changes nothing, when the file is neither the one seen nor missing: `look`, take in what it holds,
   * and call again with lines that hold it. Throws after any failure, with the old file intact and no temporary file
   * left. `lines` is read once.
   */
  replace(lines: Iterable<string>): boolean;

  /** As `replace` where there is no file; false, and nothing done, when there is one. */
  create(lines: Iterable<string>): boolean;

  /**
   * Copies the bytes as they are to a new file beside it, `<name>.bak-<timestamp>` (F15), and has the device keep them.
   *
   * @returns the copy's path; undefined when there is no file
   */
  keepBackup(): string | undefined;

  /**
   * Moves the file to another name, in another folder too, which is made; the log goes on there and knows what it knew.
   * Rejects with EEXIST, and changes nothing, when something has that name. Without a file only `path` changes.
   */
  rename(nextPath: string): Promise<void>;

  /** When nothing that was accepted is under way any more. Never rejects. */
  settled(): Promise<void>;

  /**
   * F32: the device has all that was written. Rejects when it may not: then nothing says which of the lines since the
   * last time it has, and only a `replace` makes sure of them.
   */
  sync(): Promise<void>;

  /** Lets go of the file, as best it can, and rejects with the first error in doing so. The log may be used again. */
  close(): Promise<void>;
}
