import path from 'node:path';
import { renameWithPatience, TempFile } from './atomic-write.js';
import { readFileFrom } from './file-bytes.js';
import type { MonotonicTime } from './monotonic-time.js';
import { ensurePrivateDir } from './private-files.js';
import { hasCode, type StorageFs } from './storage-fs.js';
import { syncDir } from './sync-dir.js';

/**
 * Moves a file to another name, replacing what has it, and makes the folder if needed. To another device it is copied
 * whole before the old name goes.
 */
export function moveFile(fs: StorageFs, time: MonotonicTime, from: string, to: string): void {
  ensurePrivateDir(fs, path.dirname(to));
  try {
    renameWithPatience(fs, time, from, to);
  } catch (error) {
    if (!hasCode(error, 'EXDEV')) throw error;
    copyAcross(fs, time, from, to);
    fs.unlinkSync(from);
  }
  syncDir(fs, path.dirname(to));
  if (path.dirname(from) !== path.dirname(to)) syncDir(fs, path.dirname(from));
}

function copyAcross(fs: StorageFs, time: MonotonicTime, from: string, to: string): void {
  const temp = new TempFile(fs, to, fs.statSync(from).mode & 0o777);
  try {
    for (const piece of readFileFrom(fs, from)) temp.write(piece);
    temp.seal();
    temp.replace(time);
  } finally {
    temp.discard();
  }
  syncDir(fs, path.dirname(to));
}
