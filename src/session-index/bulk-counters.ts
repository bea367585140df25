/** What the workers of a build and the thread that waits for them share. */
const NEXT_TASK = 0;
const FILES_DONE = 1;
const BYTES_DONE = 2;
const IS_STOPPED = 3;

export class BulkCounters {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: BigInt64Array;

  constructor(buffer = new SharedArrayBuffer(4 * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#cells = new BigInt64Array(buffer);
  }

  /** The number of the next task that nobody has taken. */
  takeTask(): number {
    return Number(Atomics.add(this.#cells, NEXT_TASK, 1n));
  }

  addBytes(bytes: number): void {
    Atomics.add(this.#cells, BYTES_DONE, BigInt(bytes));
  }

  addFile(): void {
    Atomics.add(this.#cells, FILES_DONE, 1n);
  }

  stop(): void {
    Atomics.store(this.#cells, IS_STOPPED, 1n);
  }

  get isStopped(): boolean {
    return Atomics.load(this.#cells, IS_STOPPED) === 1n;
  }

  get filesDone(): number {
    return Number(Atomics.load(this.#cells, FILES_DONE));
  }

  get bytesDone(): number {
    return Number(Atomics.load(this.#cells, BYTES_DONE));
  }
}
