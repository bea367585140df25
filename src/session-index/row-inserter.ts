import type { Database, Statement } from 'better-sqlite3';
import { getTableColumns, getTableName } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';

/** Rows an INSERT: from here on a statement gains nothing. */
const ROWS_PER_STATEMENT = 50;

/** Fills one table at full speed: positional parameters, many rows a statement. The caller holds the transaction. */
export class RowInserter<Row extends object> {
  readonly #fields: readonly string[];
  readonly #full: Statement;
  readonly #single: Statement;
  readonly #width: number;
  #pending: unknown[] = [];

  /** @param orIgnore keep a row that is already there: for tables of names, whose rows are equal when their ids are */
  constructor(db: Database, table: SQLiteTable, orIgnore = false) {
    const columns = Object.entries(getTableColumns(table));
    this.#fields = columns.map(([field]) => field);
    this.#width = columns.length;
    const names = columns.map(([, column]) => column.name).join(', ');
    const head = `INSERT ${orIgnore ? 'OR IGNORE ' : ''}INTO ${getTableName(table)} (${names}) VALUES `;
    const row = `(${columns.map(() => '?').join(', ')})`;
    this.#full = db.prepare(head + Array(ROWS_PER_STATEMENT).fill(row).join(', '));
    this.#single = db.prepare(head + row);
  }

  add(row: Row): void {
    for (const field of this.#fields) this.#pending.push((row as Record<string, unknown>)[field] ?? null);
    if (this.#pending.length < ROWS_PER_STATEMENT * this.#width) return;
    this.#full.run(this.#pending);
    this.#pending = [];
  }

  flush(): void {
    for (let at = 0; at < this.#pending.length; at += this.#width) {
      this.#single.run(this.#pending.slice(at, at + this.#width));
    }
    this.#pending = [];
  }

  /** Forgets rows that were added and not yet written. */
  drop(): void {
    this.#pending = [];
  }
}
