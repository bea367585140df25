import type { Database } from 'better-sqlite3';
import type { UsageRecord } from '../../format/usage.js';
import { nameKey, rowKey } from '../keys.js';
import { RowInserter } from '../row-inserter.js';
import { models, usage } from '../schema.js';
import type { Facet, IndexedEntry } from './facet.js';

/** What each model answer used. Which rows count is settled once all files are known (`settle.ts`). */
export class UsageFacet implements Facet {
  readonly #rows: RowInserter<typeof usage.$inferInsert>;
  readonly #models: RowInserter<typeof models.$inferInsert>;
  readonly #modelIds = new Map<string, number>();
  #count = 0;

  constructor(db: Database) {
    this.#rows = new RowInserter(db, usage);
    this.#models = new RowInserter(db, models, true);
  }

  begin(): void {
    this.#count = 0;
  }

  entry(entry: IndexedEntry): void {
    for (const record of entry.usage) this.#add(entry, record);
  }

  #add(entry: IndexedEntry, record: UsageRecord): void {
    const { usage: reading } = record;
    this.#rows.add({
      id: rowKey(entry.fileId, this.#count),
      entrySeq: entry.seq,
      source: record.source,
      modelId: this.#modelId(record.provider, record.model),
      timestampMs: entry.timestampMs ?? record.messageMs ?? null,
      input: reading.input,
      output: reading.output,
      cacheRead: reading.cacheRead,
      cacheWrite: reading.cacheWrite,
      totalTokens: reading.totalTokens,
      premiumRequests: reading.premiumRequests,
      costUsd: reading.costUsd,
      isPriced: reading.isPriced ? 1 : 0,
      agent: record.agent,
      stopReason: record.stopReason,
      isCounted: 1,
    });
    this.#count += 1;
  }

  finish(): void {}

  flush(): void {
    this.#models.flush();
    this.#rows.flush();
  }

  #modelId(provider: string, model: string): number {
    const name = `${provider}\0${model}`;
    const known = this.#modelIds.get(name);
    if (known !== undefined) return known;
    const id = nameKey(provider, model);
    this.#modelIds.set(name, id);
    this.#models.add({ id, provider, model });
    return id;
  }
}
