import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { SessiondexError } from '../errors.js';
import { packageRoot } from './package-root.js';

/** Which of the package's schemas: a folder of numbered SQL files below `migrations/`. */
export type SchemaName = 'index' | 'search';

const BREAKPOINT = '--> statement-breakpoint';

/** The number of migrations that this program knows; a database's `user_version` counts those applied to it. */
export function schemaVersion(schema: SchemaName): number {
  return migrationFiles(schema).length;
}

function migrationFiles(schema: SchemaName): string[] {
  const folder = join(packageRoot(), 'migrations', schema);
  return readdirSync(folder)
    .filter((name) => /^\d{4}_.*\.sql$/.test(name))
    .sort()
    .map((name) => join(folder, name));
}

export interface MigrateOptions {
  /** Leaves out secondary indexes: a scratch database that is only filled and copied from has no use for them. */
  readonly withoutIndexes?: boolean;
}

/**
 * Brings a database to this program's schema in one transaction. The version is read inside the transaction, so that of
 * several processes one migrates and the others find it done.
 *
 * @throws SessiondexError INDEX_TOO_NEW when a newer program wrote the database; it is left alone
 */
export function migrate(
  db: Database,
  schema: SchemaName,
  applicationId: number,
  options: MigrateOptions = {},
): void {
  const pending = migrationFiles(schema);
  const apply = db.transaction(() => {
    const applied = db.pragma('user_version', { simple: true }) as number;
    refuseNewer(db, applied, pending.length);
    for (const path of pending.slice(applied)) applyFile(db, path, options);
    db.pragma(`application_id = ${applicationId}`);
    db.pragma(`user_version = ${pending.length}`);
  });
  apply.immediate();
}

export function refuseNewer(db: Database, applied: number, known: number): void {
  if (applied <= known) return;
  throw new SessiondexError(
    'INDEX_TOO_NEW',
    `the index was written by a newer sessiondex (schema ${applied}, this one knows ${known})`,
    {
      where: { path: db.name },
      hint: 'Update sessiondex, or choose another index with --db.',
    },
  );
}

function applyFile(db: Database, path: string, options: MigrateOptions): void {
  for (const statement of readFileSync(path, 'utf8').split(BREAKPOINT)) {
    const isIndex = /^\s*CREATE\s+(UNIQUE\s+)?INDEX\b/i.test(statement);
    if (isIndex && options.withoutIndexes) continue;
    db.exec(statement);
  }
}
