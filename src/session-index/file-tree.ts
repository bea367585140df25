/** What a parent is when it is no entry. */
export const ROOT = -1;
export const ORPHAN = -2;

/** The tree of one file, by sequence numbers (F18, F23). */
export interface FileTree {
  /** Entries and the header: valid sequence numbers are 1 to `size - 1`. */
  readonly size: number;
  /** By sequence number: the parent's, or ROOT, or ORPHAN. */
  readonly parents: Int32Array;
  readonly parentIds: readonly (string | null)[];
  /** The entry with this id; of several the last (F23). */
  seqOf(entryId: string): number | undefined;
  /** F18: the last entry, or what a later `leaf` record points at; undefined when no entry has an id. */
  readonly leafSeq: number | undefined;
  readonly leafCount: number;
  readonly branchPointCount: number;
  readonly orphanCount: number;
}

/** Collects the ids of one file and resolves them once all are known: a parent may stand below its child. */
export class FileTreeBuilder {
  readonly #ids: (string | undefined)[] = [undefined];
  readonly #parentIds: (string | null)[] = [null];
  readonly #seqById = new Map<string, number>();
  #lastSeq: number | undefined;
  #leafTarget: string | undefined;

  add(seq: number, entryId: string | undefined, parentId: string | null): void {
    this.#ids[seq] = entryId;
    this.#parentIds[seq] = parentId;
    if (entryId === undefined) return;
    this.#seqById.set(entryId, seq);
    this.#lastSeq = seq;
    this.#leafTarget = undefined;
  }

  /** A `leaf` record: moves the leaf, if its target exists. */
  pointLeafAt(targetId: string): void {
    this.#leafTarget = targetId;
  }

  resolve(): FileTree {
    const size = this.#ids.length;
    const parents = new Int32Array(size);
    const childCounts = new Int32Array(size);
    let orphanCount = 0;
    for (let seq = 1; seq < size; seq += 1) {
      const parent = this.#resolveParent(this.#parentIds[seq] ?? null);
      parents[seq] = parent;
      if (parent === ORPHAN) orphanCount += 1;
      else if (parent !== ROOT) childCounts[parent] = (childCounts[parent] ?? 0) + 1;
    }
    let leafCount = 0;
    let branchPointCount = 0;
    for (let seq = 1; seq < size; seq += 1) {
      const children = childCounts[seq] ?? 0;
      if (children === 0 && this.#ids[seq] !== undefined) leafCount += 1;
      if (children > 1) branchPointCount += 1;
    }
    const pointed = this.#leafTarget === undefined ? undefined : this.#seqById.get(this.#leafTarget);
    return {
      size,
      parents,
      parentIds: this.#parentIds,
      seqOf: (entryId) => this.#seqById.get(entryId),
      leafSeq: pointed ?? this.#lastSeq,
      leafCount,
      branchPointCount,
      orphanCount,
    };
  }

  #resolveParent(parentId: string | null): number {
    if (parentId === null) return ROOT;
    return this.#seqById.get(parentId) ?? ORPHAN;
  }
}
