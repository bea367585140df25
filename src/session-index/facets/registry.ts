import type { Database } from 'better-sqlite3';
import type { SessionHeader, TitleSlot } from '../../format/types.js';
import type { FileTree } from '../file-tree.js';
import { rowKey } from '../keys.js';
import type { SearchWriter } from '../search-writer.js';
import { BlobRefsFacet } from './blob-refs.js';
import { EntriesFacet } from './entries.js';
import type { Facet, IndexedEntry } from './facet.js';
import { LabelsFacet } from './labels.js';
import { ModelChangesFacet } from './model-changes.js';
import { ParentsFacet } from './parents.js';
import { SessionsFacet } from './sessions.js';
import { TextFacet } from './text.js';
import { ToolCallsFacet } from './tool-calls.js';
import { UsageFacet } from './usage.js';

/**
 * Raise it when the same bytes should give other rows: every index made by another version is then made anew.
 */
export const DERIVATION_VERSION = 2;

/** Tables whose key is the file's number itself. */
export const FILE_TABLES = ['files', 'sessions'] as const;

/** Tables whose keys lie in the file's range, problems of the file itself apart. */
export const ENTRY_TABLES = [
  'entries',
  'parents',
  'orphans',
  'labels',
  'blob_refs',
  'usage',
  'model_changes',
  'tool_calls',
  'copies',
] as const;

/** Tables of names that every file may share. */
export const NAME_TABLES = ['kinds', 'models'] as const;

/** All derived facts, in the order in which they see an entry. */
export class FacetSet {
  readonly #sessions: SessionsFacet;
  readonly #all: readonly Facet[];

  constructor(rows: Database, search: SearchWriter) {
    this.#sessions = new SessionsFacet(rows);
    this.#all = [
      new EntriesFacet(rows),
      this.#sessions,
      new ParentsFacet(rows),
      new LabelsFacet(rows),
      new BlobRefsFacet(rows),
      new UsageFacet(rows),
      new ModelChangesFacet(rows),
      new ToolCallsFacet(rows),
      new TextFacet(search),
    ];
  }

  begin(fileId: number): void {
    for (const facet of this.#all) facet.begin(fileId);
  }

  header(header: SessionHeader, slot: TitleSlot | undefined): void {
    this.#sessions.header(header, slot);
  }

  entry(entry: IndexedEntry): void {
    for (const facet of this.#all) facet.entry(entry);
  }

  finish(tree: FileTree): void {
    for (const facet of this.#all) facet.finish(tree);
  }

  flush(): void {
    for (const facet of this.#all) facet.flush();
  }

  /** Removes the rows of a file that turned out to be no session. */
  forgetter(rows: Database): (fileId: number) => void {
    const byKey = ENTRY_TABLES.map((table) => rows.prepare(`DELETE FROM ${table} WHERE id >= ? AND id < ?`));
    const session = rows.prepare('DELETE FROM sessions WHERE id = ?');
    return (fileId) => {
      for (const statement of byKey) statement.run(rowKey(fileId, 0), rowKey(fileId + 1, 0));
      session.run(fileId);
    };
  }
}
