import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './tree.js';

const CLI = join(import.meta.dirname, '../../dist/cli.js');

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built command, with a home and an index of its own. */
export function sessiondex(args: readonly string[], env: Record<string, string> = {}): CommandResult {
  if (!existsSync(CLI))
    throw new Error('dist/cli.js is missing: "npm run build" makes it, "npm test" does so by itself');
  const home = env['HOME'] ?? temporaryFolder();
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      XDG_CACHE_HOME: join(home, '.cache'),
      COLUMNS: '100',
      TZ: 'UTC',
      ...env,
    },
    maxBuffer: 64 * 1024 * 1024,
  });
  return { code: status, stdout, stderr };
}
