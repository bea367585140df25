import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The files that belong to an index at `dbPath`, all in its folder. */
export class IndexPaths {
  readonly dbPath: string;

  constructor(dbPath: string) {
    this.dbPath = dbPath;
  }

  get folder(): string {
    return dirname(this.dbPath);
  }

  /** Held while the index is changed. */
  get writeLock(): string {
    return `${this.dbPath}-write.lock`;
  }

  /** Held while the index is built anew beside the old one. */
  get buildLock(): string {
    return `${this.dbPath}-build.lock`;
  }

  shardFileName(generation: string, shardId: number): string {
    return `${basename(this.dbPath)}-search-${generation}-${shardId}`;
  }

  shardPath(fileName: string): string {
    return join(this.folder, fileName);
  }

  /** Rows that a worker of a build has made, before they are put together. */
  stagingPath(generation: string, shardId: number): string {
    return `${this.dbPath}-staging-${generation}-${shardId}`;
  }

  /** Moves a damaged index out of the way, nothing of it deleted. */
  setAside(nowMs: number): string {
    const aside = `${this.dbPath}.damaged-${new Date(nowMs).toISOString().replace(/[:.]/g, '-')}`;
    for (const suffix of ['', '-wal', '-shm', '-journal']) {
      if (existsSync(this.dbPath + suffix)) renameSync(this.dbPath + suffix, aside + suffix);
    }
    return aside;
  }

  /** Removes a database and everything that SQLite keeps beside it. Missing ones are no error. */
  remove(path: string): void {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true });
  }

  /**
   * Removes what builds that were killed have left: shards and staging databases of other generations. Only for the
   * holder of both locks.
   */
  removeLeftovers(currentShards: readonly string[]): void {
    const own = basename(this.dbPath);
    const isLeftover = (name: string) =>
      (name.startsWith(`${own}-search-`) || name.startsWith(`${own}-staging-`)) &&
      !currentShards.some((current) => name === current || name.startsWith(`${current}-`));
    for (const name of readdirSync(this.folder).filter(isLeftover))
      rmSync(join(this.folder, name), { force: true });
  }
}
