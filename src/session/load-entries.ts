import path from 'node:path';
import { loadEntries } from '../format/load.js';
import type { FileEntry } from '../format/types.js';
import { FileSessionStorage } from '../storage/file-storage.js';
import type { SessionStorage } from '../storage/session-storage.js';

/**
 * The header and the entries of a session file, in order, nothing migrated. `[]` when there is no file, or no session in
 * it (F8). Any other error of the file system is thrown.
 */
export async function loadEntriesFromFile(
  filePath: string,
  storage: SessionStorage = new FileSessionStorage(),
): Promise<FileEntry[]> {
  const file = path.resolve(filePath);
  try {
    const chunks = storage.readChunksSync?.(file) ?? [Buffer.from(await storage.readText(file), 'utf8')];
    return loadEntries(chunks).entries;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
