import type { MonotonicTime } from '../../src/storage/monotonic-time.js';

/** Time that passes by itself, and at once when somebody wants to pause. */
export function quickTime(): MonotonicTime {
  let skipped = 0;
  return {
    now: () => performance.now() + skipped,
    pause: (ms) => {
      skipped += ms;
    },
  };
}
