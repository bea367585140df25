import { isObject, type JsonObject, nonEmptyString, type TypedObject } from '../format/json.js';
import { Recogniser } from '../format/recognise.js';
import { FileScanner } from '../format/scan.js';
import { lineageOf, readTitle, type TitleReading, timestampMs } from '../format/spellings.js';
import type { SessionHeader } from '../format/types.js';

/** What a list needs to know of a session file, found in one pass that keeps no entry. */
export interface SessionSummary {
  readonly header: SessionHeader;
  readonly title: string | undefined;
  readonly shortSummary: string | undefined;
  readonly parentSession: string | undefined;
  /** Unix ms of the header and the entries; undefined where none says. */
  readonly createdMs: number | undefined;
  /** Unix ms of the newest entry. */
  readonly modifiedMs: number | undefined;
  readonly messageCount: number;
  readonly firstUserText: string | undefined;
  /** The texts of user and assistant messages, in file order; `[]` when they are more than was wanted. */
  readonly texts: readonly string[];
  readonly isTextComplete: boolean;
  /** UTF-16 units in `texts`. */
  readonly textChars: number;
}

/** How much of a file is worth reading: all of it, or no more than a name needs. */
export type SummaryDepth = 'all' | 'name';

/** Folds a session file's chunks into its summary. */
export class SessionSummarizer {
  readonly #depth: SummaryDepth;
  readonly #recogniser = new Recogniser();
  readonly #scanner = new FileScanner({ object: (value) => this.#onObject(value), problem: () => {} });
  readonly #maxTextChars: number;
  #texts: string[] = [];
  #textChars = 0;
  #isTextComplete = true;
  #isRefused = false;
  #titleEntry: TitleReading | undefined;
  #shortSummary: string | undefined;
  #oldestMs: number | undefined;
  #newestMs: number | undefined;
  #messageCount = 0;
  #firstUserText: string | undefined;

  constructor(depth: SummaryDepth = 'all', maxTextChars = Number.POSITIVE_INFINITY) {
    this.#depth = depth;
    this.#maxTextChars = maxTextChars;
  }

  /** @returns whether more of the file is of use */
  push(chunk: Buffer): boolean {
    this.#scanner.push(chunk);
    if (this.#isRefused) return false;
    return this.#depth === 'all' || !this.#hasName();
  }

  /** Undefined when the file is no session. `hasMore`: the rest of the file was not read, so its last line is no sign. */
  finish(hasMore = false): SessionSummary | undefined {
    if (!hasMore) this.#scanner.finish();
    const header = this.#recogniser.header;
    if (this.#isRefused || header === undefined || this.#recogniser.kind(true) !== 'session')
      return undefined;
    const times = [timestampMs(header.timestamp), this.#oldestMs].filter((ms) => ms !== undefined);
    return {
      header,
      title:
        this.#titleEntry === undefined ? this.#titleAbove(header) : nonEmptyString(this.#titleEntry.title),
      shortSummary: this.#shortSummary,
      parentSession: lineageOf(header),
      createdMs: times.length > 0 ? Math.min(...times) : undefined,
      modifiedMs: this.#newestMs,
      messageCount: this.#messageCount,
      firstUserText: this.#firstUserText,
      texts: this.#texts,
      isTextComplete: this.#isTextComplete,
      textChars: this.#textChars,
    };
  }

  #titleAbove(header: SessionHeader): string | undefined {
    return nonEmptyString(this.#recogniser.titleSlot?.title) ?? nonEmptyString(header.title);
  }

  /** One entry of a session's shape must have been seen, too: a look-alike begins like a session. */
  #hasName(): boolean {
    const header = this.#recogniser.header;
    if (header === undefined || this.#recogniser.kind(true) !== 'session') return false;
    return this.#titleAbove(header) !== undefined || this.#firstUserText !== undefined;
  }

  #onObject(value: TypedObject): void {
    if (this.#isRefused) return;
    const what = this.#recogniser.offer(value);
    if (what === 'refused') this.#isRefused = true;
    if (what !== 'entry') return;
    const ms = timestampMs(value.timestamp);
    if (ms !== undefined) {
      this.#oldestMs = Math.min(ms, this.#oldestMs ?? ms);
      this.#newestMs = Math.max(ms, this.#newestMs ?? ms);
    }
    if (value.type === 'message') this.#onMessage(value.message);
    else if (value.type === 'compaction')
      this.#shortSummary = nonEmptyString(value.shortSummary) ?? this.#shortSummary;
    else this.#titleEntry = readTitle(value) ?? this.#titleEntry;
  }

  #onMessage(message: unknown): void {
    this.#messageCount += 1;
    if (!isObject(message) || (message.role !== 'user' && message.role !== 'assistant')) return;
    const text = textOf(message);
    if (text === '') return;
    if (message.role === 'user') this.#firstUserText ??= text;
    if (this.#depth === 'all') this.#keepText(text);
  }

  #keepText(text: string): void {
    if (!this.#isTextComplete) return;
    this.#texts.push(text);
    this.#textChars += text.length;
    if (this.#textChars <= this.#maxTextChars) return;
    this.#isTextComplete = false;
    this.#texts = [];
    this.#textChars = 0;
  }
}

/** The text blocks of a message, joined by spaces. */
function textOf(message: JsonObject): string {
  const { content } = message;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .filter((block): block is { text: string } => isObject(block) && block.type === 'text')
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .filter((text) => text !== '')
    .join(' ');
}
