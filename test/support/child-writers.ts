import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** What a child process said it has done. */
export interface Said {
  readonly appended?: string;
  readonly parentId?: string | null;
  readonly flushed?: boolean;
  readonly moved?: string;
  readonly migrated?: number;
  readonly ready?: boolean;
  readonly done?: boolean;
}

export interface Child {
  readonly process: ChildProcess;
  /** Resolves with everything it said, once it is gone. */
  readonly end: Promise<{
    readonly said: readonly Said[];
    readonly stderr: string;
    readonly code: number | null;
  }>;
  /** Resolves when it begins. */
  readonly ready: Promise<void>;
  /** How many steps it has reported so far. */
  steps(): number;
}

export function startChild(
  program: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Child {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  let announce: () => void = () => {};
  const ready = new Promise<void>((resolve) => {
    announce = resolve;
  });
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    if (stdout.includes('"ready"')) announce();
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const end = once(child, 'close').then(([code]) => ({
    said: parse(stdout),
    stderr,
    code: code as number | null,
  }));
  void end.then(announce);
  return { process: child, end, ready, steps: () => stdout.split('\n').length - 1 };
}

function parse(stdout: string): Said[] {
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Said);
}
