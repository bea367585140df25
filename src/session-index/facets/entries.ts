import { crc32 } from 'node:zlib';
import type { Database } from 'better-sqlite3';
import { KindTable } from '../kinds.js';
import { RowInserter } from '../row-inserter.js';
import { entries } from '../schema.js';
import type { Facet, IndexedEntry } from './facet.js';

/** Every entry and where its line stands. */
export class EntriesFacet implements Facet {
  readonly #rows: RowInserter<typeof entries.$inferInsert>;
  readonly #kinds: KindTable;

  constructor(db: Database) {
    this.#rows = new RowInserter(db, entries);
    this.#kinds = new KindTable(db);
  }

  begin(): void {}

  entry(entry: IndexedEntry): void {
    this.#rows.add({
      id: entry.key,
      entryId: entry.entryId ?? null,
      kindId: this.#kinds.idOf(entry.type, entry.role),
      timestampMs: entry.timestampMs ?? null,
      byteOffset: entry.byteOffset,
      byteLength: entry.byteLength,
      digest: digestOf(entry),
    });
  }

  finish(): void {}

  flush(): void {
    this.#rows.flush();
  }
}

const LENGTH_SPAN = 2 ** 14;

/**
 * Equal for copies of one entry, however their JSON is written: of everything that is found and counted in it. Time and
 * id are compared apart.
 */
function digestOf({ content, usage }: IndexedEntry): number {
  const { prose, thinking, tools } = content;
  let crc = prose === '' ? 0 : crc32(prose);
  if (thinking !== '') crc = crc32(thinking, crc);
  if (tools !== '') crc = crc32(tools, crc);
  for (const { provider, model, usage: reading } of usage) {
    const { input, output, cacheRead, cacheWrite, costUsd } = reading;
    crc = crc32(`${provider}/${model} ${input} ${output} ${cacheRead} ${cacheWrite} ${costUsd}`, crc);
  }
  const length = prose.length + thinking.length + tools.length;
  return (length % LENGTH_SPAN) * 2 ** 32 + crc;
}
