import type { ProblemKind } from '../../src/format/problem.js';

/** What the slow scan finds; problems as `kind@byteOffset+byteLength:line`. */
export interface SlowScan {
  readonly objects: {
    readonly value: unknown;
    readonly byteOffset: number;
    readonly byteLength: number;
    readonly line: number;
  }[];
  readonly problems: string[];
  readonly lines: number;
}

/**
 * F6, F7, F9 and the lost newline, read in the slowest and plainest way: the file is split at `\n` by hand, and whether
 * some bytes are an object is found by giving them to `JSON.parse`, for every place where they might end.
 */
export function slowScan(bytes: Buffer): SlowScan {
  const found: SlowScan = { objects: [], problems: [], lines: 0 };
  const first: Record<string, string> = {};
  let lines = 0;
  let start = 0;
  while (start < bytes.length) {
    let end = start;
    while (end < bytes.length && bytes[end] !== 0x0a) end += 1;
    const isTerminated = end < bytes.length;
    lines += 1;
    scanLine(bytes, start, end, isTerminated, lines, found, first);
    start = end + 1;
  }
  return { ...found, problems: [...found.problems, ...Object.values(first)], lines };
}

function scanLine(
  bytes: Buffer,
  lineStart: number,
  lineEnd: number,
  isTerminated: boolean,
  line: number,
  found: SlowScan,
  first: Record<string, string>,
): void {
  const note = (kind: ProblemKind, offset: number, length: number) => {
    first[kind] ??= `${kind}@${offset}+${length}:${line}`;
  };
  const report = (kind: ProblemKind, start: number, end: number) =>
    found.problems.push(`${kind}@${start}+${end - start}:${line}`);
  let start = lineStart;
  let end = lineEnd;
  if (lineStart === 0 && bytes.toString('latin1', 0, 3) === 'ï»¿') {
    note('byte-order-mark', 0, 3);
    start += 3;
  }
  while (start < end && isBlank(bytes[end - 1])) end -= 1;
  while (start < end && isBlank(bytes[start])) start += 1;
  if (start === end) {
    note('blank-lines', lineStart, lineEnd - lineStart);
    return;
  }
  if (isTerminated && bytes[lineEnd - 1] === 0x0d) note('carriage-returns', lineEnd - 1, 1);
  const add = (objects: readonly Span[]) => {
    for (const [from, to] of objects)
      found.objects.push({ value: read(bytes, from, to), byteOffset: from, byteLength: to - from, line });
  };
  if (isTyped(read(bytes, start, end))) {
    add([[start, end]]);
    return;
  }
  const head = objectsInARow(bytes, start, end, false);
  const rest = head.stop === end ? undefined : restBehindDamage(bytes, head.stop, end);
  const objects = [...head.objects, ...(rest?.objects ?? [])];
  if (objects.length > 1) report('glued', start, end);
  const gaps: Span[] =
    head.stop === end ? [] : [[head.stop, rest?.objects[0]?.[0] ?? end], ...(rest?.gaps ?? [])];
  for (const [from, to] of gaps) report(kindOf(bytes, from, to, to === end && !isTerminated), from, to);
  add(objects);
}

type Span = readonly [start: number, end: number];

function kindOf(bytes: Buffer, start: number, end: number, isTail: boolean): ProblemKind {
  if (read(bytes, start, end) !== undefined) return 'not-an-entry';
  if (isTail) return 'torn';
  return /^[\0 \t\r]+$/.test(bytes.toString('latin1', start, end)) ? 'nul-bytes' : 'unparsable';
}

/** Objects one after the other, blanks between them, and runs of NUL where they are allowed. */
function objectsInARow(bytes: Buffer, start: number, end: number, areNulsAllowed: boolean) {
  const objects: Span[] = [];
  const gaps: Span[] = [];
  let at = start;
  for (;;) {
    while (at < end && isBlank(bytes[at])) at += 1;
    const nulStart = at;
    while (areNulsAllowed && at < end && bytes[at] === 0) at += 1;
    if (at > nulStart) {
      gaps.push([nulStart, at]);
      continue;
    }
    let to = at + 1;
    while (to <= end && !(bytes[at] === 0x7b && isTyped(read(bytes, at, to)))) to += 1;
    if (at >= end || to > end) return { objects, gaps, stop: at };
    objects.push([at, to]);
    at = to;
  }
}

function restBehindDamage(bytes: Buffer, damage: number, end: number) {
  let start = damage;
  while (start < end && bytes[start] === 0) start += 1;
  for (let isBehindNuls = start > damage; start < end; start += 1, isBehindNuls = false) {
    if (start === damage) continue;
    if (!isBehindNuls && bytes.toString('latin1', start, start + 2) !== '{"') continue;
    const rest = objectsInARow(bytes, start, end, true);
    if (rest.stop < end || rest.objects.length === 0) continue;
    if (isBehindNuls || rest.objects.every(([from, to]) => isEntry(read(bytes, from, to)))) return rest;
  }
  return undefined;
}

function read(bytes: Buffer, start: number, end: number): unknown {
  try {
    return JSON.parse(bytes.toString('utf8', start, end)) as unknown;
  } catch {
    return undefined;
  }
}

function isTyped(value: unknown): value is { type: string } {
  return typeof (value as { type?: unknown } | null | undefined)?.type === 'string';
}

/** What stands in a session by itself and not within an entry, of the types that the tests put into files. */
function isEntry(value: unknown): boolean {
  const { type, id, message, ...fields } = value as Record<string, unknown>;
  if (typeof id === 'string' && 'parentId' in fields && 'timestamp' in fields) return true;
  if (type === 'message') return typeof (message as { role?: unknown } | undefined)?.role === 'string';
  if (type === 'custom' && typeof fields['customType'] === 'string') return true;
  return typeof id === 'string' && id !== '' && 'parentId' in fields;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}
