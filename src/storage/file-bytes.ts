import type { StorageFs } from './storage-fs.js';

/** Bytes read at a time: large enough that the calls cost nothing beside the copying, small enough to stay in cache. */
const CHUNK_BYTES = 256 * 1024;

/** Writes all of it, however often the system takes only a part. */
export function writeFully(fs: StorageFs, fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += fs.writeSync(fd, bytes, done, bytes.length - done);
}

/** From an offset up to `end`, or to the end of the file as it is when it is reached. A piece is valid until the next. */
export function* readFrom(
  fs: StorageFs,
  fd: number,
  fromByte: number,
  end: number = Number.POSITIVE_INFINITY,
): Generator<Buffer, void, undefined> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let offset = fromByte; offset < end; ) {
    const count = fs.readSync(fd, buffer, 0, Math.min(buffer.length, end - offset), offset);
    if (count === 0) return;
    yield buffer.subarray(0, count);
    offset += count;
  }
}

/** The bytes of a stretch; fewer where the file ends before. */
export function readStretch(fs: StorageFs, fd: number, fromByte: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const count = fs.readSync(fd, bytes, done, length - done, fromByte + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}

/** The bytes of a file that is read once; it is closed when the reading ends, however it ends. */
export function* readFileFrom(fs: StorageFs, path: string, fromByte = 0): Generator<Buffer, void, undefined> {
  const fd = fs.openSync(path, 'r');
  try {
    yield* readFrom(fs, fd, fromByte);
  } finally {
    fs.closeSync(fd);
  }
}
