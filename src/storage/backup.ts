import path from 'node:path';
import { TempFile } from './atomic-write.js';
import { readFileFrom } from './file-bytes.js';
import type { MonotonicTime } from './monotonic-time.js';
import type { StorageFs } from './storage-fs.js';
import { syncDir } from './sync-dir.js';

/** Stands between a file's name and the time at which its bytes were kept (F15). */
const BACKUP_MARK = '.bak-';

/** The name under which a file's bytes are kept (F15): neither it nor any other copy's name ends in `.jsonl`. */
export function backupPath(file: string, nowMs: number, number: number): string {
  const stamp = new Date(nowMs).toISOString().replace(/[:.]/g, '-');
  return `${file}${BACKUP_MARK}${stamp}${number === 1 ? '' : `-${number}`}`;
}

/**
 * Copies a file's bytes as they are to `<file>.bak-<timestamp>`, with its permissions, and has the device keep them
 * (F15). No backup is ever replaced: a number is added where the name is taken. Throws with nothing left behind.
 *
 * @param nowMs Unix ms
 * @returns the copy's path
 */
export function keepBackup(fs: StorageFs, time: MonotonicTime, file: string, nowMs: number): string {
  const mode = fs.statSync(file).mode & 0o777;
  for (let number = 1; ; number += 1) {
    const copy = backupPath(file, nowMs, number);
    if (fs.existsSync(copy) || !tryCopy(fs, time, file, copy, mode)) continue;
    syncDir(fs, path.dirname(copy));
    return copy;
  }
}

/** @returns false when something has the name */
function tryCopy(fs: StorageFs, time: MonotonicTime, file: string, copy: string, mode: number): boolean {
  const temp = new TempFile(fs, copy, mode);
  try {
    for (const piece of readFileFrom(fs, file)) temp.write(piece);
    temp.seal();
    return temp.create(time);
  } finally {
    temp.discard();
  }
}
