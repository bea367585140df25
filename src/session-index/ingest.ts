import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Database } from 'better-sqlite3';
import { ContentReader } from '../format/content.js';
import { isObject, type JsonObject, nonEmptyString, type TypedObject } from '../format/json.js';
import { V1Chain } from '../format/migrate/v1-to-v2.js';
import { roleInV3 } from '../format/migrate/v2-to-v3.js';
import type { Problem } from '../format/problem.js';
import { type FileKind, Recogniser } from '../format/recognise.js';
import { FileScanner } from '../format/scan.js';
import { entryIdOf, parentIdOf, timestampMs, versionOf } from '../format/spellings.js';
import type { SessionHeader, TitleSlot } from '../format/types.js';
import { usageOf } from '../format/usage.js';
import type { IndexedEntry } from './facets/facet.js';
import { FacetSet } from './facets/registry.js';
import { FileTreeBuilder } from './file-tree.js';
import { MAX_SEQ, rowKey } from './keys.js';
import { RowInserter } from './row-inserter.js';
import { files, problems } from './schema.js';
import type { SearchWriter } from './search-writer.js';
import { hasUnreachableName, stampOf, UNREACHABLE_STAMP } from './stamp.js';

/** Bytes read at a time. */
const CHUNK_BYTES = 1024 * 1024;

/** Problems of one file that are kept one by one; all are counted. */
export const MAX_STORED_PROBLEMS = 1000;

/** A file to be read into the index. */
export interface IngestTask {
  readonly fileId: number;
  /** Absolute. */
  readonly path: string;
}

/**
 * Entries that are held back until one of them has a session's shape: of a file that only begins like a session nothing
 * is written then. A longer run of others is written, and removed again if it ends so: removing text is slow.
 */
const MAX_HELD_BACK = 1000;

/** What became of a file. */
export interface IngestOutcome {
  readonly path: string;
  readonly status: 'session' | 'not-a-session' | 'unreadable';
  /** Why it is no session; empty when it is one. */
  readonly reason: string;
  readonly entries: number;
  readonly bytes: number;
}

/**
 * Reads session files into a database of rows and a shard of text: the one way in which anything reaches the index, for
 * full builds and single changes alike. The caller holds the transactions.
 */
export class Ingest {
  readonly #shardId: number;
  readonly #search: SearchWriter;
  readonly #facets: FacetSet;
  readonly #files: RowInserter<typeof files.$inferInsert>;
  readonly #problems: RowInserter<typeof problems.$inferInsert>;
  readonly #chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  readonly #forgetRows: (fileId: number) => void;

  constructor(rows: Database, search: SearchWriter, shardId: number) {
    this.#shardId = shardId;
    this.#search = search;
    this.#facets = new FacetSet(rows, search);
    this.#files = new RowInserter(rows, files);
    this.#problems = new RowInserter(rows, problems);
    this.#forgetRows = this.#facets.forgetter(rows);
  }

  /** @param onBytes told of bytes as they are read */
  file(task: IngestTask, onBytes?: (bytes: number) => void): IngestOutcome {
    let fd: number;
    try {
      fd = openSync(task.path, 'r');
    } catch (error) {
      return this.#unreadable(task, error);
    }
    try {
      return this.#readOpen(task, fd, onBytes);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      this.#forget(task.fileId);
      return this.#unreadable(task, error);
    } finally {
      closeSync(fd);
    }
  }

  flush(): void {
    this.#files.flush();
    this.#problems.flush();
    this.#facets.flush();
  }

