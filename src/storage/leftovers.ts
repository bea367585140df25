import path from 'node:path';
import { TEMP_MARK } from './atomic-write.js';
import { ownerState } from './owner.js';
import type { StorageFs } from './storage-fs.js';

/** Ms after which a temporary file whose owner cannot be asked for is taken to be left over. */
const ABANDONED_MS = 60 * 60 * 1000;

/**
 * Removes what killed processes left of rewriting a file (B10): temporary files only, which never hold anything that is
 * not in the file itself. Best effort.
 */
export function sweepLeftovers(fs: StorageFs, file: string): void {
  const prefix = `${path.basename(file)}.`;
  try {
    for (const name of fs.readdirSync(path.dirname(file))) {
      const mark = name.startsWith(prefix) ? name.lastIndexOf(TEMP_MARK) : -1;
      if (mark < 0) continue;
      const leftover = path.join(path.dirname(file), name);
      if (isLeftOver(fs, leftover, name.slice(mark + TEMP_MARK.length))) fs.rmSync(leftover, { force: true });
    }
  } catch {
    // any error, a folder that may not be listed among them: the next rewrite sweeps again
  }
}

/** @param suffix the owner's token, `-`, and a random part */
function isLeftOver(fs: StorageFs, file: string, suffix: string): boolean {
  const state = ownerState(suffix.replace(/-[0-9a-f]{8}$/, ''));
  if (state === 'gone') return true;
  if (state === 'alive') return false;
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > ABANDONED_MS;
}
