import { readStretch } from './file-bytes.js';
import type { FileHandle } from './file-handle.js';
import type { StorageFs } from './storage-fs.js';

const NEWLINE = 0x0a;

/**
 * Writes a line over one of the same width in place. To be called while no other process rewrites the file.
 *
 * @returns false, with nothing done, when the name leads to another file or no line of this width stands there
 */
export function overwriteLine(
  fs: StorageFs,
  path: string,
  file: FileHandle,
  byteOffset: number,
  line: Buffer,
): boolean {
  const old = readStretch(fs, file.fd, byteOffset, line.length);
  const startsLine = byteOffset === 0 || readStretch(fs, file.fd, byteOffset - 1, 1)[0] === NEWLINE;
  if (!startsLine || old.length < line.length || old.indexOf(NEWLINE) !== line.length - 1) return false;
  // A file that is open for appending is written at its end, wherever one wants to write.
  const fd = fs.openSync(path, 'r+');
  try {
    if (!file.isSameFile(fs.fstatSync(fd, { bigint: true }))) return false;
    writeOver(fs, fd, byteOffset, line, old);
    return true;
  } finally {
    fs.closeSync(fd);
  }
}

/** Half a new line over half an old one would be neither: what was there is put back. */
function writeOver(fs: StorageFs, fd: number, byteOffset: number, line: Buffer, old: Buffer): void {
  try {
    writeAt(fs, fd, byteOffset, line);
  } catch (error) {
    try {
      writeAt(fs, fd, byteOffset, old);
    } catch {
      // any error: the first one is reported, and a rewrite follows it
    }
    throw error;
  }
}

function writeAt(fs: StorageFs, fd: number, byteOffset: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; )
    done += fs.writeSync(fd, bytes, done, bytes.length - done, byteOffset + done);
}
