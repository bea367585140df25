import { hasCode, type StorageFs } from './storage-fs.js';

/** The device knows the folder's names as they are now. Where folders cannot be synced, they need not be. */
export function syncDir(fs: StorageFs, dir: string): void {
  let fd: number;
  try {
    fd = fs.openSync(dir, 'r');
  } catch (error) {
    if (hasCode(error, 'EPERM', 'EISDIR', 'EACCES')) return; // Windows; or a folder that can be written and not listed
    throw error;
  }
  try {
    fs.fsyncSync(fd);
  } catch (error) {
    if (!hasCode(error, 'EPERM', 'EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'EBADF')) throw error;
  } finally {
    fs.closeSync(fd);
  }
}
