import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/**
 * Makes an empty file that only its owner can read, and the folders it needs, before SQLite opens it: SQLite would make
 * it readable for others, and gives `-wal` and `-shm` the mode of the database.
 */
export function ensurePrivateFile(path: string): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE });
  closeSync(openSync(path, 'a', FILE_MODE));
  chmodSync(path, FILE_MODE);
}
