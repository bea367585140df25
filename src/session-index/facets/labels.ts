import type { Database } from 'better-sqlite3';
import { nonEmptyString } from '../../format/json.js';
import { readLabel } from '../../format/spellings.js';
import type { FileTree } from '../file-tree.js';
import { RowInserter } from '../row-inserter.js';
import { labels } from '../schema.js';
import type { Facet, IndexedEntry } from './facet.js';

/** Every label entry, and which one stands on its target now: the last one wins, clearing removes it (F25). */
export class LabelsFacet implements Facet {
  readonly #rows: RowInserter<typeof labels.$inferInsert>;
  #found: { readonly id: number; readonly targetId: string; readonly label: string | undefined }[] = [];

  constructor(db: Database) {
    this.#rows = new RowInserter(db, labels);
  }

  begin(): void {
    this.#found = [];
  }

  entry(entry: IndexedEntry): void {
    if (entry.type !== 'label') return;
    const targetId = nonEmptyString(entry.value.targetId);
    if (targetId !== undefined) this.#found.push({ id: entry.key, targetId, label: readLabel(entry.value) });
  }

  finish(tree: FileTree): void {
    const last = new Map(this.#found.map(({ targetId, id }) => [targetId, id]));
    for (const { id, targetId, label } of this.#found) {
      this.#rows.add({
        id,
        targetId,
        targetSeq: tree.seqOf(targetId) ?? null,
        label: label ?? null,
        isCurrent: label !== undefined && last.get(targetId) === id ? 1 : 0,
      });
    }
  }

  flush(): void {
    this.#rows.flush();
  }
}
