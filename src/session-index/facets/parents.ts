import type { Database } from 'better-sqlite3';
import { type FileTree, ORPHAN, ROOT } from '../file-tree.js';
import { rowKey } from '../keys.js';
import { RowInserter } from '../row-inserter.js';
import { orphans, parents } from '../schema.js';
import type { Facet } from './facet.js';

/** The tree's edges as runs, and the parents that are not in the file (F23). */
export class ParentsFacet implements Facet {
  readonly #runs: RowInserter<typeof parents.$inferInsert>;
  readonly #orphans: RowInserter<typeof orphans.$inferInsert>;
  #fileId = 0;

  constructor(db: Database) {
    this.#runs = new RowInserter(db, parents);
    this.#orphans = new RowInserter(db, orphans);
  }

  begin(fileId: number): void {
    this.#fileId = fileId;
  }

  entry(): void {}

  finish(tree: FileTree): void {
    let first = 1;
    for (let seq = 1; seq < tree.size; seq += 1) {
      const parent = tree.parents[seq] ?? ROOT;
      if (parent === ORPHAN) {
        this.#orphans.add({ id: rowKey(this.#fileId, seq), parentId: tree.parentIds[seq] ?? '' });
      }
      const nextContinues = seq + 1 < tree.size && tree.parents[seq + 1] === seq;
      if (nextContinues) continue;
      const parentOfFirst = tree.parents[first] ?? ROOT;
      this.#runs.add({
        id: rowKey(this.#fileId, first),
        lastSeq: seq,
        parentSeq: parentOfFirst < 0 ? null : parentOfFirst,
      });
      first = seq + 1;
    }
  }

  flush(): void {
    this.#runs.flush();
    this.#orphans.flush();
  }
}
