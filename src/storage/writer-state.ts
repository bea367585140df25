/**
 * What the writers of all storages do alike (F32, F34): one operation after the other, in the order of the calls; the
 * first error is kept, told once, and given to everything that comes later.
 */
export class WriterState {
  readonly #onError: ((error: Error) => void) | undefined;
  readonly #path: string;
  #chain: Promise<void> = Promise.resolve();
  #error: Error | undefined;
  #isClosed = false;

  constructor(path: string, onError: ((error: Error) => void) | undefined) {
    this.#path = path;
    this.#onError = onError;
  }

  get error(): Error | undefined {
    return this.#error;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Runs at once what is over when it returns. */
  async now(action: () => void): Promise<void> {
    this.#requireUsable();
    try {
      action();
    } catch (error) {
      throw this.#keep(error);
    }
  }

  /** Runs behind everything that was begun. */
  async next(action: () => Promise<void>): Promise<void> {
    if (this.#isClosed) return;
    await this.#enqueue(async () => {
      if (this.#error !== undefined) throw this.#error;
      await action();
    });
  }

  /** Runs `action` behind everything that was begun, whether it failed or not; from now on the writer is closed. */
  async close(action: () => Promise<void>): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#enqueue(action);
    if (this.#error !== undefined) throw this.#error;
  }

  #enqueue(action: () => Promise<void>): Promise<void> {
    const result = this.#chain.then(action).catch((error: unknown) => {
      throw this.#keep(error);
    });
    this.#chain = result.catch(() => {}); // whoever waits for `result` gets the error; what follows runs all the same
    return result;
  }

  #requireUsable(): void {
    if (this.#isClosed) throw this.#error ?? new TypeError(`the writer of ${this.#path} is closed`);
    if (this.#error !== undefined) throw this.#error;
  }

  #keep(error: unknown): Error {
    if (this.#error !== undefined) return this.#error;
    this.#error = error instanceof Error ? error : new Error(String(error));
    this.#onError?.(this.#error);
    return this.#error;
  }
}