  #readOpen(task: IngestTask, fd: number, onBytes?: (bytes: number) => void): IngestOutcome {
    // The stamp is of the open file and exactly so many bytes are read: what is added meanwhile changes the stamp.
    const stats = fstatSync(fd, { bigint: true });
    const size = Number(stats.size);
    const fold = new FileFold(task.fileId, this.#facets);
    let checksum = 0;
    let at = 0;
    while (at < size && !fold.isRefused) {
      const length = readSync(fd, this.#chunk, 0, Math.min(CHUNK_BYTES, size - at), at);
      if (length === 0) break;
      const chunk = this.#chunk.subarray(0, length);
      checksum = crc32(chunk, checksum);
      fold.push(chunk);
      at += length;
      onBytes?.(length);
    }
    const result = fold.finish();
    if (result.kind !== 'session' && result.hasRows) this.#forget(task.fileId);
    result.problems.forEach((problem, n) => {
      this.#problems.add({ id: rowKey(task.fileId, n), ...problem });
    });
    const status = result.kind === 'session' ? 'session' : 'not-a-session';
    this.#files.add({
      id: task.fileId,
      path: task.path,
      stamp: stampOf(stats),
      sizeBytes: size,
      mtimeMs: Number(stats.mtimeMs),
      indexedBytes: at,
      checksum,
      status,
      kind: result.kind,
      reason: result.reason,
      lineCount: result.lines,
      problemCount: result.problemCount,
      shardId: this.#shardId,
    });
    return { path: task.path, status, reason: result.reason, entries: result.entries, bytes: at };
  }

  #unreadable(task: IngestTask, error: unknown): IngestOutcome {
    if (!isSystemError(error)) throw error;
    const isUnreachable = error.code === 'ENOENT' && hasUnreachableName(task.path);
    const reason = isUnreachable
      ? 'cannot be read: its name is not UTF-8; rename it'
      : `cannot be read: ${error.message}`;
    this.#files.add({
      id: task.fileId,
      path: task.path,
      stamp: stampOfUnreadable(task.path, error),
      sizeBytes: 0,
      mtimeMs: 0,
      indexedBytes: 0,
      checksum: 0,
      status: 'unreadable',
      kind: error.code ?? 'EIO',
      reason,
      lineCount: 0,
      problemCount: 0,
      shardId: this.#shardId,
    });
    return { path: task.path, status: 'unreadable', reason, entries: 0, bytes: 0 };
  }

  #forget(fileId: number): void {
    this.#facets.flush();
    this.#forgetRows(fileId);
    this.#search.forget(fileId);
  }
}

/**
 * A file without permission is not tried again until it changes, which a change of its permissions does; any other
 * failure may pass by itself.
 */
function stampOfUnreadable(path: string, error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT' && hasUnreachableName(path)) return UNREACHABLE_STAMP;
  if (error.code !== 'EACCES' && error.code !== 'EPERM') return '';
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats ? stampOf(stats) : '';
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';
}

interface FoldResult {
  readonly kind: string;
  /** Rows of it are written, or about to be: a look-alike is known as such only at its end. */
  readonly hasRows: boolean;
  readonly reason: string;
  readonly entries: number;
  readonly lines: number;
  readonly problems: readonly Problem[];
  readonly problemCount: number;
}

