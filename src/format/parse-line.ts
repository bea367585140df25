import { isUtf8 } from 'node:buffer';
import { isTyped, type TypedObject } from './json.js';
import type { ProblemKind } from './problem.js';
import { salvageObjects } from './salvage.js';

export interface ObjectVisitor {
  /** `byteOffset` and `byteLength` frame the object's own bytes: no blanks, no line end. */
  object(value: TypedObject, byteOffset: number, byteLength: number, line: number): void;
  problem(kind: ProblemKind, byteOffset: number, byteLength: number, line: number, message: string): void;
}

const BRACE_OPEN = 0x7b;
const REPLACEMENT = '\ufffd';
const NOT_AN_ENTRY = 'JSON, but no object with a string "type"';

/** Space, tab and carriage return: what may stand around an object on its line. */
function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

function parse(text: string): { value: unknown } | { error: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** V8's message quotes the text around the fault; session text stays out of reports. */
function reasonOf(message: string): string {
  if (/^Unterminated|^Unexpected end/.test(message)) return 'not JSON: it ends too early';
  const column = /at position (\d+)/.exec(message);
  return column ? `not JSON from character ${Number(column[1]) + 1} on` : 'not JSON';
}

/**
 * Reads one physical line (F7): the object on it, several glued objects, or a problem.
 *
 * `start` and `end` index `bytes`; `byteOffset` is where `start` stands in the file.
 */
export function parseLine(
  bytes: Buffer,
  start: number,
  end: number,
  byteOffset: number,
  line: number,
  isTerminated: boolean,
  visitor: ObjectVisitor,
): void {
  let from = start;
  let to = end;
  while (to > from && isBlank(bytes[to - 1])) to -= 1;
  while (from < to && isBlank(bytes[from])) from += 1;
  const offset = byteOffset + from - start;
  const length = to - from;
  const text = bytes.toString('utf8', from, to);
  const parsed = bytes[from] === BRACE_OPEN ? parse(text) : undefined;
  if (parsed && 'value' in parsed) {
    if (text.includes(REPLACEMENT)) checkUtf8(bytes.subarray(from, to), offset, line, visitor);
    if (isTyped(parsed.value)) visitor.object(parsed.value, offset, length, line);
    else visitor.problem('not-an-entry', offset, length, line, NOT_AN_ENTRY);
    return;
  }
  const error = parsed?.error ?? 'no object';
  parseDamagedLine(bytes, from, to, offset, line, isTerminated, error, visitor);
}

/** What is decoded with replacement characters would not be written again as it was (F15). */
function checkUtf8(bytes: Buffer, offset: number, line: number, visitor: ObjectVisitor): void {
  if (isUtf8(bytes)) return;
  const message = 'bytes that are no UTF-8 were replaced by U+FFFD';
  visitor.problem('invalid-utf8', offset, bytes.length, line, message);
}

/** The slow path: only lines that are not one object come here. */
function parseDamagedLine(
  bytes: Buffer,
  from: number,
  to: number,
  offset: number,
  line: number,
  isTerminated: boolean,
  error: string,
  visitor: ObjectVisitor,
): void {
  const text = bytes.subarray(from, to);
  const { objects, gaps } = salvageObjects(text);
  if (objects.length > 1) {
    const message = `${objects.length} objects on one line: a newline was lost`;
    visitor.problem('glued', offset, text.length, line, message);
  }
  for (const { start, end } of gaps) {
    const gap = text.subarray(start, end);
    const isTail = end === text.length && !isTerminated;
    const kind = kindOfGap(gap, isTail);
    visitor.problem(kind, offset + start, gap.length, line, messageOf(kind, error, gap));
  }
  for (const { value, start, end } of objects) {
    checkUtf8(text.subarray(start, end), offset + start, line, visitor);
    visitor.object(value, offset + start, end - start, line);
  }
}

/** @param isTail whether it ends a file that has no newline at its end: torn unless it parses (F9) */
function kindOfGap(bytes: Buffer, isTail: boolean): 'nul-bytes' | 'unparsable' | 'not-an-entry' | 'torn' {
  const isNul = bytes.every((byte) => byte === 0 || isBlank(byte));
  if (!isNul && 'value' in parse(bytes.toString('utf8'))) return 'not-an-entry';
  if (isTail) return 'torn';
  return isNul ? 'nul-bytes' : 'unparsable';
}

function messageOf(kind: ProblemKind, error: string, bytes: Buffer): string {
  if (kind === 'nul-bytes') return `${bytes.length} NUL bytes`;
  if (kind === 'torn') return 'the last line is cut off: a write that did not finish';
  if (kind === 'not-an-entry') return NOT_AN_ENTRY;
  return bytes[0] === BRACE_OPEN ? reasonOf(error) : 'not JSON';
}
