import { type BigIntStats, type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hasUnreachableName, stampOf, UNREACHABLE_STAMP } from './stamp.js';

/** A session file candidate on disk. */
export interface FoundFile {
  /** Absolute. */
  readonly path: string;
  readonly stamp: string;
  readonly sizeBytes: number;
}

export interface WalkResult {
  readonly files: readonly FoundFile[];
  /** Folders that could not be listed: what was known below them is kept, it only looks gone. */
  readonly unlistable: readonly { readonly path: string; readonly reason: string }[];
}

const SESSION_FILE = '.jsonl';

/**
 * Every `*.jsonl` below the roots, at any depth, whatever the folders are called. Links to folders and files are
 * followed, each real folder is visited once, dangling links are nothing.
 *
 * @param roots absolute real paths
 */
export function walk(roots: readonly string[]): WalkResult {
  const files = new Map<string, FoundFile>();
  const unlistable: { path: string; reason: string }[] = [];
  const visited = new Set<string>();
  const linkedFiles: string[] = [];
  const linkedFolders: string[] = [];

  const visit = (start: Folder) => {
    const pending = [start];
    for (let folder = pending.pop(); folder; folder = pending.pop()) {
      if (visited.has(folder.real)) continue;
      visited.add(folder.real);
      for (const item of list(folder.path, unlistable)) {
        const path = join(folder.path, item.name);
        if (item.isDirectory()) pending.push({ path, real: join(folder.real, item.name) });
        else if (item.isSymbolicLink()) (isFolder(path) ? linkedFolders : linkedFiles).push(path);
        else if (item.isFile() && item.name.endsWith(SESSION_FILE)) addFile(files, path);
      }
    }
  };

  for (const root of roots) visit({ path: root, real: root });
  // Links last: what is also there under its own name is known by that name.
  for (let path = linkedFolders.shift(); path !== undefined; path = linkedFolders.shift()) {
    const real = realPath(path);
    if (real !== undefined) visit({ path, real });
  }
  for (const path of linkedFiles) {
    const real = path.endsWith(SESSION_FILE) ? realPath(path) : undefined;
    if (real !== undefined && !files.has(real)) addFile(files, path);
  }
  return { files: [...files.values()], unlistable };
}

/** A folder under the path by which it was reached, and its real one. */
interface Folder {
  readonly path: string;
  readonly real: string;
}

function list(folder: string, unlistable: { path: string; reason: string }[]): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // A folder that vanished between its parent's listing and its own holds no files.
    if (code !== 'ENOENT' && code !== 'ENOTDIR') unlistable.push({ path: folder, reason: message });
    return [];
  }
}

function addFile(files: Map<string, FoundFile>, path: string): void {
  const stats = statOf(path);
  if (!stats && hasUnreachableName(path)) files.set(path, { path, stamp: UNREACHABLE_STAMP, sizeBytes: 0 });
  else if (stats === 'unknown') files.set(path, { path, stamp: '', sizeBytes: 0 });
  else if (stats?.isFile()) files.set(path, { path, stamp: stampOf(stats), sizeBytes: Number(stats.size) });
}

/** `unknown`: the file is there, and the system does not say more. */
function statOf(path: string): BigIntStats | 'unknown' | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return 'unknown'; // EACCES, EIO, ELOOP: reading it will say why
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false; // ELOOP, EACCES: a link that leads nowhere we can go
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // ENOENT, ELOOP: a dangling or circular link
  }
}
