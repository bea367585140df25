import path from 'node:path';
import { SessiondexError } from '../errors.js';
import { migrateSessionEntries } from '../format/migrate/migrate.js';
import { isFileNameSafe, sessionFileName } from '../format/names.js';
import { CURRENT_SESSION_VERSION, type FileEntry, type SessionHeader } from '../format/types.js';
import type { Host } from '../host.js';
import type { SessionStorage } from '../storage/session-storage.js';
import { AppendPipeline, type PipelineStart } from './append-pipeline.js';
import { SessionBlobs } from './blobs.js';
import { newSessionId } from './ids.js';
import { SessionContent } from './session-content.js';
import { SessionFile } from './session-file.js';

export interface NewSessionOptions {
  /** Lineage: the parent's id or path. */
  readonly parentSession?: string;
  /** Becomes part of the file's name; a TypeError when it cannot. Random by default. */
  readonly id?: string;
}

/** Where a new session goes. */
export interface SessionTarget extends NewSessionOptions {
  readonly cwd: string;
  readonly sessionDir: string;
  readonly isPersisted: boolean;
}

export interface SessionEnvironment {
  readonly storage: SessionStorage;
  readonly host: Host;
}

/** A session in memory together with the pipeline to its file, if it has one. */
export class LiveSession {
  readonly content: SessionContent;
  readonly pipeline: AppendPipeline | undefined;
  readonly #storage: SessionStorage;
  readonly #blobs: SessionBlobs;

  /** @param start how the pipeline begins; absent for a session without a file */
  private constructor(
    content: SessionContent,
    { storage, host }: SessionEnvironment,
    start?: Pick<PipelineStart, 'file' | 'isOnDisk'> & Partial<PipelineStart>,
  ) {
    this.content = content;
    this.#storage = storage;
    this.#blobs = new SessionBlobs(host);
    if (start === undefined) return;
    const { externalize } = this.#blobs;
    this.pipeline = new AppendPipeline({ content, externalize, host, ...start });
  }

  /** A session without entries; nothing is written (F31). */
  static fresh(target: SessionTarget, environment: SessionEnvironment): LiveSession {
    return LiveSession.made([newHeader(target, environment.host)], target, environment);
  }

  /** A session made of a header and entries; nothing is written yet. */
  static made(
    entries: readonly FileEntry[],
    target: SessionTarget,
    environment: SessionEnvironment,
  ): LiveSession {
    const header = entries[0] as SessionHeader;
    const content = new SessionContent(header, undefined, entries.slice(1));
    if (!target.isPersisted) return new LiveSession(content, environment);
    const pathOf = () => path.join(target.sessionDir, sessionFileName(header.timestamp, header.id));
    const live: LiveSession = new LiveSession(content, environment, {
      file: fileAt(environment.storage, pathOf(), () => live),
      isOnDisk: false,
      nextFile: () => {
        header.timestamp = new Date(Date.parse(header.timestamp) + 1).toISOString();
        return live.fileAt(pathOf());
      },
    });
    return live;
  }

  /**
   * The session in a file (F16-F18): migrated, images resolved. Where there is none, a new one is begun and written there.
   * A file that cannot be written can still be read: what failed is latched (F34).
   */
  static async open(file: string, cwd: string, environment: SessionEnvironment): Promise<LiveSession> {
    let live: LiveSession | undefined;
    const sessionFile = fileAt(environment.storage, file, () => live);
    const loaded = await sessionFile.load();
    if (loaded?.kind !== 'session') {
      const header = newHeader({ cwd, sessionDir: '', isPersisted: true }, environment.host);
      const keepsOriginal = loaded !== undefined && loaded.bytes > 0; // F16
      const start = { file: sessionFile, isOnDisk: true, keepsOriginal };
      const begun = new LiveSession(new SessionContent(header), environment, start);
      live = begun;
      begun.pipeline?.rewrite();
      return begun;
    }
    const isMigrated = migrateSessionEntries(loaded.entries);
    const content = SessionContent.of(loaded);
    const { problems, titleSlot } = loaded;
    const start = { file: sessionFile, isOnDisk: true, problems, slotPlace: titleSlot?.place };
    const opened = new LiveSession(content, environment, start);
    live = opened;
    opened.#blobs.resolve(content.records);
    if (isMigrated) opened.#migrateFile();
    return opened;
  }

  /** What a file holds, for copying it; nothing is written. Throws SESSION_NOT_FOUND. */
  static async read(file: string, environment: SessionEnvironment): Promise<LiveSession> {
    const loaded = await fileAt(environment.storage, file, () => undefined).load();
    if (loaded?.kind !== 'session') {
      const reason = loaded === undefined ? 'there is no such file' : loaded.reason;
      throw new SessiondexError('SESSION_NOT_FOUND', `No session at ${file}: ${reason}`, {
        where: { path: file },
      });
    }
    migrateSessionEntries(loaded.entries);
    const content = SessionContent.of(loaded);
    const read = new LiveSession(content, environment);
    read.#blobs.resolve(content.records);
    return read;
  }

  /** Another place for this session. */
  fileAt(file: string): SessionFile {
    return fileAt(this.#storage, file, () => this);
  }

  get path(): string | undefined {
    return this.pipeline?.file.path;
  }

  /** Writes what is missing and lets go of the file. Throws PERSIST_FAILED when something could not be written. */
  async close(): Promise<void> {
    await this.pipeline?.close();
  }

  /** F13. A read-only place keeps nobody from reading: the failure is latched, and the first append throws it. */
  #migrateFile(): void {
    try {
      this.pipeline?.rewrite();
    } catch (error) {
      if (this.pipeline?.failure === undefined) throw error;
    }
  }

  /** `close` for a session that is left behind: its failure is in the log, and nobody waits for it. */
  letGo(): void {
    this.close().catch(() => {}); // PERSIST_FAILED, which the pipeline has reported (F34)
  }
}

function newHeader({ cwd, id, parentSession }: SessionTarget, host: Host): SessionHeader {
  if (id !== undefined && !isFileNameSafe(id))
    throw new TypeError(`id cannot be part of a file's name: ${id}`);
  return {
    type: 'session',
    version: CURRENT_SESSION_VERSION,
    id: id ?? newSessionId(host),
    timestamp: new Date(host.now()).toISOString(),
    cwd,
    ...(parentSession === undefined ? {} : { parentSession }),
  };
}

/** @param owner whom to tell of a write that failed late; asked when one does */
function fileAt(storage: SessionStorage, file: string, owner: () => LiveSession | undefined): SessionFile {
  return new SessionFile(storage, file, (error) => owner()?.pipeline?.onLateFailure(error));
}
