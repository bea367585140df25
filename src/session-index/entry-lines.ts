import { closeSync, openSync, readSync } from 'node:fs';
import { SessiondexError } from '../errors.js';
import { isTyped, type TypedObject } from '../format/json.js';

/** Bytes in a session file. */
export interface LinePlace {
  readonly byteOffset: number;
  readonly byteLength: number;
}

/** Lines nearer to each other than this are read with one call. */
const GAP_BYTES = 16 * 1024;
const BLOCK_BYTES = 4 * 1024 * 1024;

/**
 * Reads entries by their places, in the given order, which should be the file's. An entry that is not there any more,
 * because the file was changed since, is undefined.
 *
 * @throws SessiondexError FILE_IO
 */
export function readLines(path: string, places: readonly LinePlace[]): (TypedObject | undefined)[] {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch (error) {
    throw unreadable(path, error);
  }
  try {
    return blocksOf(places).flatMap((block) => readBlock(fd, block));
  } catch (error) {
    throw unreadable(path, error);
  } finally {
    closeSync(fd);
  }
}

function unreadable(path: string, error: unknown): SessiondexError {
  const message = error instanceof Error ? error.message : String(error);
  return new SessiondexError('FILE_IO', `the session file cannot be read: ${message}`, {
    where: { path },
    hint: 'Run "sessiondex sync" if it was moved.',
    cause: error,
  });
}

function blocksOf(places: readonly LinePlace[]): LinePlace[][] {
  const blocks: LinePlace[][] = [];
  let block: LinePlace[] = [];
  for (const place of places) {
    const last = block.at(-1);
    const start = block[0]?.byteOffset ?? 0;
    const end = last ? last.byteOffset + last.byteLength : 0;
    const fits =
      last &&
      place.byteOffset >= end &&
      place.byteOffset - end <= GAP_BYTES &&
      place.byteOffset + place.byteLength - start <= BLOCK_BYTES;
    if (fits) block.push(place);
    else {
      block = [place];
      blocks.push(block);
    }
  }
  return blocks;
}

function readBlock(fd: number, block: readonly LinePlace[]): (TypedObject | undefined)[] {
  const start = block[0]?.byteOffset ?? 0;
  const last = block.at(-1);
  const bytes = Buffer.allocUnsafe(last ? last.byteOffset + last.byteLength - start : 0);
  const length = readFully(fd, bytes, start);
  return block.map(({ byteOffset, byteLength }) => {
    const from = byteOffset - start;
    return from + byteLength <= length
      ? parseObject(bytes.toString('utf8', from, from + byteLength))
      : undefined;
  });
}

function readFully(fd: number, bytes: Buffer, position: number): number {
  let filled = 0;
  while (filled < bytes.length) {
    const length = readSync(fd, bytes, filled, bytes.length - filled, position + filled);
    if (length === 0) break;
    filled += length;
  }
  return filled;
}

function parseObject(text: string): TypedObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isTyped(value) ? value : undefined;
  } catch {
    return undefined; // SyntaxError: the file was changed since it was indexed
  }
}
