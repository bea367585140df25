/**
 * @typedef {object} EntryTruth
 * @property {string | null} id null: not addressable, or of a version 1 file
 * @property {string} type
 * @property {string | null} role
 * @property {number | null} timestampMs
 * @property {number} byteOffset
 * @property {number} byteLength bytes of the JSON object
 * @property {number | null} parentIndex index of the parent among the entries; null for a root or an orphan
 *
 * @typedef {object} UsageTruth
 * @property {string} model `provider/model`
 * @property {string | null} day UTC
 * @property {number} input
 * @property {number} output
 * @property {number} cacheRead
 * @property {number} cacheWrite
 * @property {number} cost US dollars
 * @property {string} [agent] the subagent whose usage this rolls up
 *
 * @typedef {object} WrittenEntry
 * @property {Record<string, any>} value
 * @property {UsageTruth | null} usage
 * @property {WrittenEntry | null} copyOf
 * @property {SessionWriter} owner
 * @property {number} index
 */

/** Builds the text of one session file and knows what it wrote. */
export class SessionWriter {
  /** @type {string[]} */
  #pieces = [];
  #bytes = 0;
  #line = 1;
  /** @type {WrittenEntry[]} */
  written = [];
  /** @type {{ byteOffset: number, byteLength: number }[]} */
  places = [];
  /** @type {{ line: number, byteOffset: number, kind: string }[]} */
  problems = [];
  /** @type {Record<string, any>} */
  header = {};
  /** @type {string | null} */
  slotTitle = null;

  /**
   * @param {string} path relative to the sessions' folder
   * @param {{ lineEnd?: string, isSpaced?: boolean }} style
   */
  constructor(path, style = {}) {
    this.path = path;
    this.lineEnd = style.lineEnd ?? '\n';
    this.isSpaced = style.isSpaced ?? false;
  }

  get bytes() {
    return this.#bytes;
  }

  /** Any text as it is. @param {string} text */
  raw(text) {
    this.#pieces.push(text);
    this.#bytes += Buffer.byteLength(text);
    for (const character of text) if (character === '\n') this.#line += 1;
  }

  /** @param {Record<string, any>} value */
  #json(value) {
    if (!this.isSpaced) return JSON.stringify(value);
    return JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ');
  }

  /** @param {Record<string, any>} value */
  writeHeader(value) {
    this.header = value;
    this.raw(this.#json(value) + this.lineEnd);
  }

  /**
   * @param {Record<string, any>} value
   * @param {{ usage?: UsageTruth | null, copyOf?: WrittenEntry | null, isGlued?: boolean, isLast?: boolean }} about
   * @returns {WrittenEntry}
   */
  write(value, about = {}) {
    const text = this.#json(value);
    this.places.push({ byteOffset: this.#bytes, byteLength: Buffer.byteLength(text) });
    const entry = {
      value,
      usage: about.usage ?? null,
      copyOf: about.copyOf ?? null,
      owner: this,
      index: this.written.length,
    };
    this.written.push(entry);
    // Entries have no newline of their own inside, so that counting lines by pieces is enough.
    this.#pieces.push(text);
    this.#bytes += Buffer.byteLength(text);
    if (!about.isGlued && !about.isLast) this.raw(this.lineEnd);
    return entry;
  }

  /** A line that cannot be read. @param {string} kind @param {string} text without its newline @param {boolean} isLast */
  damage(kind, text, isLast = false) {
    this.problem(kind);
    this.raw(isLast ? text : `${text}\n`);
  }

  /** Notes a problem of the line that is about to be written. @param {string} kind */
  problem(kind) {
    this.problems.push({ line: this.#line, byteOffset: this.#bytes, kind });
  }

  text() {
    return this.#pieces.join('');
  }

  forgetValues() {
    for (const entry of this.written) entry.value = {};
  }

  /** What was written is on disk: only what is known of it is kept. */
  forgetText() {
    this.#pieces = [];
  }
}
