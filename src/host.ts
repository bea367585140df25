import { randomBytes } from 'node:crypto';
import { availableParallelism, homedir } from 'node:os';

/**
 * What the process gives us that a test wants to hold in its hand: time, randomness, environment, home.
 * Layers that do I/O take a `Host`; pure layers take plain values.
 */
export interface Host {
  /** Unix ms. */
  now(): number;
  /** Random bytes for ids and temporary names. */
  random(byteCount: number): Uint8Array;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home directory. */
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly pid: number;
  /** Threads that can run at once. */
  readonly parallelism: number;
}

export const processHost: Host = {
  now: () => Date.now(),
  random: (byteCount) => randomBytes(byteCount),
  env: process.env,
  get home() {
    return homedir();
  },
  platform: process.platform,
  pid: process.pid,
  parallelism: availableParallelism(),
};
