import { SessiondexError } from '../errors.js';
import type { Host } from '../host.js';

/**
 * The first error in writing a session, kept until everything is written (F34): it is logged once, with the session's
 * path, and is what every later operation throws.
 */
export class FailureLatch {
  readonly #host: Host;
  readonly #path: () => string;
  #failure: SessiondexError | undefined;

  constructor(host: Host, path: () => string) {
    this.#host = host;
    this.#path = path;
  }

  /** PERSIST_FAILED, or undefined. */
  get failure(): SessiondexError | undefined {
    return this.#failure;
  }

  /** @returns the first error, which need not be this one */
  fail(error: unknown): SessiondexError {
    if (this.#failure !== undefined) return this.#failure;
    const path = this.#path();
    const reason = error instanceof Error ? error.message : String(error);
    this.#failure = new SessiondexError('PERSIST_FAILED', `The session could not be written: ${reason}`, {
      where: { path },
      hint: 'What is missing is kept in memory and written by the next append or flush that succeeds.',
      cause: error,
    });
    this.#host.warn?.(`${path}: ${this.#failure.message}`);
    return this.#failure;
  }

  open(): void {
    this.#failure = undefined;
  }
}
