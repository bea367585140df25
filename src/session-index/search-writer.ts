import type { Database, Statement } from 'better-sqlite3';
import { toSearchText } from '../query/terms.js';
import { rowKey } from './keys.js';

/** The tables of a shard: what people ask for apart with `in:`. */
export const SEARCH_TABLES = ['prose', 'thinking', 'tools'] as const;

export type SearchTable = (typeof SEARCH_TABLES)[number];

/**
 * Characters of text gathered before FTS5 gets them in one go: switching between its tables and the rows after every
 * entry costs a third of the time.
 */
const BATCH_CHARS = 1024 * 1024;

/** Bytes of FTS5's in-memory hash, for building; its default writes many small segments. A BigInt: it insists on an integer. */
const BUILD_HASH_BYTES = 16n * 1024n * 1024n;

/** Fills the full-text tables of one shard. The caller holds the transaction. */
export class SearchWriter {
  readonly #inserts: Readonly<Record<SearchTable, Statement>>;
  readonly #deletes: readonly Statement[];
  #pending: { readonly table: SearchTable; readonly key: number; readonly text: string }[] = [];
  #chars = 0;

  /** @param isBuild whether much is about to be written: takes `BUILD_HASH_BYTES` of memory a table */
  constructor(db: Database, isBuild: boolean) {
    if (isBuild) {
      for (const table of SEARCH_TABLES) {
        db.prepare(`INSERT INTO ${table} (${table}, rank) VALUES ('hashsize', ?)`).run(BUILD_HASH_BYTES);
      }
    }
    const insert = (table: SearchTable) => db.prepare(`INSERT INTO ${table} (rowid, text) VALUES (?, ?)`);
    this.#inserts = { prose: insert('prose'), thinking: insert('thinking'), tools: insert('tools') };
    this.#deletes = SEARCH_TABLES.map((table) =>
      db.prepare(`DELETE FROM ${table} WHERE rowid >= ? AND rowid < ?`),
    );
  }

  add(table: SearchTable, key: number, text: string): void {
    this.#pending.push({ table, key, text });
    this.#chars += text.length;
    if (this.#chars >= BATCH_CHARS) this.flush();
  }

  flush(): void {
    for (const table of SEARCH_TABLES) {
      const insert = this.#inserts[table];
      for (const row of this.#pending) if (row.table === table) insert.run(row.key, toSearchText(row.text));
    }
    this.#pending = [];
    this.#chars = 0;
  }

  /** Removes a file's text. */
  forget(fileId: number): void {
    this.flush();
    for (const statement of this.#deletes) statement.run(rowKey(fileId, 0), rowKey(fileId + 1, 0));
  }
}
