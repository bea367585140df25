import path from 'node:path';
import type { StorageFs } from './storage-fs.js';
import { syncDir } from './sync-dir.js';

/** Sessions are private conversations: only their owner reads them. Files that exist keep the mode they have. */
export const FILE_MODE = 0o600;
export const DIR_MODE = 0o700;

/** Makes a folder and those above it, where they are missing, and has the device keep their names. */
export function ensurePrivateDir(fs: StorageFs, dir: string): void {
  // Most often it is there, and a look costs less than the attempt.
  if (fs.existsSync(dir)) return;
  const first = fs.mkdirSync(dir, { recursive: true, mode: DIR_MODE });
  if (first === undefined) return; // another process was quicker
  for (let made = path.resolve(dir); ; made = path.dirname(made)) {
    syncDir(fs, path.dirname(made));
    if (made === path.resolve(first) || made === path.dirname(made)) return;
  }
}
