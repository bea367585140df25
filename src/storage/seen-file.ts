import type { FileIdentity } from './atomic-write.js';
import { readStretch } from './file-bytes.js';
import type { FileHandle } from './file-handle.js';
import type { SeenPosition } from './session-storage.js';
import type { StorageFs } from './storage-fs.js';

/** Bytes before the end of what was seen that must still be there. */
const ANCHOR_BYTES = 64;

/** What has been seen of which file, and its last bytes, by which it is recognised. */
export class SeenFile implements SeenPosition {
  readonly #identity: FileIdentity;
  #bytes: number;
  #tornAt: number | undefined;
  /** The bytes before `bytes`, as many as were at hand. */
  #anchor: Uint8Array;
  /** The same before the last line was added. */
  #before: { readonly bytes: number; readonly anchor: Uint8Array } | undefined;

  constructor(identity: FileIdentity, position: SeenPosition, before: Uint8Array) {
    this.#identity = identity;
    this.#bytes = position.bytes;
    this.#tornAt = position.tornAt;
    this.#anchor = tail(before);
  }

  get bytes(): number {
    return this.#bytes;
  }

  get tornAt(): number | undefined {
    return this.#tornAt;
  }

  /** A line of ours was added where what was seen ends, with a `\n` before it if it needed one. */
  grow(line: Uint8Array, toByte: number): void {
    this.#before = { bytes: this.#bytes, anchor: this.#anchor };
    this.#bytes = toByte;
    this.#tornAt = undefined;
    this.#anchor = tail(line);
  }

  /** Only so much is certain. */
  shrinkTo(bytes: number): void {
    if (bytes >= this.#bytes) return;
    this.#bytes = bytes;
    this.#anchor = this.#before?.bytes === bytes ? this.#before.anchor : new Uint8Array();
  }

  /** The bytes that it is recognised by may have been written over. */
  forgetAnchor(): void {
    this.#before = undefined;
    this.#anchor = new Uint8Array();
  }

  /** The same bytes are in another file now. */
  movedTo(identity: FileIdentity): SeenFile {
    return new SeenFile(identity, { bytes: this.#bytes, tornAt: this.#tornAt }, this.#anchor);
  }

  isIn(handle: FileHandle): boolean {
    return handle.isSameFile(this.#identity);
  }

  /** Whether the last bytes seen are still in their place: a file can be emptied and filled anew, or its inode reused. */
  isIntact(fs: StorageFs, handle: FileHandle): boolean {
    const from = this.#bytes - this.#anchor.length;
    return readStretch(fs, handle.fd, from, this.#anchor.length).equals(this.#anchor);
  }
}

function tail(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(Math.max(0, bytes.length - ANCHOR_BYTES));
}

/** The last bytes of a stream of pieces, which are only valid for a moment each. */
export class LastBytes {
  #bytes = Buffer.alloc(0);

  push(piece: Uint8Array): void {
    this.#bytes = Buffer.from(
      tail(piece.length >= ANCHOR_BYTES ? piece : Buffer.concat([this.#bytes, piece])),
    );
  }

  get bytes(): Uint8Array {
    return this.#bytes;
  }
}
