import { randomBytes } from 'node:crypto';
import { readlinkSync, realpathSync } from 'node:fs';
import { availableParallelism, homedir } from 'node:os';
import { isatty } from 'node:tty';

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
  /** Path of the terminal that the process reads from, as `/dev/pts/3`; undefined where there is none or it cannot be told. */
  readonly ttyPath?: string | undefined;
  /** A path with its links followed; as given where it leads nowhere. */
  realPath?(path: string): string;
  /** Tells whoever runs the process of something that went wrong and was survived. One line. */
  warn?(message: string): void;
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
  get ttyPath() {
    return isatty(0) ? linkTarget('/proc/self/fd/0') : undefined;
  },
  realPath: followLinks,
  warn: (message) => process.emitWarning(message, { type: 'SessiondexWarning' }),
};

function linkTarget(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined; // ENOENT: a system without /proc, which has other ways to tell its terminals apart (F5)
  }
}

function followLinks(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path; // ENOENT, or a part of it that may not be looked into: there is nothing to follow
  }
}
