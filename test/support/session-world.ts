import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach } from 'vitest';
import { loadEntries } from '../../src/format/load.js';
import type { FileEntry, SessionEntry, SessionHeader } from '../../src/format/types.js';
import { type Host, processHost } from '../../src/host.js';

const worlds: string[] = [];

afterEach(() => {
  for (const dir of worlds.splice(0)) rmSync(dir, { recursive: true, force: true });
});

export interface TestHost extends Host {
  readonly warnings: string[];
  env: Record<string, string | undefined>;
  ttyPath: string | undefined;
  /** Unix ms; each look at the clock moves it on by one. */
  time: number;
}

/** A folder of its own with an agent directory in it, and a host that knows nothing else. Removed after the test. */
export interface World {
  readonly dir: string;
  readonly agentDir: string;
  readonly sessionsRoot: string;
  readonly host: TestHost;
  path(...parts: string[]): string;
  write(name: string, text: string | Buffer): string;
}

export function makeWorld(): World {
  const dir = realpathSync(mkdtempSync(path.join(tmpdir(), 'sessiondex-session-')));
  worlds.push(dir);
  const agentDir = path.join(dir, 'agent');
  const warnings: string[] = [];
  const host: TestHost = {
    ...processHost,
    env: { PI_CODING_AGENT_DIR: agentDir },
    home: path.join(dir, 'home'),
    ttyPath: undefined,
    warnings,
    warn: (message) => warnings.push(message),
    time: Date.UTC(2026, 1, 16, 10, 20, 30),
    now() {
      this.time += 1;
      return this.time;
    },
  };
  return {
    dir,
    agentDir,
    sessionsRoot: path.join(agentDir, 'sessions'),
    host,
    path: (...parts) => path.join(dir, ...parts),
    write(name, text) {
      const file = path.join(dir, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    },
  };
}

export interface FileContent {
  readonly header: SessionHeader;
  readonly entries: SessionEntry[];
  readonly all: FileEntry[];
}

/**
 * What a file says, read by nothing but the loader. Fails when a line of it is damaged; a blank line is not, which two
 * writers may leave that take each other's unfinished line for a torn one.
 */
export function readSession(file: string, mayHaveBlanks = false): FileContent {
  const loaded = loadEntries([readFileSync(file)]);
  if (loaded.kind !== 'session') throw new Error(`${file}: ${loaded.reason}`);
  const damage = loaded.problems.filter(({ kind }) => !(mayHaveBlanks && kind === 'blank-lines'));
  if (damage.length > 0) throw new Error(`${file}: ${JSON.stringify(damage)}`);
  const [header, ...entries] = loaded.entries;
  return {
    header: header as SessionHeader,
    entries: entries as SessionEntry[],
    all: loaded.entries,
  };
}

export function linesOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  if (!text.endsWith('\n')) throw new Error(`${file} does not end in a newline`);
  return text.slice(0, -1).split('\n');
}
