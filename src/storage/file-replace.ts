import { type FileIdentity, TempFile } from './atomic-write.js';
import { readFrom, writeFully } from './file-bytes.js';
import type { FileHandle } from './file-handle.js';
import { sweepLeftovers } from './leftovers.js';
import { sizeAtRest } from './line-append.js';
import type { MonotonicTime } from './monotonic-time.js';
import { FILE_MODE } from './private-files.js';
import { LastBytes, SeenFile } from './seen-file.js';
import type { StorageFs } from './storage-fs.js';
import type { WriteLease } from './write-lease.js';

/** The file that gets a successor, or that is made. */
export interface ReplaceTarget {
  readonly fs: StorageFs;
  readonly time: MonotonicTime;
  readonly lease: WriteLease;
  /** As its users call it; where it really is, `lease` knows. */
  readonly path: string;
}

const NEWLINE = 0x0a;

/**
 * Puts a file made of lines in the place of the one that was seen (F33), with what stands behind the part that was seen
 * copied behind the lines (F35). The lines are written before the lock is taken: others wait only for the rest.
 *
 * @param letGo closes the old file, where an open one cannot be replaced
 * @returns how much of the new file is known: its lines; undefined, with nothing changed, when the file is not the one
 * that was seen
 */
export function replaceSeenFile(
  target: ReplaceTarget,
  old: FileHandle,
  seen: SeenFile,
  lines: Iterable<string>,
  letGo: () => void,
): SeenFile | undefined {
  const { fs, lease, time } = target;
  const stat = fs.fstatSync(old.fd);
  const temp = new TempFile(fs, lease.realPath, stat.mode & 0o777);
  old.retain();
  let isHeld = true;
  const release = () => {
    if (isHeld) old.release();
    isHeld = false;
  };
  try {
    temp.giveTo(stat.uid, stat.gid);
    const last = writeLines(temp, lines);
    temp.flush();
    return lease.quiet(() => {
      const size = sizeIfSeen(target, old, seen);
      if (size === undefined) return undefined;
      const next = new SeenFile(temp.identity, { bytes: temp.length }, last);
      if (size > seen.bytes) copyTail(temp, fs, old, seen.tornAt ?? seen.bytes, size);
      temp.seal();
      if (!lease.isHeldByUs()) return undefined;
      temp.replace(time, () => {
        letGo();
        release();
      });
      rescueStrays(fs, old, size, lease.realPath);
      sweepLeftovers(fs, lease.realPath);
      return next;
    });
  } finally {
    temp.discard();
    release();
  }
}

/**
 * Makes a file of lines under a name that nothing has, in one step.
 *
 * @returns as above; undefined, with nothing changed, when something has the name
 */
export function createFile(target: ReplaceTarget, lines: Iterable<string>): SeenFile | undefined {
  const { fs, lease, time } = target;
  if (fs.lstatSync(lease.realPath, { throwIfNoEntry: false }) !== undefined) return undefined;
  const temp = new TempFile(fs, lease.realPath, FILE_MODE);
  try {
    const last = writeLines(temp, lines);
    const identity: FileIdentity = temp.identity;
    temp.seal();
    if (!lease.alone(() => temp.create(time))) return undefined;
    sweepLeftovers(fs, lease.realPath);
    return new SeenFile(identity, { bytes: temp.length }, last);
  } finally {
    temp.discard();
  }
}

/** @returns the last bytes of the last line */
function writeLines(temp: TempFile, lines: Iterable<string>): Uint8Array {
  const last = new LastBytes();
  for (const line of lines) {
    const bytes = Buffer.from(line, 'utf8');
    temp.write(bytes);
    last.push(bytes);
  }
  return last.bytes;
}

/** The file's size, if it is still the one that was seen and holds all of it. */
function sizeIfSeen({ fs, time, path }: ReplaceTarget, old: FileHandle, seen: SeenFile): number | undefined {
  const stat = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined || !old.isSameFile(stat)) return undefined;
  const size =
    Number(stat.size) > seen.bytes ? sizeAtRest(fs, time, old, Number(stat.size)) : Number(stat.size);
  return size >= seen.bytes && seen.isIntact(fs, old) ? size : undefined;
}

/** An append behind an unterminated line begins with the `\n` that the lines have already. */
function copyTail(temp: TempFile, fs: StorageFs, old: FileHandle, from: number, to: number): void {
  let isFirst = true;
  for (const piece of readFrom(fs, old.fd, from, to)) {
    temp.write(isFirst && piece[0] === NEWLINE ? piece.subarray(1) : piece);
    isFirst = false;
  }
}

/** What a program that knows nothing of the lock appended between the copying and the rename. */
function rescueStrays(fs: StorageFs, old: FileHandle, size: number, path: string): void {
  if (!old.isOpen || fs.fstatSync(old.fd).size <= size) return;
  const fd = fs.openSync(path, 'a');
  try {
    for (const piece of readFrom(fs, old.fd, size)) writeFully(fs, fd, piece);
  } finally {
    fs.closeSync(fd);
  }
}
