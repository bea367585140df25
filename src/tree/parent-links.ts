/** A parent that is no entry: the entry is a root. */
export const NO_PARENT = -1;

/**
 * Who hangs under whom, by position in the file. Look-ups by id happen once an entry, when it is added: a walk then
 * follows numbers, which is what keeps it linear and fast (F23).
 */
export class ParentLinks {
  readonly #ids: (string | undefined)[] = [];
  readonly #parentIds: (string | null)[] = [];
  readonly #seqById = new Map<string, number>();
  #parents: number[] = [];
  /** Ids that were asked for as parents before an entry had them. */
  readonly #missing = new Set<string>();
  #isStale = false;
  /** Whether every parent stands above its child, so that no walk can go round in a circle. */
  #isAscending = true;

  add(id: string | undefined, parentId: string | null): void {
    const seq = this.#ids.length;
    this.#ids.push(id);
    this.#parentIds.push(parentId);
    if (id !== undefined) {
      // A second entry with this id takes over its children; a late one becomes a parent after all (F23).
      if (this.#seqById.has(id) || this.#missing.has(id) || id === parentId) this.#isStale = true;
      this.#seqById.set(id, seq);
    }
    this.#parents.push(this.#lookUp(parentId));
  }

  seqOf(id: string): number | undefined {
    return this.#seqById.get(id);
  }

  /** The parent's position, or `NO_PARENT`. */
  parentOf(seq: number): number {
    if (this.#isStale) this.#resolve();
    return this.#parents[seq] as number;
  }

  /** The items from the root down to position `seq`; a cycle ends the walk at the repeated item. */
  pathTo<Item>(seq: number, items: readonly Item[]): Item[] {
    if (this.#isStale) this.#resolve();
    if (!this.#isAscending) return this.#pathAroundCycles(seq, items);
    const parents = this.#parents;
    let length = 0;
    for (let at = seq; at !== NO_PARENT; at = parents[at] as number) length += 1;
    // Filled from its end: an array that grows and is turned round costs several times the walk itself.
    const path = new Array<Item>(length);
    for (let at = seq; at !== NO_PARENT; at = parents[at] as number) {
      length -= 1;
      path[length] = items[at] as Item;
    }
    return path;
  }

  #pathAroundCycles<Item>(seq: number, items: readonly Item[]): Item[] {
    const path: Item[] = [];
    const seen = new Set<number>();
    for (let at = seq; at !== NO_PARENT && !seen.has(at); at = this.#parents[at] as number) {
      seen.add(at);
      path.push(items[at] as Item);
    }
    return path.reverse();
  }

  #lookUp(parentId: string | null): number {
    if (parentId === null) return NO_PARENT;
    const seq = this.#seqById.get(parentId);
    if (seq === undefined) this.#missing.add(parentId);
    return seq ?? NO_PARENT;
  }

  #resolve(): void {
    this.#parents = this.#parentIds.map((parentId) => this.#lookUp(parentId));
    this.#isAscending = this.#parents.every((parent, seq) => parent < seq);
    this.#isStale = false;
  }
}
