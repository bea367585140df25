import type { Database } from 'better-sqlite3';
import { sharedEntryIds } from './copies.js';
import { ENTRY_TABLES, FILE_TABLES, NAME_TABLES } from './facets/registry.js';
import { rowKey } from './keys.js';
import type { ShardFile } from './state.js';

/**
 * The steps by which a change becomes visible, each within the one transaction of the main database that the caller
 * holds: readers see all of a change or nothing of it (rule 4).
 */

const ROW_TABLES: readonly string[] = [...FILE_TABLES, ...ENTRY_TABLES, 'problems'];

export interface Removal {
  /** Entry ids of the removed files that stand in other files too: whose copies they were must be settled anew. */
  readonly sharedEntryIds: ReadonlySet<string>;
}

/**
 * Removes files' rows. Copies of their entries stay noted as such until `settle`, which thus sees what changes. Their
 * text stays in the shards, unreachable, until `purge` of a later change.
 */
export function removeFiles(db: Database, fileIds: readonly number[], revision: number): Removal {
  const shared = new Set<string>();
  for (const id of fileIds) for (const entryId of sharedEntryIds(db, id)) shared.add(entryId);
  const retire = db.prepare(
    'INSERT INTO retired_files (id, shard_id, revision) SELECT id, shard_id, ? FROM files WHERE id = ?',
  );
  const byKey = [...ENTRY_TABLES, 'problems'].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE id >= ? AND id < ?`),
  );
  const byId = FILE_TABLES.map((table) => db.prepare(`DELETE FROM ${table} WHERE id = ?`));
  for (const id of fileIds) {
    retire.run(revision, id);
    for (const statement of byKey) statement.run(rowKey(id, 0), rowKey(id + 1, 0));
    for (const statement of byId) statement.run(id);
  }
  return { sharedEntryIds: shared };
}

/** Removes every row of every file. */
export function removeEverything(db: Database): void {
  for (const table of [...ROW_TABLES, ...NAME_TABLES, 'retired_files']) db.exec(`DELETE FROM ${table}`);
}

export function replaceShards(db: Database, shards: readonly ShardFile[]): void {
  db.exec('DELETE FROM shards');
  const insert = db.prepare('INSERT INTO shards (id, file_name) VALUES (?, ?)');
  for (const { id, fileName } of shards) insert.run(id, fileName);
}

/** Attaches the databases in which workers gathered rows; not possible inside a transaction. */
export function attachStaging(db: Database, paths: readonly string[]): string[] {
  return paths.map((path, n) => {
    const name = `staging${n}`;
    db.prepare(`ATTACH ? AS ${name}`).run(path);
    return name;
  });
}

export function detachStaging(db: Database, names: readonly string[]): void {
  for (const name of names) db.exec(`DETACH ${name}`);
}

/** Copies what workers gathered. */
export function copyStaged(db: Database, names: readonly string[]): void {
  for (const name of names) {
    for (const table of ROW_TABLES) db.exec(`INSERT INTO main.${table} SELECT * FROM ${name}.${table}`);
    for (const table of NAME_TABLES)
      db.exec(`INSERT OR IGNORE INTO main.${table} SELECT * FROM ${name}.${table}`);
  }
}

/** Runs `fill` on tables without their secondary indexes and makes these again: much is about to be written. */
export function withoutIndexes(db: Database, fill: () => void): void {
  const indexes = db
    .prepare<[], { name: string; sql: string }>(
      `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND tbl_name <> 'files'`,
    )
    .all();
  for (const { name } of indexes) db.exec(`DROP INDEX ${name}`);
  fill();
  for (const { sql } of indexes) db.exec(sql);
}
