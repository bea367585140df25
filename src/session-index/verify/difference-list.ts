import type { Difference } from '../results.js';

/** Gathers differences up to a limit: a lost file has one for each of its rows. */
export class DifferenceList {
  readonly #limit: number;
  readonly #found: Difference[] = [];
  isCut = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many more are worth looking for: one more than is listed, to know that there are more. */
  get room(): number {
    return this.#limit - this.#found.length + 1;
  }

  get found(): readonly Difference[] {
    return this.#found;
  }

  add(difference: Difference): void {
    if (this.#found.length < this.#limit) this.#found.push(difference);
    else this.isCut = true;
  }
}
