/** Time as far as only its passing counts: never set back. */
export interface MonotonicTime {
  /** Ms since some moment. */
  now(): number;
  /** Blocks the thread for so many ms. */
  pause(ms: number): void;
}

const cell = new Int32Array(new SharedArrayBuffer(4));

export const systemTime: MonotonicTime = {
  now: () => performance.now(),
  pause: (ms) => {
    Atomics.wait(cell, 0, 0, ms);
  },
};
