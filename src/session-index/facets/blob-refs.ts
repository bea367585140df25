import type { Database } from 'better-sqlite3';
import { rowKey } from '../keys.js';
import { RowInserter } from '../row-inserter.js';
import { blobRefs } from '../schema.js';
import type { Facet, IndexedEntry } from './facet.js';

/** The images in entries, inline or in the blob store (F37, F38). */
export class BlobRefsFacet implements Facet {
  readonly #rows: RowInserter<typeof blobRefs.$inferInsert>;
  #count = 0;

  constructor(db: Database) {
    this.#rows = new RowInserter(db, blobRefs);
  }

  begin(): void {
    this.#count = 0;
  }

  entry(entry: IndexedEntry): void {
    for (const image of entry.content.images) {
      this.#rows.add({
        id: rowKey(entry.fileId, this.#count),
        entrySeq: entry.seq,
        hash: image.hash ?? null,
        mediaType: image.mediaType,
        inlineChars: image.inlineChars,
      });
      this.#count += 1;
    }
  }

  finish(): void {}

  flush(): void {
    this.#rows.flush();
  }
}
