import type { EntryContent } from '../../format/content.js';
import type { JsonObject } from '../../format/json.js';
import type { UsageRecord } from '../../format/usage.js';
import type { FileTree } from '../file-tree.js';

/** An entry, or the header, on its way into the index. */
export interface IndexedEntry {
  readonly fileId: number;
  /** Sequence number in the file; the header is 0. */
  readonly seq: number;
  /** `rowKey(fileId, seq)`. */
  readonly key: number;
  /** As in the file. */
  readonly value: JsonObject;
  readonly type: string;
  /** Of a message; empty otherwise. */
  readonly role: string;
  /** undefined: not addressable. */
  readonly entryId: string | undefined;
  readonly parentId: string | null;
  /** Unix ms. */
  readonly timestampMs: number | undefined;
  /** Bytes from the start of the file. */
  readonly byteOffset: number;
  readonly byteLength: number;
  readonly content: EntryContent;
  readonly usage: readonly UsageRecord[];
}

/**
 * One derived fact: a fold over the entries of a file, in file order, that writes its rows. `begin` starts a file;
 * `finish` ends it and knows the tree. Rows may be written at either time; all have keys in the file's range.
 */
export interface Facet {
  begin(fileId: number): void;
  entry(entry: IndexedEntry): void;
  finish(tree: FileTree): void;
  /** Writes what is pending. */
  flush(): void;
}
