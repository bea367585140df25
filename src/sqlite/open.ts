import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { SessiondexError } from '../errors.js';
import { type MigrateOptions, migrate, refuseNewer, type SchemaName, schemaVersion } from './migrations.js';
import { ensurePrivateFile } from './private-file.js';
import { asIndexError } from './sqlite-error.js';

/** `PRAGMA application_id` of our databases ("SDX" and a number): how we tell ours from another program's. */
export const APPLICATION_IDS: Readonly<Record<SchemaName, number>> = {
  index: 0x53445831,
  search: 0x53445832,
};

/** ms that SQLite itself waits for another process's transaction. */
const BUSY_TIMEOUT_MS = 60_000;

/**
 * Opens one of our databases for writing; makes it, private, when it is missing, and migrates it when it is older.
 *
 * @throws SessiondexError INDEX_FOREIGN when the file is not ours (it is not touched), INDEX_TOO_NEW, INDEX_CORRUPT,
 *   FILE_IO
 */
export function openForWriting(path: string, schema: SchemaName): Database {
  ensurePrivateFile(path);
  const db = connect(path, schema, false);
  return usable(db, path, () => {
    db.pragma('synchronous = NORMAL');
    const version = db.pragma('user_version', { simple: true }) as number;
    if (version !== schemaVersion(schema)) migrate(db, schema, APPLICATION_IDS[schema]);
    // Only after the schema is there: a reader that finds an empty database must not find a WAL that hides it.
    db.pragma('journal_mode = WAL');
  });
}

/**
 * Opens one of our databases for reading only.
 *
 * @throws SessiondexError as `openForWriting`; FILE_IO when it does not exist
 */
export function openForReading(path: string, schema: SchemaName): Database {
  const db = connect(path, schema, true);
  return usable(db, path, () => {
    refuseNewer(db, db.pragma('user_version', { simple: true }) as number, schemaVersion(schema));
  });
}

/**
 * Opens a new database that one process fills at full speed: no journal, nothing synced. If the process dies, the file
 * is thrown away. `finishScratch` makes it durable.
 */
export function openScratch(path: string, schema: SchemaName, options: MigrateOptions = {}): Database {
  ensurePrivateFile(path);
  const db = new SqliteDatabase(path);
  return usable(db, path, () => {
    db.pragma('journal_mode = OFF');
    db.pragma('synchronous = OFF');
    db.pragma('locking_mode = EXCLUSIVE');
    migrate(db, schema, APPLICATION_IDS[schema], options);
  });
}

function connect(path: string, schema: SchemaName, readonly: boolean): Database {
  refuseForeign(path, schema);
  try {
    return new SqliteDatabase(path, { readonly, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  } catch (error) {
    throw asIndexError(error, path);
  }
}

function usable(db: Database, path: string, prepare: () => void): Database {
  try {
    prepare();
    return db;
  } catch (error) {
    db.close();
    throw asIndexError(error, path);
  }
}

const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';
const APPLICATION_ID_OFFSET = 68;

/**
 * Looks at the file's first bytes without SQLite, which would write beside another program's database. Ours carry the
 * id from their first commit on; an empty file is one that another process is about to fill.
 *
 * @throws SessiondexError INDEX_FOREIGN
 */
export function refuseForeign(path: string, schema: SchemaName): void {
  if (!existsSync(path)) return;
  const header = Buffer.alloc(HEADER_BYTES);
  const length = readHeader(path, header);
  if (length === 0) return;
  const isSqlite = header.toString('latin1', 0, MAGIC.length) === MAGIC;
  if (isSqlite && header.readUInt32BE(APPLICATION_ID_OFFSET) === APPLICATION_IDS[schema]) return;
  throw new SessiondexError('INDEX_FOREIGN', `${path} is not a sessiondex index; it was left alone`, {
    where: { path },
    hint: 'Move it away, or choose another index with --db FILE.',
  });
}

function readHeader(path: string, header: Buffer): number {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch (error) {
    throw asIndexError(error, path);
  }
  try {
    return readSync(fd, header, 0, HEADER_BYTES, 0);
  } finally {
    closeSync(fd);
  }
}
