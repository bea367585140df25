import path from 'node:path';
import { renameWithPatience } from './atomic-write.js';
import { globDepth, globPattern } from './glob.js';
import type { MonotonicTime } from './monotonic-time.js';
import { DIR_MODE, ensurePrivateDir } from './private-files.js';
import { hasCode, type StorageFs, systemError } from './storage-fs.js';
import { syncDir } from './sync-dir.js';

/**
 * The files below a folder that match a glob, in code unit order. Links to files are files; links to folders are not
 * followed by `**`, which could lead in circles, but a folder named in the pattern may be one. `[]` without the folder.
 */
export function listFiles(fs: StorageFs, dir: string, pattern: string): string[] {
  const matcher = globPattern(pattern);
  const depth = globDepth(pattern);
  const found: string[] = [];
  const pending = [{ below: '', level: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const { name, isDir } of namesIn(fs, path.join(dir, next.below), depth < Number.POSITIVE_INFINITY)) {
      const below = next.below === '' ? name : `${next.below}/${name}`;
      if (!isDir && matcher.test(below)) found.push(path.join(dir, below));
      else if (isDir && next.level < depth) pending.push({ below, level: next.level + 1 });
    }
  }
  return found.sort();
}

function* namesIn(
  fs: StorageFs,
  dir: string,
  followsLinks: boolean,
): Generator<{ readonly name: string; readonly isDir: boolean }> {
  let names: ReturnType<typeof readNames>;
  try {
    names = readNames(fs, dir);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return;
    throw error;
  }
  for (const entry of names) {
    if (!entry.isSymbolicLink()) yield { name: entry.name, isDir: entry.isDirectory() };
    else {
      const stat = fs.statSync(path.join(dir, entry.name), { throwIfNoEntry: false });
      if (stat !== undefined && (followsLinks || !stat.isDirectory())) {
        yield { name: entry.name, isDir: stat.isDirectory() };
      }
    }
  }
}

function readNames(fs: StorageFs, dir: string) {
  return fs.readdirSync(dir, { withFileTypes: true });
}

/** Copies a folder and what is in it. Files that exist at the destination are kept; without a folder nothing happens. */
export function copyDir(fs: StorageFs, from: string, to: string): void {
  if (!fs.existsSync(from)) return;
  ensurePrivateDir(fs, to);
  const pending = [{ from, to }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const entry of readNames(fs, next.from)) {
      const source = path.join(next.from, entry.name);
      const copy = path.join(next.to, entry.name);
      if (entry.isDirectory()) {
        fs.mkdirSync(copy, { recursive: true, mode: DIR_MODE });
        pending.push({ from: source, to: copy });
      } else if (entry.isSymbolicLink()) copyLink(fs, source, copy);
      else if (entry.isFile()) copyFile(fs, source, copy);
    }
  }
}

function copyFile(fs: StorageFs, source: string, copy: string): void {
  try {
    fs.copyFileSync(source, copy, fs.constants.COPYFILE_EXCL);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

function copyLink(fs: StorageFs, source: string, copy: string): void {
  const target = path.resolve(path.dirname(source), fs.readlinkSync(source));
  try {
    fs.symlinkSync(target, copy);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

/**
 * Moves a folder and what is in it; to another device it is copied before the old one goes. Throws EEXIST, with nothing
 * changed, when something has the name. Without a folder nothing happens.
 */
export function moveDir(fs: StorageFs, time: MonotonicTime, from: string, to: string): void {
  if (!fs.existsSync(from)) return;
  if (fs.lstatSync(to, { throwIfNoEntry: false }) !== undefined)
    throw systemError('EEXIST', 'file already exists, rename', to);
  ensurePrivateDir(fs, path.dirname(to));
  try {
    renameWithPatience(fs, time, from, to);
  } catch (error) {
    if (!hasCode(error, 'EXDEV')) throw error;
    copyDir(fs, from, to);
    fs.rmSync(from, { recursive: true, force: true });
  }
  syncDir(fs, path.dirname(to));
  if (path.dirname(from) !== path.dirname(to)) syncDir(fs, path.dirname(from));
}
