import type { Database } from 'better-sqlite3';
import { nonEmptyString } from '../../format/json.js';
import { readModel, readThinkingLevel } from '../../format/spellings.js';
import { RowInserter } from '../row-inserter.js';
import { modelChanges } from '../schema.js';
import type { Facet, IndexedEntry } from './facet.js';

/** Model, thinking level and mode over time. */
export class ModelChangesFacet implements Facet {
  readonly #rows: RowInserter<typeof modelChanges.$inferInsert>;

  constructor(db: Database) {
    this.#rows = new RowInserter(db, modelChanges);
  }

  begin(): void {}

  entry(entry: IndexedEntry): void {
    const change = readChange(entry);
    if (change) this.#rows.add({ id: entry.key, ...change });
  }

  finish(): void {}

  flush(): void {
    this.#rows.flush();
  }
}

function readChange({ type, value }: IndexedEntry): Omit<typeof modelChanges.$inferInsert, 'id'> | undefined {
  switch (type) {
    case 'model_change': {
      const reading = readModel(value);
      return reading && { kind: 'model', role: reading.role, value: reading.model };
    }
    case 'thinking_level_change':
      return { kind: 'thinking', role: '', value: readThinkingLevel(value) };
    case 'mode_change':
      return { kind: 'mode', role: '', value: nonEmptyString(value.mode) ?? 'none' };
    default:
      return undefined;
  }
}
