import type { FoundFile } from './walk.js';

/** What the index remembers of a file. */
export interface KnownFile {
  readonly id: number;
  readonly path: string;
  readonly stamp: string;
}

/** What differs between the disk and the index. */
export interface Drift {
  /** New or changed files. */
  readonly added: readonly FoundFile[];
  /** Numbers of files that are gone, or changed and so taken in under a new number. */
  readonly removedIds: readonly number[];
  readonly unchanged: number;
  /** Of `removedIds`, files that are gone from the disk. */
  readonly gone: number;
}

/**
 * Compares what the disk says with what the index remembers. Stamps are compared for equality only: an older time is a
 * change like a newer one.
 *
 * @param keptFolders folders that could not be listed: what is known below them stays as it is
 */
export function driftBetween(
  found: readonly FoundFile[],
  known: readonly KnownFile[],
  keptFolders: readonly string[],
): Drift {
  const byPath = new Map(known.map((file) => [file.path, file]));
  const added: FoundFile[] = [];
  const removedIds: number[] = [];
  let unchanged = 0;
  for (const file of found) {
    const before = byPath.get(file.path);
    byPath.delete(file.path);
    if (before && before.stamp === file.stamp && file.stamp !== '') unchanged += 1;
    else {
      added.push(file);
      if (before) removedIds.push(before.id);
    }
  }
  const changed = removedIds.length;
  for (const { id, path } of byPath.values()) {
    if (!keptFolders.some((folder) => isBelow(path, folder))) removedIds.push(id);
  }
  return { added, removedIds, unchanged, gone: removedIds.length - changed };
}

export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
