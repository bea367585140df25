import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { loadEntries } from '../../src/format/load.js';
import { SessionManager } from '../../src/session/session-manager.js';
import { type Said, startChild } from './child-writers.js';
import { chain, header, jsonl, message, user } from './entries.js';
import { makeWorld, type World } from './session-world.js';

export type CrashMode = 'append' | 'rewrite' | 'migrate' | 'move';

/** What a round found, so that a test can tell whether it tried anything. */
export interface Round {
  /** The child was killed before it was done. */
  readonly wasKilled: boolean;
  /** Entries that the child said it had appended. */
  readonly acknowledged: number;
  readonly wasTorn: boolean;
}

const OLD_ENTRIES = 3000;

function oldFile(): string {
  const entries = chain(OLD_ENTRIES).map(({ id: _, parentId: __, ...entry }) => entry);
  return jsonl([
    { type: 'session', id: 'old', timestamp: '2025-01-01T00:00:00.000Z', cwd: '/p' },
    ...entries,
  ]);
}

/**
 * Starts a process that works on a session, kills it with SIGKILL after some milliseconds, and holds the file to what
 * must be true: it loads, at most its last line is torn, and every entry is there that the process had acknowledged.
 */
export async function crashRound(program: string, mode: CrashMode, delayMs: number): Promise<Round> {
  const world = makeWorld();
  const text = mode === 'migrate' ? oldFile() : jsonl([header(), message('root', null, user('root'))]);
  const file = world.write('agent/sessions/--here--/session.jsonl', text);
  const child = startChild(program, [mode, file, 'c', '100000'], { PI_CODING_AGENT_DIR: world.agentDir });
  await child.ready;
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  child.process.kill('SIGKILL');
  const { said, stderr } = await child.end;
  expect(stderr).toBe('');
  const round = mode === 'migrate' ? checkMigration(file, text) : checkEntries(world, said, mode);
  await checkGoesOn(world, findSession(world));
  return { ...round, wasKilled: !said.some(({ done }) => done) };
}

/** The session's only file; temporary files and locks are no `*.jsonl`. */
function findSession(world: World): string {
  const found = readdirSync(world.sessionsRoot, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.jsonl'),
  );
  expect(found).toHaveLength(1);
  return path.join(world.sessionsRoot, found[0] as string);
}

function checkEntries(world: World, said: readonly Said[], mode: CrashMode): Omit<Round, 'wasKilled'> {
  const loaded = loadEntries([readFileSync(findSession(world))]);
  expect(loaded.kind).toBe('session');
  const damaged = loaded.problems.filter(({ kind }) => kind !== 'torn');
  expect(damaged).toEqual([]);
  const ids = loaded.entries.slice(1).map((entry) => (entry as { id: string }).id);
  expect(new Set(ids).size).toBe(ids.length);
  const acknowledged = said.flatMap(({ appended }) => appended ?? []);
  expect(ids.slice(0, 1 + acknowledged.length)).toEqual(['root', ...acknowledged]);
  expect(ids.length - 1 - acknowledged.length).toBeLessThanOrEqual(1);
  if (mode === 'move') expect(['/here', '/there', '/home/pi']).toContain(loaded.header?.cwd);
  return { acknowledged: acknowledged.length, wasTorn: loaded.isTorn };
}

/** F13: the complete old or the complete new file, at every instant. */
function checkMigration(file: string, old: string): Omit<Round, 'wasKilled'> {
  const loaded = loadEntries([readFileSync(file)]);
  expect(loaded.problems).toEqual([]);
  expect(loaded.entries).toHaveLength(OLD_ENTRIES + 1);
  if (loaded.header?.version === 3) expect(loaded.entries[1]).toHaveProperty('parentId', null);
  else expect(readFileSync(file, 'utf8')).toBe(old);
  return { acknowledged: 0, wasTorn: false };
}

/** Whoever comes next can work on, and what the dead one left behind is no hindrance (prime-agent #667). */
async function checkGoesOn(world: World, file: string): Promise<void> {
  const copy = world.path('copy.jsonl');
  copyFileSync(file, copy);
  const before = loadEntries([readFileSync(copy)]).entries.length;
  const manager = await SessionManager.open(file, undefined, undefined, world.host);
  const id = manager.appendMessage(user('after the crash'));
  await manager.setSessionName('renamed', 'user');
  await manager.close();
  const after = loadEntries([readFileSync(file)]);
  expect(after.entries).toHaveLength(before + 1);
  expect((after.entries.at(-1) as { id: string }).id).toBe(id);
  expect(existsSync(file)).toBe(true);
  const names = readdirSync(path.dirname(file));
  expect(names.filter((name) => !/^session\.jsonl(\.bak-.*)?$/.test(name))).toEqual([]);
}
