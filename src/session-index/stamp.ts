import type { BigIntStats } from 'node:fs';

/**
 * What the file system says of a file, in one string: device, inode, size in bytes, mtime and ctime in ns. Only compared
 * for equality: a restored backup may be older than what it replaces.
 */
export function stampOf(stats: BigIntStats): string {
  return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}
