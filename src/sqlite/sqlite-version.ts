import SqliteDatabase from 'better-sqlite3';

/** Of the SQLite that is built into better-sqlite3. */
export function sqliteVersion(): string {
  const db = new SqliteDatabase(':memory:');
  try {
    return String(db.prepare('SELECT sqlite_version()').pluck().get());
  } finally {
    db.close();
  }
}
