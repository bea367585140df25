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
  const column = /at position (\d+)/.exec(message);
  return column ? `not JSON from character ${Number(column[1]) + 1} on` : 'not JSON: it ends too early';
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
    if (text.includes(REPLACEMENT) && !isUtf8(bytes.subarray(from, to))) {
      visitor.problem(
        'invalid-utf8',
        offset,
        length,
        line,
        'bytes that are no UTF-8 were replaced by U+FFFD',
      );
    }
    if (isTyped(parsed.value)) visitor.object(parsed.value, offset, length, line);
    else visitor.problem('not-an-entry', offset, length, line, 'an object without a string "type"');
    return;
  }
  const error = parsed?.error ?? 'no object';
  parseDamagedLine(bytes, from, to, offset, line, isTerminated, error, visitor);
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
  const { objects, gaps } = salvageObjects(bytes.subarray(from, to));
  if (objects.length === 0) {
    const kind = isTerminated ? kindOfGap(bytes.subarray(from, to)) : 'torn';
    visitor.problem(kind, offset, to - from, line, messageOf(kind, error, bytes.subarray(from, to)));
    return;
  }
  if (objects.length > 1) {
    const message = `${objects.length} objects on one line: a newline was lost`;
    visitor.problem('glued', offset, to - from, line, message);
  }
  for (const gap of gaps) {
    const isTail = gap.end === to - from && !isTerminated;
    const kind = isTail ? 'torn' : kindOfGap(bytes.subarray(from + gap.start, from + gap.end));
    const gapBytes = bytes.subarray(from + gap.start, from + gap.end);
    visitor.problem(kind, offset + gap.start, gap.end - gap.start, line, messageOf(kind, error, gapBytes));
  }
  for (const { value, start, end } of objects) visitor.object(value, offset + start, end - start, line);
}

function kindOfGap(bytes: Buffer): 'nul-bytes' | 'unparsable' | 'not-an-entry' {
  if (bytes.every((byte) => byte === 0 || isBlank(byte))) return 'nul-bytes';
  const parsed = parse(bytes.toString('utf8'));
  return 'value' in parsed ? 'not-an-entry' : 'unparsable';
}

function messageOf(kind: ProblemKind, error: string, bytes: Buffer): string {
  if (kind === 'nul-bytes') return `${bytes.length} NUL bytes`;
  if (kind === 'torn') return 'the last line is cut off: a write that did not finish';
  if (kind === 'not-an-entry') return 'JSON, but not an object';
  return bytes[0] === BRACE_OPEN ? reasonOf(error) : 'not JSON';
}
