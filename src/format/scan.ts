import type { TypedObject } from './json.js';
import { LineSplitter } from './line-splitter.js';
import { type ObjectVisitor, parseLine } from './parse-line.js';
import type { Problem, ProblemKind } from './problem.js';

export interface ScanVisitor {
  /** An object with a string `type`. Offsets and lengths are bytes; the line counts from 1. */
  object(value: TypedObject, byteOffset: number, byteLength: number, line: number): void;
  problem(problem: Problem): void;
}

/** Told when a scan is over. */
export interface ScanEnd {
  /** Bytes scanned. */
  readonly bytes: number;
  readonly lines: number;
  /** False when the last line has no `\n`; true for an empty file. */
  readonly endsWithNewline: boolean;
  /** True when the last line has no `\n` and does not parse: a torn write (F9). */
  readonly isTorn: boolean;
}

const CARRIAGE_RETURN = 0x0d;

/**
 * Lenient scanning of a session file over bytes (F6, F7): chunks in, objects and problems out, in file order.
 *
 * One line at a time becomes a string; the whole file never does.
 */
export class FileScanner {
  readonly #visitor: ScanVisitor;
  readonly #objects: ObjectVisitor;
  readonly #splitter: LineSplitter;
  #bytes = 0;
  #line = 0;
  #endsWithNewline = true;
  #isTorn = false;
  readonly #notes = new Map<ProblemKind, { problem: Problem; count: number }>();

  constructor(visitor: ScanVisitor, maxLineBytes?: number) {
    this.#visitor = visitor;
    this.#objects = {
      object: (value, byteOffset, byteLength, line) => visitor.object(value, byteOffset, byteLength, line),
      problem: (kind, byteOffset, byteLength, line, message) => {
        if (kind === 'torn') this.#isTorn = true;
        visitor.problem({ kind, byteOffset, byteLength, line, message });
      },
    };
    this.#splitter = new LineSplitter(
      {
        line: (bytes, start, end, byteOffset, isTerminated) =>
          this.#onLine(bytes, start, end, byteOffset, isTerminated),
        tooLong: (byteOffset, byteLength, isTerminated) =>
          this.#onTooLong(byteOffset, byteLength, isTerminated),
      },
      maxLineBytes,
    );
  }

  /** The chunk may be reused once this returns. */
  push(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#splitter.push(chunk);
  }

  finish(): ScanEnd {
    this.#splitter.finish();
    for (const { problem, count } of this.#notes.values()) {
      const message =
        count === 1 ? problem.message : `${problem.message} (${count} lines; this is the first)`;
      this.#visitor.problem({ ...problem, message });
    }
    return {
      bytes: this.#bytes,
      lines: this.#line,
      endsWithNewline: this.#endsWithNewline,
      isTorn: this.#isTorn,
    };
  }

  #onLine(bytes: Buffer, start: number, end: number, byteOffset: number, isTerminated: boolean): void {
    this.#line += 1;
    this.#endsWithNewline = isTerminated;
    let from = start;
    if (byteOffset === 0 && bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf) {
      from += 3;
      this.#note('byte-order-mark', 0, 3, 'a byte order mark before the first line');
    }
    if (isBlankLine(bytes, from, end)) {
      this.#note('blank-lines', byteOffset, end - start, 'a blank line');
      return;
    }
    if (isTerminated && bytes[end - 1] === CARRIAGE_RETURN) {
      this.#note('carriage-returns', byteOffset + end - 1 - start, 1, 'the line ends in CR LF');
    }
    parseLine(bytes, from, end, byteOffset + from - start, this.#line, isTerminated, this.#objects);
  }

  #onTooLong(byteOffset: number, byteLength: number, isTerminated: boolean): void {
    this.#line += 1;
    this.#endsWithNewline = isTerminated;
    this.#isTorn = !isTerminated;
    const message = `a line of ${byteLength} bytes is longer than can be read`;
    this.#visitor.problem({ kind: 'too-long', byteOffset, byteLength, line: this.#line, message });
  }

  #note(kind: ProblemKind, byteOffset: number, byteLength: number, message: string): void {
    const known = this.#notes.get(kind);
    if (known) known.count += 1;
    else
      this.#notes.set(kind, {
        problem: { kind, byteOffset, byteLength, line: this.#line, message },
        count: 1,
      });
  }
}

function isBlankLine(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i += 1) {
    const byte = bytes[i];
    if (byte !== 0x20 && byte !== 0x09 && byte !== CARRIAGE_RETURN) return false;
  }
  return true;
}
