import { SessiondexError } from '../errors.js';
import { MAX_LINE_BYTES } from '../format/limits.js';
import type { Place } from '../format/load.js';
import { migrateSessionEntries } from '../format/migrate/migrate.js';
import { type Externalize, toLine } from '../format/persistable.js';
import type { Problem } from '../format/problem.js';
import { losesBytesOnRewrite } from '../format/problem.js';
import { versionOf } from '../format/spellings.js';
import { type SlotTitle, slotLine } from '../format/titles.js';
import { CURRENT_SESSION_VERSION, type FileEntry, type SessionEntry } from '../format/types.js';
import type { Host } from '../host.js';
import { absorbGrowth, absorbReplacement } from './absorb.js';
import { FailureLatch } from './failure-latch.js';
import type { SessionContent } from './session-content.js';
import type { SessionFile } from './session-file.js';

/** What a pipeline starts from. */
export interface PipelineStart {
  readonly file: SessionFile;
  readonly content: SessionContent;
  readonly externalize: Externalize;
  readonly host: Host;
  /** Whether the file holds the session already. If not, it is written when there is an answer to keep (F31). */
  readonly isOnDisk: boolean;
  /** What was wrong with the file when it was read. */
  readonly problems?: readonly Problem[];
  /** Another file for the same session, when the first one's name turns out to be taken. */
  readonly nextFile?: () => SessionFile;
  /** The file holds bytes that are no session: they are kept beside it before they are replaced (F16). */
  readonly keepsOriginal?: boolean;
  readonly slotPlace?: Place | undefined;
}

/** How often a rewrite takes in what others did to the file meanwhile, and begins again. */
const MAX_REWRITES = 100;

/**
 * Takes a session's entries to its file: each as one line, in order, before `append` returns (F31-F36).
 *
 * An entry is in memory first. What could not be written stays in line: the error is thrown, logged once and thrown again
 * by what comes later (F34), and each later append and flush tries to write everything that is missing.
 */
export class AppendPipeline {
  readonly content: SessionContent;
  readonly #externalize: Externalize;
  readonly #latch: FailureLatch;
  readonly #nextFile: (() => SessionFile) | undefined;
  readonly #lineOf = (record: FileEntry) => toLine(record, this.#externalize);
  #file: SessionFile;
  #isOnDisk: boolean;
  /** In memory and not in the file, in order; they are the last of the content's records. */
  #unwritten: SessionEntry[] = [];
  #needsRewrite = false;
  /** A rewrite would drop bytes that are nowhere else (F15). */
  #needsBackup: boolean;
  #lateFailures = 0;
  #problems: readonly Problem[];
  /** Where the title slot stands in the file, if it has one. */
  #slotPlace: Place | undefined;
  /** While a file is on its way to another place, entries wait. */
  #isHeld = false;

  constructor(start: PipelineStart) {
    this.content = start.content;
    this.#file = start.file;
    this.#externalize = start.externalize;
    this.#latch = new FailureLatch(start.host, () => this.#file.path);
    this.#nextFile = start.nextFile;
    this.#isOnDisk = start.isOnDisk;
    this.#problems = start.problems ?? [];
    this.#needsBackup = start.keepsOriginal === true || this.#problems.some(losesBytesOnRewrite);
    this.#slotPlace = start.slotPlace;
  }

  get file(): SessionFile {
    return this.#file;
  }

  get isOnDisk(): boolean {
    return this.#isOnDisk;
  }

  /** What was wrong with the file as far as it was read. */
  get problems(): readonly Problem[] {
    return this.#problems;
  }

  /** The first error since everything was last written, or undefined. */
  get failure(): SessiondexError | undefined {
    return this.#latch.failure;
  }

