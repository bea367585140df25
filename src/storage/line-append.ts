import { readFrom, readStretch } from './file-bytes.js';
import type { FileHandle } from './file-handle.js';
import type { MonotonicTime } from './monotonic-time.js';
import type { StorageFs } from './storage-fs.js';

const NEWLINE = 0x0a;

/** A failed append, and how many of its bytes were taken all the same. They stand somewhere in the file. */
export interface BrokenAppend {
  readonly error: unknown;
  readonly written: number;
}

/** The bytes of one line. A TypeError unless its only `\n` is its last character: a torn file is never our own making. */
export function lineBytes(line: string): Buffer {
  const bytes = Buffer.from(line, 'utf8');
  if (bytes.length < 2 || bytes.indexOf(NEWLINE) !== bytes.length - 1)
    throw new TypeError('line must end in its only newline');
  return bytes;
}

/** The line with the `\n` that it may lack. A TypeError for several lines or none. */
export function terminated(line: string): string {
  const whole = line.endsWith('\n') ? line : `${line}\n`;
  if (whole.length < 2 || whole.indexOf('\n') !== whole.length - 1)
    throw new TypeError('line must be one line, not empty');
  return whole;
}

/**
 * Adds bytes at the end, in one call where the system lets it: then no other process's bytes stand between them.
 *
 * @returns undefined when all of it was taken
 */
export function appendBytes(fs: StorageFs, handle: FileHandle, bytes: Buffer): BrokenAppend | undefined {
  let written = 0;
  try {
    while (written < bytes.length) {
      const count = fs.writeSync(handle.fd, bytes, written, bytes.length - written);
      if (count === 0) throw new Error('the system took no more bytes');
      written += count;
    }
    return undefined;
  } catch (error) {
    return { error, written };
  }
}

/**
 * Takes part of a line off the end of the file again. To be called while no other process appends.
 *
 * @returns false when it does not stand at the end any more, or cannot be taken off
 */
export function cutBack(fs: StorageFs, handle: FileHandle, part: Buffer): boolean {
  try {
    const { size } = fs.fstatSync(handle.fd);
    const start = size - part.length;
    if (start < 0 || !readStretch(fs, handle.fd, start, part.length).equals(part)) return false;
    fs.ftruncateSync(handle.fd, start);
    return true;
  } catch {
    return false; // any error: the append's own is reported, and the next one starts on a new line
  }
}

/** Whether the bytes before `end` finish a line; so does an empty file. */
export function endsInNewline(fs: StorageFs, handle: FileHandle, end: number): boolean {
  return end === 0 || readStretch(fs, handle.fd, end - 1, 1)[0] === NEWLINE;
}

/** Ms without growth after which an unterminated line is taken to be torn, not on its way. */
const TORN_AFTER_MS = 5;

/**
 * The file's size, once no other process is in the middle of a line: a write grows the file page by page. Returns at
 * once where the file ends in a newline.
 *
 * @param size bytes, as it was at the last look
 */
export function sizeAtRest(fs: StorageFs, time: MonotonicTime, handle: FileHandle, size: number): number {
  let rest = size;
  for (let since = time.now(); !endsInNewline(fs, handle, rest); ) {
    if (time.now() - since >= TORN_AFTER_MS) return rest;
    time.pause(0.5);
    const now = Number(fs.fstatSync(handle.fd, { bigint: true }).size);
    if (now === rest) continue;
    rest = now;
    since = time.now();
  }
  return rest;
}

/** Whether a whole line of just these bytes ends at an offset. */
export function standsAt(fs: StorageFs, handle: FileHandle, line: Buffer, end: number): boolean {
  const start = end - line.length;
  return (
    start >= 0 &&
    readStretch(fs, handle.fd, start, line.length).equals(line) &&
    endsInNewline(fs, handle, start)
  );
}

/** Where a line is found: on a line of its own, behind something that is not terminated, or not at all. */
export type LinePresence = 'whole' | 'glued' | 'absent';

/** Whether just these bytes (their `\n` the last) stand at or behind an offset where a line starts. */
export function presenceOf(fs: StorageFs, handle: FileHandle, line: Buffer, fromByte: number): LinePresence {
  let found: LinePresence = 'absent';
  let carry: Buffer = Buffer.alloc(0);
  // The byte before the stretch tells whether its first one starts a line.
  let isAtLineStart = endsInNewline(fs, handle, fromByte);
  for (const chunk of readFrom(fs, handle.fd, fromByte)) {
    const bytes = Buffer.concat([carry, chunk]);
    for (let at = bytes.indexOf(line); at >= 0; at = bytes.indexOf(line, at + 1)) {
      if (at === 0 ? isAtLineStart : bytes[at - 1] === NEWLINE) return 'whole';
      found = 'glued';
    }
    const kept = Math.min(bytes.length, line.length);
    if (kept < bytes.length) isAtLineStart = bytes[bytes.length - kept - 1] === NEWLINE;
    carry = Buffer.from(bytes.subarray(bytes.length - kept));
  }
  return found;
}
