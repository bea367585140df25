import { createHash } from 'node:crypto';

/** Keys of one file: `fileId * ROW_SPAN` up to, not including, `(fileId + 1) * ROW_SPAN`. */
export const ROW_SPAN = 2 ** 24;

export const MAX_SEQ = ROW_SPAN - 1;

export function rowKey(fileId: number, n: number): number {
  return fileId * ROW_SPAN + n;
}

export function fileIdOf(key: number): number {
  return Math.floor(key / ROW_SPAN);
}

export function seqOf(key: number): number {
  return key % ROW_SPAN;
}

/**
 * A number for a name that every worker derives alike, so that what they wrote can be put together without asking each
 * other. 46 bits: of ten thousand names, two share a number with a probability under one in a million.
 */
export function nameKey(...parts: readonly string[]): number {
  const hash = createHash('sha256').update(parts.join('\0')).digest();
  return hash.readUIntBE(0, 6) % 2 ** 46;
}
