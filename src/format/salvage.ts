import { isTyped, type TypedObject } from './json.js';
import { hasEntryShape } from './recognise.js';

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

type Found = Salvaged['objects'][number];

/**
 * Finds the objects on a line that is not one object.
 *
 * Whole objects in a row are glued entries (FORMAT, "Spellings found in the wild"). Behind damage (NUL bytes, half a
 * line) objects are taken only when they fill the line to its end: a damaged entry holds objects of its own, such as
 * content blocks, which are no entries.
 */
export function salvageObjects(bytes: Buffer): Salvaged {
  const objects: Found[] = [];
  let at = skipBlanks(bytes, 0);
  for (let found = objectAt(bytes, at); found; found = objectAt(bytes, at)) {
    objects.push(found);
    at = skipBlanks(bytes, found.end);
  }
  if (at >= bytes.length) return { objects, gaps: [] };
  const rest = findSoundRest(bytes, at);
  if (!rest) return { objects, gaps: [{ start: at, end: bytes.length }] };
  const gap = { start: at, end: rest.start };
  return { objects: objects.concat(rest.objects), gaps: [gap, ...rest.gaps] };
}

/** A `Salvaged` that covers a line from `start` to its end. */
interface SoundRest extends Salvaged {
  readonly start: number;
}

function findSoundRest(bytes: Buffer, damageStart: number): SoundRest | undefined {
  // A run of NUL bytes takes the place of what was there: what follows it was not part of anything.
  const behindNuls = skipNuls(bytes, damageStart);
  const behind = behindNuls > damageStart ? soundRest(bytes, behindNuls) : undefined;
  if (behind) return behind;
  let start = damageStart;
  for (let tries = 0; tries < MAX_RESTARTS; tries += 1) {
    start = bytes.indexOf('{"', start + 1);
    if (start < 0) return undefined;
    const rest = soundRest(bytes, start);
    if (rest?.objects.every(({ value }) => isPlainlyAnEntry(value))) return rest;
  }
  return undefined;
}

/** Objects and runs of NUL bytes up to the line's end, or undefined if there is anything else or no object. */
function soundRest(bytes: Buffer, start: number): SoundRest | undefined {
  const objects: Found[] = [];
  const gaps: Span[] = [];
  let at = skipBlanks(bytes, start);
  while (at < bytes.length) {
    const afterNuls = skipNuls(bytes, at);
    const found = afterNuls > at ? undefined : objectAt(bytes, at);
    if (afterNuls > at) gaps.push({ start: at, end: afterNuls });
    else if (found) objects.push(found);
    else return undefined;
    at = skipBlanks(bytes, found?.end ?? afterNuls);
  }
  const first = objects[0];
  return first && { start: first.start, objects, gaps };
}

function isPlainlyAnEntry(value: TypedObject): boolean {
  if (value.type === 'session') return typeof value.id === 'string' && 'cwd' in value;
  if (hasEntryShape(value)) return true;
  return typeof value.id === 'string' && 'parentId' in value && 'timestamp' in value;
}

function objectAt(bytes: Buffer, start: number): Found | undefined {
  if (bytes[start] !== BRACE_OPEN) return undefined;
  const end = endOfObject(bytes, start);
  const value = end < 0 ? undefined : parseTyped(bytes, start, end);
  return value && { value, start, end };
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

function skipNuls(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at] === 0) at += 1;
  return at;
}
