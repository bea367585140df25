import { blobHashOf } from './content.js';
import { isObject, type JsonObject } from './json.js';
import { BLOB_MIN_BASE64_CHARS, MAX_PERSIST_CHARS, TRUNCATION_NOTICE } from './limits.js';

/** Puts an image's bytes where they last and gives the reference to them, or undefined to leave it inline. */
export type Externalize = (base64: string) => string | undefined;

const NOTICE = `\n\n${TRUNCATION_NOTICE}`;
const TRANSIENT: ReadonlySet<string> = new Set(['partialJson', 'jsonlEvents']);
const SIGNATURES: ReadonlySet<string> = new Set(['thinkingSignature', 'thoughtSignature', 'textSignature']);

/**
 * One line of a session file, with its `\n`: the entry as F36 wants it on disk. The entry itself is not changed.
 *
 * Most entries need nothing done to them, which shows on the line itself: no string in it can be too long, and it names
 * no field and no block that F36 speaks of. `toPersistable` is what this equals, more slowly.
 */
export function toLine(entry: object, externalize: Externalize): string {
  const line = JSON.stringify(entry);
  if (isPlain(line)) return `${line}\n`;
  // Parsed again, so that what is copied is plain data, whatever the entry's objects make of themselves.
  return `${JSON.stringify(toPersistable(JSON.parse(line), externalize))}\n`;
}

function isPlain(line: string): boolean {
  if (line.length > MAX_PERSIST_CHARS) return false;
  if (line.length >= BLOB_MIN_BASE64_CHARS && line.includes('"image"')) return false;
  return !line.includes('"partialJson"') && !line.includes('"jsonlEvents"');
}

/** The value that F36 wants on disk: the same object where nothing needs to be done, else a copy of what changes. */
export function toPersistable<Value>(value: Value, externalize: Externalize): Value {
  return new Copier(externalize).copy(value, '', 0) as Value;
}

/** Nested deeper than this, a value is written as it is: `JSON.stringify` gives up on it much sooner. */
const MAX_DEPTH = 2000;

class Copier {
  readonly #externalize: Externalize;

  constructor(externalize: Externalize) {
    this.#externalize = externalize;
  }

  /** @param key the field that holds the value, also for the items of an array in that field */
  copy(value: unknown, key: string, depth: number): unknown {
    if (typeof value === 'string') return cutString(value, key);
    if (depth > MAX_DEPTH) return value;
    if (Array.isArray(value)) return this.#copyArray(value, key, depth);
    if (isObject(value)) return this.#copyObject(value, depth);
    return value;
  }

  #copyArray(items: readonly unknown[], key: string, depth: number): readonly unknown[] {
    let copy: unknown[] | undefined;
    for (let i = 0; i < items.length; i += 1) {
      const item = items[i];
      const next =
        key === 'content' && isImage(item) ? this.#copyImage(item, depth) : this.copy(item, key, depth + 1);
      if (next === item) continue;
      copy ??= items.slice();
      copy[i] = next;
    }
    return copy ?? items;
  }

  #copyObject(value: JsonObject, depth: number): JsonObject {
    let isChanged = false;
    const fields: [string, unknown][] = [];
    for (const [key, field] of Object.entries(value)) {
      if (TRANSIENT.has(key)) {
        isChanged = true;
        continue;
      }
      const next = this.copy(field, key, depth + 1);
      if (next !== field) isChanged = true;
      fields.push([key, next]);
    }
    return isChanged ? recount(value, Object.fromEntries(fields)) : value;
  }

  #copyImage(image: ImageLike, depth: number): JsonObject {
    if (image.data.length < BLOB_MIN_BASE64_CHARS || blobHashOf(image.data) !== undefined)
      return this.#copyObject(image, depth);
    const reference = this.#externalize(image.data);
    // Part of an image is worth nothing: what the blob store cannot give back the same stays inline in full.
    const { data, ...rest } = image;
    const others = this.#copyObject(rest, depth);
    if (reference === undefined && others === rest) return image;
    const fields = Object.keys(image).filter((key) => key === 'data' || Object.hasOwn(others, key));
    return Object.fromEntries(fields.map((key) => [key, key === 'data' ? (reference ?? data) : others[key]]));
  }
}

interface ImageLike extends JsonObject {
  readonly type: 'image';
  readonly data: string;
}

function isImage(value: unknown): value is ImageLike {
  return isObject(value) && value.type === 'image' && typeof value.data === 'string';
}

function cutString(text: string, key: string): string {
  if (text.length <= MAX_PERSIST_CHARS) return text;
  if (SIGNATURES.has(key)) return '';
  const limit = MAX_PERSIST_CHARS - NOTICE.length;
  const last = text.charCodeAt(limit - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff && isLowSurrogate(text.charCodeAt(limit));
  return text.slice(0, splitsPair ? limit - 1 : limit) + NOTICE;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** After a cut, `lineCount` is that of what is left of `content`. */
function recount(before: JsonObject, after: JsonObject): JsonObject {
  if (
    typeof after.content === 'string' &&
    typeof after.lineCount === 'number' &&
    after.content !== before.content
  )
    after.lineCount = after.content.split('\n').length;
  return after;
}
