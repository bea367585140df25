import { nonEmptyString } from '../format/json.js';
import { entryIdOf, parentIdOf } from '../format/spellings.js';
import type { FileEntry, SessionEntry } from '../format/types.js';
import { contextOfPath, emptyContext, type SessionContext } from './context.js';
import { Labels } from './labels.js';
import { buildTree, type SessionTreeNode } from './nodes.js';
import { ParentLinks } from './parent-links.js';

/**
 * One session in memory: its entries in file order, and the leaf, the entry that the next append hangs under.
 *
 * Walks are iterative and cost time linear in the path (F23).
 */
export class SessionTree {
  readonly #entries: SessionEntry[] = [];
  readonly #links = new ParentLinks();
  readonly #labels = new Labels();
  #leafId: string | null = null;

  /** A tree of a file's entries; headers among them are passed over. The leaf is as after a load (F18). */
  static of(entries: Iterable<FileEntry>): SessionTree {
    const tree = new SessionTree();
    for (const entry of entries) if (entry.type !== 'session') tree.#add(entry as SessionEntry);
    tree.#leafId = tree.leafAfterLoad();
    return tree;
  }

  /** Takes an entry in and makes it the leaf (F19); its parent is what it says. */
  append(entry: SessionEntry): void {
    this.#add(entry);
    this.#leafId = entryIdOf(entry) ?? this.#leafId;
  }

  /** Takes in an entry that somebody else wrote; the leaf stays where it is (F35). */
  adopt(entry: SessionEntry): void {
    this.#add(entry);
  }

  /** Moves the leaf; an unknown id throws (F20). */
  branch(id: string): void {
    this.requireEntry(id);
    this.#leafId = id;
  }

  /** The next append makes a root (F20). */
  resetLeaf(): void {
    this.#leafId = null;
  }

  /** Puts the leaf back to where it once was; an id that is gone counts as the last entry. */
  restoreLeaf(id: string | null): void {
    this.#leafId = id === null || this.has(id) ? id : this.leafAfterLoad();
  }

  /** F20, F25: `Entry <id> not found` for an id that no entry has. */
  requireEntry(id: string): SessionEntry {
    const entry = this.get(id);
    if (entry === undefined) throw new Error(`Entry ${id} not found`);
    return entry;
  }

  get leafId(): string | null {
    return this.#leafId;
  }

  /** Entries in file order (F22), as they are: the caller copies what it hands out. */
  get entries(): readonly SessionEntry[] {
    return this.#entries;
  }

  get labels(): Labels {
    return this.#labels;
  }

  has(id: string): boolean {
    return this.#links.seqOf(id) !== undefined;
  }

  get(id: string): SessionEntry | undefined {
    const seq = this.#links.seqOf(id);
    return seq === undefined ? undefined : this.#entries[seq];
  }

  /** Direct children in file order. */
  children(parentId: string): SessionEntry[] {
    return this.#entries.filter((entry) => parentIdOf(entry) === parentId && entry.id !== parentId);
  }

  /** From the root to an entry, or to the leaf; empty where there is none. */
  path(fromId: string | null = this.#leafId): SessionEntry[] {
    const seq = fromId === null ? undefined : this.#links.seqOf(fromId);
    return seq === undefined ? [] : this.#links.pathTo(seq, this.#entries);
  }

  tree(): SessionTreeNode[] {
    return buildTree(this.#entries, this.#links, this.#labels);
  }

  context(leafId: string | null = this.#leafId): SessionContext {
    if (leafId === null) return emptyContext();
    // A compaction's old `firstKeptEntryIndex` counts the header as 0.
    return contextOfPath(this.path(leafId), (position) => this.#entries[position - 1]);
  }

  /** F18: the last entry that can be addressed, or what a `leaf` record after it points at. */
  leafAfterLoad(): string | null {
    let pointer: SessionEntry | undefined;
    for (let i = this.#entries.length - 1; i >= 0; i -= 1) {
      const entry = this.#entries[i] as SessionEntry;
      const id = entryIdOf(entry);
      if (id !== undefined) {
        const target = nonEmptyString(pointer?.targetId);
        return target !== undefined && this.has(target) ? target : id;
      }
      if ((entry.type as string) === 'leaf') pointer ??= entry;
    }
    return null;
  }

  #add(entry: SessionEntry): void {
    this.#links.add(entryIdOf(entry), parentIdOf(entry));
    this.#entries.push(entry);
    this.#labels.apply(entry);
  }
}