/** Folds one file's objects into the facets. */
class FileFold {
  readonly #fileId: number;
  readonly #facets: FacetSet;
  readonly #recogniser = new Recogniser();
  readonly #content = new ContentReader();
  readonly #tree = new FileTreeBuilder();
  readonly #problems: Problem[] = [];
  #problemCount = 0;
  #hasContent = false;
  #chain: V1Chain | undefined;
  #headerPlace: [byteOffset: number, byteLength: number] | undefined;
  #nextSeq = 0;
  #heldBack: [value: TypedObject, byteOffset: number, byteLength: number][] | undefined = [];
  #isOverfull = false;
  /** The file is no session: nothing more of it needs to be read. */
  isRefused = false;
  readonly #scanner = new FileScanner({
    object: (value, byteOffset, byteLength) => this.#onObject(value, byteOffset, byteLength),
    problem: (problem) => this.#onProblem(problem),
  });

  constructor(fileId: number, facets: FacetSet) {
    this.#fileId = fileId;
    this.#facets = facets;
    facets.begin(fileId);
  }

  push(chunk: Buffer): void {
    this.#scanner.push(chunk);
  }

  finish(): FoldResult {
    const end = this.#scanner.finish();
    const recognised = this.#recogniser.kind(this.#hasContent);
    if (recognised === 'session' && this.#heldBack) this.#writeHeldBack();
    const kind = this.#isOverfull ? 'too-many-entries' : recognised;
    if (kind === 'session') this.#facets.finish(this.#tree.resolve());
    return {
      kind,
      hasRows: this.#nextSeq > 0,
      reason: this.#reason(recognised),
      entries: kind === 'session' ? this.#nextSeq - 1 : 0,
      lines: end.lines,
      problems: this.#problems,
      problemCount: this.#problemCount,
    };
  }

  #reason(kind: FileKind): string {
    if (this.#isOverfull) return `more than ${MAX_SEQ} entries`;
    return kind === 'session' ? '' : this.#recogniser.reason(kind);
  }

  #onProblem(problem: Problem): void {
    if (this.isRefused) return;
    this.#problemCount += 1;
    if (problem.kind !== 'blank-lines' && problem.kind !== 'byte-order-mark') this.#hasContent = true;
    if (this.#problems.length < MAX_STORED_PROBLEMS) this.#problems.push(problem);
  }

  #onObject(value: TypedObject, byteOffset: number, byteLength: number): void {
    if (this.isRefused) return;
    const what = this.#recogniser.offer(value);
    if (what === 'refused') this.isRefused = true;
    else if (what === 'header') this.#headerPlace = [byteOffset, byteLength];
    else if (what === 'entry') this.#holdBack(value, byteOffset, byteLength);
  }

  #holdBack(value: TypedObject, byteOffset: number, byteLength: number): void {
    if (!this.#heldBack) {
      this.#onEntry(value, byteOffset, byteLength);
      return;
    }
    this.#heldBack.push([value, byteOffset, byteLength]);
    if (this.#recogniser.hasShape || this.#heldBack.length > MAX_HELD_BACK) this.#writeHeldBack();
  }

  #writeHeldBack(): void {
    const { header, titleSlot } = this.#recogniser;
    const entries = this.#heldBack ?? [];
    this.#heldBack = undefined;
    if (header && this.#headerPlace) this.#onHeader(header, titleSlot, ...this.#headerPlace);
    for (const [value, byteOffset, byteLength] of entries) this.#onEntry(value, byteOffset, byteLength);
  }

  #onHeader(
    header: SessionHeader,
    titleSlot: TitleSlot | undefined,
    byteOffset: number,
    byteLength: number,
  ): void {
    if (versionOf(header) < 2) this.#chain = new V1Chain(header.id);
    this.#facets.header(header, titleSlot);
    const title = titleSlot?.title && titleSlot.title !== header.title ? titleSlot.title : undefined;
    const named =
      title === undefined ? header : { ...header, title: [header.title, title].filter(Boolean).join('\n') };
    this.#add(header, named, undefined, null, byteOffset, byteLength);
  }

  #onEntry(value: TypedObject, byteOffset: number, byteLength: number): void {
    const seq = this.#nextSeq;
    if (seq > MAX_SEQ) {
      this.#isOverfull = true;
      this.isRefused = true;
      return;
    }
    const isAddressable = value.type !== 'session';
    const identity =
      this.#chain && isAddressable
        ? this.#chain.next(value, seq)
        : { id: isAddressable ? entryIdOf(value) : undefined, parentId: parentIdOf(value) };
    this.#tree.add(seq, identity.id, identity.parentId);
    const target = value.type === 'leaf' ? nonEmptyString(value.targetId) : undefined;
    if (target !== undefined) this.#tree.pointLeafAt(target);
    this.#add(value, value, identity.id, identity.parentId, byteOffset, byteLength);
  }

  #add(
    value: JsonObject,
    readAs: JsonObject,
    entryId: string | undefined,
    parentId: string | null,
    byteOffset: number,
    byteLength: number,
  ): void {
    const seq = this.#nextSeq;
    this.#nextSeq += 1;
    const entry: IndexedEntry = {
      fileId: this.#fileId,
      seq,
      key: rowKey(this.#fileId, seq),
      value,
      type: value.type as string,
      role: roleOf(value),
      entryId,
      parentId,
      timestampMs: timestampMs(value.timestamp),
      byteOffset,
      byteLength,
      content: this.#content.read(readAs),
      usage: usageOf(value),
    };
    this.#facets.entry(entry);
  }
}

function roleOf(value: JsonObject): string {
  if (value.type !== 'message' || !isObject(value.message)) return '';
  return roleInV3(nonEmptyString(value.message.role) ?? '');
}
