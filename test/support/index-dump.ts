import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';

const SPAN = 2 ** 24;

/**
 * Everything an index says, independent of the numbers it gave to files: by path, every row of every table, and every
 * word at its place. Two indexes of the same files have equal dumps.
 */
export function dumpIndex(dbPath: string): Record<string, unknown> {
  const db = new Database(dbPath, { readonly: true });
  const shards = db.prepare('SELECT id, file_name FROM shards').all() as { id: number; file_name: string }[];
  const paths = new Map(
    (db.prepare('SELECT id, path FROM files').all() as { id: number; path: string }[]).map((row) => [
      row.id,
      row.path,
    ]),
  );
  const pathOf = (fileId: number | null) =>
    fileId === null ? null : (paths.get(fileId) ?? `unknown file ${fileId}`);
  const dump: Record<string, unknown> = {};
  const put = (fileId: number, table: string, row: Record<string, unknown>) => {
    const key = `${pathOf(fileId)} ${table}`;
    const rows = (dump[key] ?? []) as unknown[];
    rows.push(row);
    dump[key] = rows;
  };
  for (const table of ['files', 'sessions']) {
    for (const { id, shard_id, parent_file_id, ...row } of db
      .prepare(`SELECT * FROM ${table} ORDER BY id`)
      .all() as Row[]) {
      put(
        id as number,
        table,
        table === 'sessions' ? { ...row, parent: pathOf(parent_file_id as number | null) } : row,
      );
    }
  }
  const keyed = [
    'entries',
    'parents',
    'orphans',
    'labels',
    'blob_refs',
    'usage',
    'model_changes',
    'tool_calls',
    'problems',
  ];
  for (const table of keyed) {
    for (const { id, model_id, kind_id, ...row } of db
      .prepare(`SELECT * FROM ${table} ORDER BY id`)
      .all() as Row[]) {
      const names = { ...nameOf(db, 'models', model_id), ...nameOf(db, 'kinds', kind_id) };
      put(Math.floor((id as number) / SPAN), table, { n: (id as number) % SPAN, ...names, ...row });
    }
  }
  for (const row of db.prepare('SELECT id, original_id FROM copies ORDER BY id').all() as Row[]) {
    const original = row.original_id as number;
    put(Math.floor((row.id as number) / SPAN), 'copies', {
      n: (row.id as number) % SPAN,
      of: `${pathOf(Math.floor(original / SPAN))} ${original % SPAN}`,
    });
  }
  for (const shard of shards) dumpText(join(dirname(dbPath), shard.file_name), paths, put);
  db.close();
  return Object.fromEntries(Object.entries(dump).sort(([a], [b]) => (a < b ? -1 : 1)));
}

type Row = Record<string, unknown>;

function nameOf(db: Database.Database, table: string, id: unknown): Row {
  if (id === undefined) return {};
  const { id: _, ...names } = (db.prepare(`SELECT * FROM ${table} WHERE id = ?`).get(id) ?? {}) as Row;
  return names;
}

function dumpText(
  path: string,
  paths: ReadonlyMap<number, string>,
  put: (fileId: number, table: string, row: Row) => void,
): void {
  const db = new Database(path, { readonly: true });
  for (const table of ['prose', 'thinking', 'tools']) {
    db.exec(`CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, ${table}, instance)`);
    const rows = db
      .prepare('SELECT doc, "offset" AS at, term FROM temp.words ORDER BY doc, "offset"')
      .all() as Row[];
    for (const { doc, at, term } of rows) {
      const fileId = Math.floor((doc as number) / SPAN);
      if (paths.has(fileId)) put(fileId, table, { n: (doc as number) % SPAN, at, term });
    }
    db.exec('DROP TABLE temp.words');
  }
  db.close();
}
