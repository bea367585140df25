import { MAX_LINE_BYTES } from './limits.js';

/** One physical line. `bytes` is only valid during the call: it may be a reused buffer. */
export interface LineVisitor {
  /**
   * @param bytes the buffer that holds the line
   * @param start index of its first byte in `bytes`
   * @param end index after its last byte, the newline left out
   * @param byteOffset where its first byte stands in the file
   * @param isTerminated false for a last line without `\n`
   */
  line(bytes: Buffer, start: number, end: number, byteOffset: number, isTerminated: boolean): void;
  /** A line over the limit, none of it kept (F7). */
  tooLong(byteOffset: number, byteLength: number, isTerminated: boolean): void;
}

const NEWLINE = 0x0a;

/** Bytes. A buffer grown beyond this for one line is given up after it, so that one huge line does not cost for good. */
const KEPT_BUFFER_BYTES = 16 * 1024 * 1024;

/**
 * Cuts a stream of chunks into lines at `\n` and nowhere else (F6, F7).
 *
 * Never holds more than one chunk and one unfinished line. A chunk may be overwritten by the caller once `push` returns.
 */
export class LineSplitter {
  readonly #visitor: LineVisitor;
  readonly #maxLineBytes: number;
  #carry: Buffer = Buffer.alloc(0);
  #carryLength = 0;
  /** File offset of the first byte of the line being collected. */
  #lineOffset = 0;
  /** Bytes of an over-long line seen so far; 0 when the current line is within the limit. */
  #droppedLength = 0;

  constructor(visitor: LineVisitor, maxLineBytes: number = MAX_LINE_BYTES) {
    this.#visitor = visitor;
    this.#maxLineBytes = maxLineBytes;
  }

  push(chunk: Buffer): void {
    let start = 0;
    if (this.#carryLength > 0 || this.#droppedLength > 0) {
      start = this.#finishCarried(chunk);
      if (start < 0) return;
    }
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end < 0) break;
      if (end - start > this.#maxLineBytes) this.#visitor.tooLong(this.#lineOffset, end - start, true);
      else this.#visitor.line(chunk, start, end, this.#lineOffset, true);
      this.#lineOffset += end + 1 - start;
      start = end + 1;
    }
    this.#keep(chunk, start, chunk.length);
  }

  /** Hands over a last line without `\n`, if there is one. */
  finish(): void {
    if (this.#droppedLength > 0) this.#visitor.tooLong(this.#lineOffset, this.#droppedLength, false);
    else if (this.#carryLength > 0)
      this.#visitor.line(this.#carry, 0, this.#carryLength, this.#lineOffset, false);
    this.#lineOffset += this.#droppedLength + this.#carryLength;
    this.#droppedLength = 0;
    this.#carryLength = 0;
    this.#carry = Buffer.alloc(0);
  }

  /** Ends the unfinished line with the head of `chunk`; gives where the next line starts, or -1 if it is still open. */
  #finishCarried(chunk: Buffer): number {
    const end = chunk.indexOf(NEWLINE);
    this.#keep(chunk, 0, end < 0 ? chunk.length : end);
    if (end < 0) return -1;
    if (this.#droppedLength > 0) this.#visitor.tooLong(this.#lineOffset, this.#droppedLength, true);
    else this.#visitor.line(this.#carry, 0, this.#carryLength, this.#lineOffset, true);
    this.#lineOffset += this.#droppedLength + this.#carryLength + 1;
    this.#droppedLength = 0;
    this.#carryLength = 0;
    if (this.#carry.length > KEPT_BUFFER_BYTES) this.#carry = Buffer.alloc(0);
    return end + 1;
  }

  #keep(chunk: Buffer, start: number, end: number): void {
    const length = end - start;
    if (length === 0) return;
    if (this.#droppedLength > 0) {
      this.#droppedLength += length;
      return;
    }
    const needed = this.#carryLength + length;
    if (needed > this.#maxLineBytes) {
      this.#droppedLength = needed;
      this.#carryLength = 0;
      this.#carry = Buffer.alloc(0);
      return;
    }
    if (needed > this.#carry.length) {
      const grown = Buffer.allocUnsafe(
        Math.max(needed, Math.min(this.#carry.length * 2, this.#maxLineBytes), 4096),
      );
      this.#carry.copy(grown, 0, 0, this.#carryLength);
      this.#carry = grown;
    }
    chunk.copy(this.#carry, this.#carryLength, start, end);
    this.#carryLength = needed;
  }
}
