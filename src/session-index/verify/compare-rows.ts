import type { Database } from 'better-sqlite3';
import { ENTRY_TABLES, FILE_TABLES, NAME_TABLES } from '../facets/registry.js';
import { fileIdOf, ROW_SPAN, seqOf } from '../keys.js';
import type { DifferenceList } from './difference-list.js';

/** Columns that say where something is kept, not what the files say. */
const PHYSICAL: ReadonlySet<string> = new Set(['shard_id']);

/** Tables whose key is the key of an entry. */
const KEYED_BY_ENTRY: ReadonlySet<string> = new Set([
  'entries',
  'parents',
  'orphans',
  'labels',
  'model_changes',
  'copies',
]);

/**
 * Compares every row of the index with the row that the files give now, both ways.
 *
 * @param db the index, with what the files give attached as `fresh`; files have the same numbers in both
 */
export function compareRows(db: Database, differences: DifferenceList): void {
  for (const table of [...FILE_TABLES, ...ENTRY_TABLES, 'problems']) compareTable(db, table, differences);
  for (const table of NAME_TABLES) compareNames(db, table, differences);
}

function columnsOf(db: Database, table: string): string[] {
  const columns = db.pragma(`main.table_info(${table})`) as { name: string }[];
  return columns.map(({ name }) => name).filter((name) => !PHYSICAL.has(name));
}

function compareTable(db: Database, table: string, differences: DifferenceList): void {
  const columns = columnsOf(db, table);
  const others = columns.filter((name) => name !== 'id');
  const differs = others.map((name) => `a.${name} IS NOT b.${name}`).join(' OR ');
  const changed = db
    .prepare<[number], Record<string, unknown>>(
      `SELECT ${columns.map((name) => `a.${name} AS a_${name}, b.${name} AS b_${name}`).join(', ')}
       FROM main.${table} a JOIN fresh.${table} b ON b.id = a.id WHERE ${differs} LIMIT ?`,
    )
    .all(differences.room);
  for (const row of changed) {
    const id = row.a_id as number;
    for (const name of others) {
      if (Object.is(row[`a_${name}`], row[`b_${name}`])) continue;
      differences.add({
        kind: 'row',
        ...place(db, table, id),
        field: `${table}.${name}`,
        expected: row[`b_${name}`],
        actual: row[`a_${name}`],
      });
    }
  }
  const missing = idsOnlyIn(db, 'fresh', 'main', table, differences.room);
  for (const id of missing) addWhole(db, table, id, 'a row', 'none', differences);
  const surplus = idsOnlyIn(db, 'main', 'fresh', table, differences.room);
  for (const id of surplus) addWhole(db, table, id, 'none', 'a row', differences);
}

function idsOnlyIn(db: Database, here: string, there: string, table: string, limit: number): number[] {
  return db
    .prepare<[number], number>(
      `SELECT a.id FROM ${here}.${table} a LEFT JOIN ${there}.${table} b ON b.id = a.id WHERE b.id IS NULL LIMIT ?`,
    )
    .pluck()
    .all(limit);
}

function addWhole(
  db: Database,
  table: string,
  id: number,
  expected: string,
  actual: string,
  differences: DifferenceList,
): void {
  differences.add({ kind: 'row', ...place(db, table, id), field: table, expected, actual });
}

/** A name that no row uses any more is harmless; one that is missing or another is not. */
function compareNames(db: Database, table: string, differences: DifferenceList): void {
  const names = columnsOf(db, table).filter((name) => name !== 'id');
  const differs = names.map((name) => `a.${name} IS NOT b.${name}`).join(' OR ');
  const rows = db
    .prepare<[number], Record<string, unknown>>(
      `SELECT b.id AS b_id, ${names.map((name) => `a.${name} AS a_${name}, b.${name} AS b_${name}`).join(', ')}
       FROM fresh.${table} b LEFT JOIN main.${table} a ON a.id = b.id WHERE ${differs} LIMIT ?`,
    )
    .all(differences.room);
  for (const row of rows) {
    for (const name of names) {
      if (Object.is(row[`a_${name}`], row[`b_${name}`])) continue;
      differences.add({
        kind: 'row',
        path: null,
        sessionId: null,
        field: `${table}.${name}`,
        expected: row[`b_${name}`],
        actual: row[`a_${name}`],
      });
    }
  }
}

/** Which file, session and entry a row belongs to. */
export function place(
  db: Database,
  table: string,
  id: number,
): { path: string | null; sessionId: string | null; entryId?: string } {
  const isFileTable = (FILE_TABLES as readonly string[]).includes(table);
  const fileId = isFileTable ? id : fileIdOf(id);
  const file = db
    .prepare<[number, number], { path: string; sessionId: string | null }>(
      `SELECT f.path, s.session_id AS sessionId FROM main.files f LEFT JOIN main.sessions s ON s.id = f.id
       WHERE f.id = ? UNION ALL
       SELECT f.path, s.session_id FROM fresh.files f LEFT JOIN fresh.sessions s ON s.id = f.id WHERE f.id = ? LIMIT 1`,
    )
    .get(fileId, fileId);
  const where = { path: file?.path ?? null, sessionId: file?.sessionId ?? null };
  if (isFileTable || table === 'problems') return where;
  const entryId = entryIdAt(db, table, id);
  return entryId === undefined ? where : { ...where, entryId };
}

function entryIdAt(db: Database, table: string, id: number): string | undefined {
  const key = KEYED_BY_ENTRY.has(table) ? id : entryKeyOf(db, table, id);
  if (key === undefined) return undefined;
  const entryId = db
    .prepare<[number], string | null>('SELECT entry_id FROM fresh.entries WHERE id = ?')
    .pluck()
    .get(key);
  return entryId ?? `#${seqOf(key)}`;
}

function entryKeyOf(db: Database, table: string, id: number): number | undefined {
  return db
    .prepare<[number], number>(
      `SELECT id / ${ROW_SPAN} * ${ROW_SPAN} + entry_seq FROM fresh.${table} WHERE id = ?`,
    )
    .pluck()
    .get(id);
}
