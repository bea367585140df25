import { ENTRY_ID_CHARS } from '../format/limits.js';
import type { Host } from '../host.js';

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
/** Bytes from here on would make the first letters likelier than the last ones. */
const UNBIASED = 256 - (256 % ALPHABET.length);
const POOL_BYTES = 1024;

/**
 * Makes the ids of entries: 8 random letters and digits. Several processes may append to one file and cannot ask each
 * other, so an id must be unlikely to be taken elsewhere too, not only unused here.
 */
export class EntryIds {
  readonly #host: Host;
  #pool: Uint8Array = new Uint8Array(0);
  #used = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  /** An id that `taken` does not hold. */
  next(taken: { has(id: string): boolean }): string {
    let id = this.#random();
    // Randomness that repeats itself (a host made for tests) must not keep us here for ever.
    for (let step = 1; taken.has(id); step += 1) id = step < 100 ? this.#random() : counted(step);
    return id;
  }

  #random(): string {
    let id = '';
    for (let tries = 0; id.length < ENTRY_ID_CHARS; tries += 1) {
      const byte = this.#nextByte();
      if (byte < UNBIASED || tries > POOL_BYTES) id += ALPHABET[byte % ALPHABET.length];
    }
    return id;
  }

  #nextByte(): number {
    if (this.#used === this.#pool.length) {
      this.#pool = this.#host.random(POOL_BYTES);
      this.#used = 0;
    }
    return this.#pool[this.#used++] as number;
  }
}

function counted(step: number): string {
  return step.toString(ALPHABET.length).padStart(ENTRY_ID_CHARS, '0');
}

/** A session's id: a random UUID, so that its first few characters already tell it from others of the same minute. */
export function newSessionId(host: Host): string {
  const bytes = Uint8Array.from(host.random(16));
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = Buffer.from(bytes).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
