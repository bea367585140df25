import type { JsonObject } from '../json.js';
import { entryIdOf } from '../spellings.js';
import { deriveEntryId } from './derived-ids.js';

/**
 * v1 -> v2, entry by entry in file order (F11): every entry gets an id and a parent, a linear chain.
 *
 * An entry that already has an id or a parent keeps it: labels and kept-entry references mean those ids.
 */
export class V1Chain {
  readonly #headerId: string;
  readonly #taken = new Set<string>();
  #previousId: string | null = null;

  constructor(headerId: string) {
    this.#headerId = headerId;
  }

  /** @param position the entry's index in the file, header = 0 */
  next(entry: JsonObject, position: number): { id: string; parentId: string | null } {
    const id = entryIdOf(entry) ?? deriveEntryId(this.#headerId, position, entry, this.#taken);
    this.#taken.add(id);
    const written = entry.parentId;
    const parentId =
      typeof written === 'string' || (written === null && 'id' in entry) ? written : this.#previousId;
    this.#previousId = id;
    return { id, parentId };
  }
}
