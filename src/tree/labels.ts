import { nonEmptyString } from '../format/json.js';
import { readLabel } from '../format/spellings.js';
import type { SessionEntry } from '../format/types.js';

/** Which label stands on which entry: the last label entry for a target wins, clearing removes it (F25). */
export class Labels {
  readonly #current = new Map<string, string>();

  /** Takes note of a `label` entry; any other entry changes nothing. */
  apply(entry: SessionEntry): void {
    if (entry.type !== 'label') return;
    const targetId = nonEmptyString(entry.targetId);
    if (targetId === undefined) return;
    const label = readLabel(entry);
    // Deleted first, so that the order of `entries()` is the order in which the labels were last set.
    this.#current.delete(targetId);
    if (label !== undefined) this.#current.set(targetId, label);
  }

  get(targetId: string): string | undefined {
    return this.#current.get(targetId);
  }

  /** `[targetId, label]`, in the order in which the labels were set. */
  entries(): IterableIterator<[string, string]> {
    return this.#current.entries();
  }
}
