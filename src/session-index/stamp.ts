import type { BigIntStats } from 'node:fs';

/** The character that stands for bytes that are no UTF-8. */
const REPLACEMENT = '\ufffd';

/**
 * Of a file whose name is no UTF-8: it is listed, and cannot be opened by the name that it is listed under. It stays so
 * until it is renamed.
 */
export const UNREACHABLE_STAMP = 'unreachable';

export function hasUnreachableName(path: string): boolean {
  return path.includes(REPLACEMENT);
}

/**
 * What the file system says of a file, in one string: device, inode, size in bytes, mtime and ctime in ns. Only compared
 * for equality: a restored backup may be older than what it replaces.
 */
export function stampOf(stats: BigIntStats): string {
  return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}
