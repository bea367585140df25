import type { TypedObject } from './json.js';
import type { Problem } from './problem.js';
import { type FileKind, Recogniser } from './recognise.js';
import { FileScanner } from './scan.js';
import type { FileEntry, SessionHeader, TitleSlot } from './types.js';

/** Where a line's object stands in the file, in bytes. */
export interface Place {
  readonly byteOffset: number;
  readonly byteLength: number;
}

/** Everything a session file says, read leniently (F7-F9). */
export interface LoadedFile {
  readonly kind: FileKind;
  /** Why the file is no session; undefined when it is one. */
  readonly reason: string | undefined;
  readonly header: SessionHeader | undefined;
  readonly titleSlot: { readonly value: TitleSlot; readonly place: Place } | undefined;
  /** The header, then every entry in file order; `[]` unless `kind` is `session` (F8). Nothing is migrated. */
  readonly entries: FileEntry[];
  readonly problems: readonly Problem[];
  /** Bytes read. */
  readonly bytes: number;
  /** True for an empty file. */
  readonly endsWithNewline: boolean;
  /** The last line has no `\n` and does not parse (F9). */
  readonly isTorn: boolean;
}

/** Reads a file from its chunks, one line in memory as a string at a time (F7). */
export function loadEntries(chunks: Iterable<Buffer>): LoadedFile {
  const loader = new Loader();
  for (const chunk of chunks) loader.push(chunk);
  return loader.finish();
}

/**
 * The push form of `loadEntries`, for sources that are asynchronous. A file that turns out to be no session is still
 * read to its end, so that its problems are complete.
 */
export class Loader {
  readonly #recogniser = new Recogniser();
  readonly #problems: Problem[] = [];
  readonly #entries: FileEntry[] = [];
  #isRefused = false;
  #titleSlot: LoadedFile['titleSlot'];
  readonly #scanner = new FileScanner({
    object: (value, byteOffset, byteLength) => this.#onObject(value, byteOffset, byteLength),
    problem: (problem) => this.#problems.push(problem),
  });

  /** The chunk may be reused once this returns. */
  push(chunk: Buffer): void {
    this.#scanner.push(chunk);
  }

  finish(): LoadedFile {
    const end = this.#scanner.finish();
    const hasContent = this.#problems.some(
      ({ kind }) => kind !== 'blank-lines' && kind !== 'byte-order-mark',
    );
    const kind = this.#recogniser.kind(hasContent);
    return {
      kind,
      reason: kind === 'session' ? undefined : this.#recogniser.reason(kind),
      header: this.#recogniser.header,
      titleSlot: this.#titleSlot,
      entries: kind === 'session' ? this.#entries : [],
      problems: this.#problems,
      bytes: end.bytes,
      endsWithNewline: end.endsWithNewline,
      isTorn: end.isTorn,
    };
  }

  #onObject(value: TypedObject, byteOffset: number, byteLength: number): void {
    if (this.#isRefused) return;
    const what = this.#recogniser.offer(value);
    if (what === 'refused') this.#isRefused = true;
    else if (what === 'title-slot') {
      this.#titleSlot = { value: value as TitleSlot, place: { byteOffset, byteLength } };
    } else this.#entries.push(value as unknown as FileEntry);
  }
}

/** `loadEntries` for a text in memory, without its title slot: the header and the entries (family's name). */
export function parseSessionEntries(text: string): FileEntry[] {
  return loadEntries([Buffer.from(text, 'utf8')]).entries;
}