  /**
   * F19, F31. Throws PERSIST_FAILED when the entry could not be written; it is in memory all the same. A `TypeError`
   * (what JSON cannot hold) or FORMAT_TOO_NEW leaves everything as it was.
   */
  append(entry: SessionEntry): void {
    this.requireWritable();
    const line = this.#prepare(entry);
    const seen = this.#isOnDisk ? this.#attempt(() => this.#absorb()) : undefined;
    this.content.append(entry);
    if (this.#isOnDisk) this.#unwritten.push(entry);
    else if (!this.#hasAnswer(entry)) return;
    if (this.#isHeld) return;
    const written = seen ?? this.#attempt(() => this.#write(line));
    if (written !== undefined) throw written;
  }

  /** Writes what is missing, and the whole session if it was never written. Throws PERSIST_FAILED. */
  writeNow(): void {
    this.requireWritable();
    const error = this.#attempt(() => {
      if (this.#isOnDisk) this.#absorb();
      this.#write();
    });
    if (error !== undefined) throw error;
  }

  /** Writes what is missing, if the session is on disk or should be, and has the disk keep it (F32). */
  async flush(): Promise<void> {
    const { log } = this.#file;
    await log.settled();
    const failures = this.#lateFailures;
    if (this.#needsRewrite || this.#unwritten.length > 0 || this.#latch.failure !== undefined)
      this.writeNow();
    await log.settled();
    if (this.#lateFailures === failures) this.#endLatch();
    if (this.#latch.failure !== undefined) throw this.#latch.failure;
    if (!this.#isOnDisk) return;
    try {
      await log.sync();
    } catch (error) {
      this.#needsRewrite = true; // nothing says which lines the disk has: only a new file makes sure of them
      throw this.#latch.fail(error);
    }
  }

  /** Writes what is missing and lets go of the file, whatever happens; the first error is thrown afterwards. */
  async close(): Promise<void> {
    const errors: unknown[] = [];
    await this.flush().catch((error: unknown) => errors.push(error));
    await this.#file.log.close().catch((error: unknown) => errors.push(this.#latch.fail(error)));
    if (errors.length > 0) throw errors[0];
  }

  /** Takes in what others wrote (F35). Throws PERSIST_FAILED when the file cannot be read. */
  absorb(): void {
    if (!this.#isOnDisk) return;
    const error = this.#attempt(() => this.#absorb());
    if (error !== undefined) throw error;
  }

  /**
   * The whole file anew (F33), with whatever `change` does to what is in memory. Others' entries are taken in before.
   * Throws PERSIST_FAILED; the change stays in memory and is written with the next append or flush.
   */
  rewrite(change: () => void = () => {}): void {
    this.requireWritable();
    const error = this.#attempt(() => {
      if (this.#isOnDisk) this.#absorb();
    });
    change();
    this.#needsRewrite = true;
    const written = error ?? this.#attempt(() => this.#write());
    if (written !== undefined) throw written;
  }

  /**
   * Writes a new title over the slot's own bytes. False when that cannot be done: then a rewrite is due, which says what
   * is wrong.
   */
  overwriteSlot(next: SlotTitle): boolean {
    let isDone = false;
    this.#attempt(() => {
      this.#absorb();
      const { slot } = this.content;
      const place = this.#slotPlace;
      if (slot === undefined || place === undefined || this.#needsRewrite) return;
      const line = slotLine(slot, next, place.byteLength + 1);
      if (line === undefined || !this.#file.log.overwrite(place.byteOffset, line)) return;
      Object.assign(slot, JSON.parse(line));
      isDone = true;
    });
    return isDone;
  }

  /** Entries wait in memory: the session's file is on its way to another place. */
  hold(): void {
    this.#isHeld = true;
  }

  /** What waited is written by the next append, rewrite or flush. */
  release(): void {
    this.#isHeld = false;
  }

  /** The storage took a write and could not do it after all. */
  onLateFailure(error: unknown): void {
    this.#latch.fail(error);
    this.#lateFailures += 1;
    this.#needsRewrite = true;
  }

  /** F13: a version above ours is read and never written. */
  requireWritable(): void {
    const version = versionOf(this.content.header);
    if (version <= CURRENT_SESSION_VERSION) return;
    throw new SessiondexError(
      'FORMAT_TOO_NEW',
      `The session has format version ${version}; this program writes version ${CURRENT_SESSION_VERSION}`,
      {
        where: { path: this.#file.path },
        hint: 'Update the program, or fork the session with the one that wrote it.',
      },
    );
  }

  #hasAnswer(latest: SessionEntry): boolean {
    return isAnswer(latest) || this.content.tree.entries.some(isAnswer);
  }

  #absorb(): void {
    if (this.#isHeld) return;
    switch (this.#file.look()) {
      case 'same':
        return;
      case 'missing':
        this.#needsRewrite = true;
        this.#needsBackup = false;
        return;
      case 'grown': {
        const { entries, problems, fromByte } = this.#file.readGrowth();
        this.#problems = this.#problems.filter(({ byteOffset }) => byteOffset < fromByte);
        this.#note(problems);
        this.#unwritten = absorbGrowth(this.content, entries, this.#unwritten, this.#lineOf);
        return;
      }
      case 'replaced':
        this.#absorbReplacement();
    }
  }

  #absorbReplacement(): void {
    const loaded = this.#file.readAll();
    this.#problems = [];
    this.#note(loaded.problems);
    if (loaded.kind !== 'session') {
      this.#needsBackup = loaded.bytes > 0;
      this.#needsRewrite = true;
      return;
    }
    migrateSessionEntries(loaded.entries);
    Object.assign(this.content.header, loaded.entries[0]);
    if (this.content.slot && loaded.titleSlot) Object.assign(this.content.slot, loaded.titleSlot.value);
    this.#slotPlace = this.content.slot && loaded.titleSlot?.place;
    this.#unwritten = absorbReplacement(this.content, loaded.entries.slice(1), this.#lineOf);
  }

  #note(problems: readonly Problem[]): void {
    if (problems.length === 0) return;
    this.#problems = [...this.#problems, ...problems];
    this.#needsBackup ||= problems.some(losesBytesOnRewrite);
  }

  /** The entry's line, made once, before anything has changed: a value that JSON cannot hold throws here. */
  #prepare(entry: SessionEntry): string | undefined {
    let line: string;
    try {
      line = this.#lineOf(entry);
    } catch (error) {
      if (error instanceof TypeError || error instanceof RangeError) throw error;
      return undefined; // an image could not be stored: the entry is kept, and writing it will say so again
    }
    if (line.length > MAX_LINE_BYTES / 3 && Buffer.byteLength(line, 'utf8') > MAX_LINE_BYTES)
      throw new RangeError(`entry must be at most ${MAX_LINE_BYTES} bytes long as a line`);
    return line;
  }

  /** @param lastLine the line of the last entry, when it is at hand */
  #write(lastLine?: string): void {
    if (!this.#isOnDisk) this.#createFile();
    else if (this.#needsRewrite) this.#replaceFile();
    else this.#appendLines(lastLine);
  }

  #appendLines(lastLine: string | undefined): void {
    const entries = this.#unwritten;
    let done = 0;
    try {
      for (; done < entries.length; done += 1) {
        const line = done === entries.length - 1 ? lastLine : undefined;
        this.#file.log.append(line ?? this.#lineOf(entries[done] as SessionEntry));
      }
    } catch (error) {
      if (!isMissing(error)) throw error;
      this.#replaceFile(); // deleted since it was last looked at
      done = 0;
    } finally {
      entries.splice(0, done);
    }
  }

  #createFile(): void {
    while (!this.#file.log.create(this.#lines())) {
      // Another session has this very name, or somebody has put a file where we are told to write.
      if (this.#nextFile === undefined) {
        this.#isOnDisk = true;
        this.#absorb();
        this.#write();
        return;
      }
      this.#file = this.#nextFile();
    }
    this.#onWritten();
  }

  #replaceFile(): void {
    for (let tries = 1; ; tries += 1) {
      if (this.#needsBackup) this.#file.log.keepBackup();
      this.#needsBackup = false;
      if (this.#file.log.replace(this.#lines())) break;
      if (tries === MAX_REWRITES) throw new Error(`another program keeps replacing ${this.#file.path}`);
      this.#absorb();
    }
    this.#onWritten();
  }

  #onWritten(): void {
    this.#isOnDisk = true;
    this.#needsRewrite = false;
    this.#unwritten = [];
    const { slot } = this.content;
    this.#slotPlace =
      slot === undefined
        ? undefined
        : { byteOffset: 0, byteLength: Buffer.byteLength(JSON.stringify(slot), 'utf8') };
  }

  *#lines(): Generator<string> {
    for (const record of this.content.all()) yield this.#lineOf(record as FileEntry);
  }

  /** Runs it; an error is latched and given back, and the first of them at that. Success ends the latch. */
  #attempt(action: () => void): SessiondexError | undefined {
    try {
      action();
    } catch (error) {
      return this.#latch.fail(error);
    }
    if (this.#file.isSynchronous) this.#endLatch();
    return undefined;
  }

  #endLatch(): void {
    if (!this.#needsRewrite && this.#unwritten.length === 0) this.#latch.open();
  }
}

/** F31: an assistant's message. */
function isAnswer(entry: SessionEntry): boolean {
  const message: unknown = entry.type === 'message' ? entry.message : undefined;
  return typeof message === 'object' && message !== null && 'role' in message && message.role === 'assistant';
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
