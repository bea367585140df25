import { isTyped, type TypedObject } from './json.js';

interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Salvaged {
  readonly objects: readonly ({ readonly value: TypedObject } & Span)[];
  /** What lies between the objects and is not blank. */
  readonly gaps: readonly Span[];
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;

/**
 * Tries at most so many places for the start of an entry behind damage: parsing from each costs as much as the rest of
 * the line, and a real entry starts at one of the first.
 */
const MAX_RESTARTS = 64;

/**
 * Finds the objects on a line that is not one object.
 *
 * Whole objects in a row are glued entries (FORMAT, "Spellings found in the wild"). Behind damage (NUL bytes, half a
 * line) only an object that reaches to the line's end and has an entry's or a header's fields is taken: a damaged
 * entry holds objects of its own, such as content blocks, which are no entries.
 */
export function salvageObjects(bytes: Buffer): Salvaged {
  const objects: ({ value: TypedObject } & Span)[] = [];
  const gaps: Span[] = [];
  let at = skipBlanks(bytes, 0);
  while (at < bytes.length) {
    const end = bytes[at] === BRACE_OPEN ? endOfObject(bytes, at) : -1;
    const value = end < 0 ? undefined : parseTyped(bytes, at, end);
    if (value) {
      objects.push({ value, start: at, end });
      at = skipBlanks(bytes, end);
      continue;
    }
    const restart = findRestart(bytes, at);
    gaps.push({ start: at, end: restart?.start ?? bytes.length });
    if (restart) objects.push(restart);
    break;
  }
  return { objects, gaps };
}

function findRestart(bytes: Buffer, after: number): ({ value: TypedObject } & Span) | undefined {
  const end = bytes.length;
  if (bytes[end - 1] !== BRACE_CLOSE) return undefined;
  let start = after;
  for (let tries = 0; tries < MAX_RESTARTS; tries += 1) {
    start = bytes.indexOf('{"', start + 1);
    if (start < 0) return undefined;
    const value = parseTyped(bytes, start, end);
    if (value && hasEntryFields(value)) return { value, start, end };
  }
  return undefined;
}

function hasEntryFields(value: TypedObject): boolean {
  if (value.type === 'session') return typeof value.id === 'string' && 'cwd' in value;
  return typeof value.id === 'string' && 'parentId' in value && 'timestamp' in value;
}

function parseTyped(bytes: Buffer, start: number, end: number): TypedObject | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8', start, end));
    return isTyped(value) ? value : undefined;
  } catch {
    return undefined; // a SyntaxError is the only thing JSON.parse throws for a string: this span is no object
  }
}

/** The index after the brace that closes the object starting at `start`, or -1. */
function endOfObject(bytes: Buffer, start: number): number {
  let depth = 0;
  let inString = false;
  for (let i = start; i < bytes.length; i += 1) {
    const byte = bytes[i];
    if (inString) {
      if (byte === BACKSLASH) i += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === BRACE_OPEN) depth += 1;
    else if (byte === BRACE_CLOSE) {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
  }
  return -1;
}

function skipBlanks(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at] === 0x20 || bytes[at] === 0x09 || bytes[at] === 0x0d) at += 1;
  return at;
}
