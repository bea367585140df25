import { spawnSync } from 'node:child_process';

/** What a measured process says of itself. */
export interface Measured {
  readonly ms: number;
  /** Bytes. */
  readonly peakRss: number;
  readonly bytes: number;
  readonly items: number;
}

/** Runs one of this program's own tasks in a process of its own and gives what it measured. */
export function measureInChild(task: string, args: readonly string[]): Measured {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [process.argv[1] as string, `task:${task}`, ...args],
    {
      encoding: 'utf8',
      maxBuffer: 16 * 1024 * 1024,
    },
  );
  if (status !== 0) throw new Error(`${task} failed: ${stderr}`);
  return JSON.parse(stdout) as Measured;
}

/** Prints what a task measured, for `measureInChild`. */
export function sayMeasured(startedMs: number, bytes: number, items: number): void {
  const ms = performance.now() - startedMs;
  const peakRss = process.resourceUsage().maxRSS * 1024;
  process.stdout.write(JSON.stringify({ ms, peakRss, bytes, items } satisfies Measured));
}
