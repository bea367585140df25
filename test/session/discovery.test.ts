import { mkdirSync, readFileSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { sameDirectoryAs } from '../../src/session/locations.js';
import {
  AmbiguousSessionError,
  findMostRecentSession,
  getRecentSessions,
  resolveResumableSession,
} from '../../src/session/resume.js';
import { SessionManager } from '../../src/session/session-manager.js';
import { FileSessionStorage } from '../../src/storage/file-storage.js';
import { assistant, entry, header, jsonl, message, user } from '../support/entries.js';
import { makeWorld, type World } from '../support/session-world.js';

/** A session file with one question and one answer, and the mtime given in seconds. */
function put(
  world: World,
  name: string,
  mtime: number,
  head: Record<string, unknown> = {},
  text = 'question',
) {
  const file = world.write(
    name,
    jsonl([
      header({ id: path.basename(name, '.jsonl'), ...head }),
      message('a', null, user(text)),
      message('b', 'a', assistant('answer')),
    ]),
  );
  utimesSync(file, mtime, mtime);
  return file;
}

const list = (world: World, cwd: string, dir?: string) =>
  SessionManager.list(cwd, dir, undefined, world.host);
const listAll = (world: World) => SessionManager.listAll(undefined, world.host);
const idsOf = (found: readonly { id: string }[]) => found.map(({ id }) => id);

describe('F43: getRecentSessions', () => {
  it('gives the newest three by mtime, named by title, first prompt or id', async () => {
    const world = makeWorld();
    put(world, 's/old.jsonl', 1000);
    put(world, 's/titled.jsonl', 4000, { title: 'Title' });
    put(world, 's/prompt.jsonl', 3000, {}, 'First prompt');
    const bare = world.write('s/bare.jsonl', jsonl([header({ id: 'bare-id' })]));
    utimesSync(bare, 2000, 2000);
    const recent = await getRecentSessions(world.path('s'), undefined, undefined, world.host);
    expect(recent.map(({ name, mtime, path: file }) => [name, mtime, path.basename(file)])).toEqual([
      ['Title', 4_000_000, 'titled.jsonl'],
      ['First prompt', 3_000_000, 'prompt.jsonl'],
      ['bare-id', 2_000_000, 'bare.jsonl'],
    ]);
    expect(await getRecentSessions(world.path('s'), 10, undefined, world.host)).toHaveLength(4);
    expect(await getRecentSessions(world.path('nowhere'), 3, undefined, world.host)).toEqual([]);
  });

  it('pi #5999: names are one line without control characters, 40 characters with an ellipsis', async () => {
    const world = makeWorld();
    put(world, 's/a.jsonl', 1, { title: `a\nb\t\u001b[31mc\u202e${'x'.repeat(100)}` });
    const [info] = await getRecentSessions(world.path('s'), 1, undefined, world.host);
    expect(info?.name).toBe(`a b [31mc${'x'.repeat(30)}…`);
    expect(info?.name).toHaveLength(40);
    expect(info?.fullName).toBe(`a b [31mc${'x'.repeat(100)}`);
  });

  it('a name of 40 characters is whole, and no surrogate pair is split', async () => {
    const world = makeWorld();
    put(world, 's/a.jsonl', 2, { title: 'x'.repeat(40) });
    put(world, 's/b.jsonl', 1, { title: `${'x'.repeat(38)}😀yy` });
    const recent = await getRecentSessions(world.path('s'), 2, undefined, world.host);
    expect(recent.map(({ name }) => name)).toEqual(['x'.repeat(40), `${'x'.repeat(38)}…`]);
  });

  it('pilish PR #58: finds a first prompt that stands far behind the first 4,096 bytes', async () => {
    const world = makeWorld();
    const data = 'd'.repeat(50_000);
    const rest = Array.from({ length: 9 }, (_, i) =>
      entry('custom', `c${i}`, null, { customType: 'x', data }),
    );
    world.write('s/a.jsonl', jsonl([header(), ...rest, message('u', null, user('here'))]));
    const [info] = await getRecentSessions(world.path('s'), 1, undefined, world.host);
    expect(info?.name).toBe('here');
  });
});

describe('F44: findMostRecentSession', () => {
  it('is the newest valid session by mtime, or null', async () => {
    const world = makeWorld();
    expect(await findMostRecentSession(world.path('s'), undefined, world.host)).toBeNull();
    const good = put(world, 's/good.jsonl', 1000);
    put(world, 's/older.jsonl', 500);
    for (const [name, text] of [
      ['empty', ''],
      ['claude', '{"sessionId":"x","type":"user","uuid":"y"}\n'],
      ['events', '{"type":"session","id":"e"}\n{"type":"step","n":1}\n{"type":"step","n":2}\n'],
      ['fragment', jsonl([message('a', null, user('x'))])],
      ['nojson', 'hello\n'],
    ])
      world.write(`s/${name}.jsonl`, text as string);
    put(world, 's/nested/deeper.jsonl', 9000);
    put(world, 's/good.jsonl.bak-2026.jsonl.reset', 9000);
    expect(await findMostRecentSession(world.path('s'), undefined, world.host)).toBe(good);
  });
});

describe('F45: list and listAll', () => {
  it('say what the files say, newest activity first', async () => {
    const world = makeWorld();
    const file = world.write(
      'agent/sessions/--p--/a.jsonl',
      jsonl([
        header({ id: 'A', cwd: '/p', parentSession: '/parent.jsonl', timestamp: '2026-03-01T00:00:00.000Z' }),
        message('a', null, user('one')),
        message('b', 'a', assistant('two')),
        { ...message('c', 'b', user('three')), timestamp: '2027-01-01T00:00:00.000Z' },
        entry('compaction', 'd', 'c', { summary: 's', shortSummary: 'In short' }),
        entry('custom', 'e', 'd', { customType: 'x', data: 'not conversation' }),
      ]),
    );
    const other = world.write(
      'agent/sessions/--p--/b.jsonl',
      jsonl([header({ id: 'B', cwd: '/p', title: 'T' })]),
    );
    utimesSync(other, 1_700_000_000, 1_700_000_000);
    const sessions = await list(world, '/p');
    expect(idsOf(sessions)).toEqual(['A', 'B']);
    const [first] = sessions.filter(({ id }) => id === 'A');
    expect(first).toMatchObject({
      path: file,
      cwd: '/p',
      title: 'In short',
      parentSessionPath: '/parent.jsonl',
      messageCount: 3,
      firstMessage: 'one',
      allMessagesText: 'one two three',
      modified: new Date('2027-01-01T00:00:00.000Z'),
    });
    expect(first?.created.getTime()).toBeLessThan(Date.parse('2026-03-01T00:00:00.000Z'));
    const [second] = sessions.filter(({ id }) => id === 'B');
    expect(second).toMatchObject({ title: 'T', firstMessage: '(no messages)', messageCount: 0 });
    expect(second?.modified).toEqual(new Date(1_700_000_000_000));
    expect(second).not.toHaveProperty('parentSessionPath');
  });

  it('pi #4877: projects that share a folder see only their own', async () => {
    const world = makeWorld();
    put(world, 'agent/sessions/--a-b-c--/one.jsonl', 1, { cwd: '/a/b-c' });
    put(world, 'agent/sessions/--a-b-c--/two.jsonl', 2, { cwd: '/a-b/c' });
    expect(idsOf(await list(world, '/a/b-c'))).toEqual(['one']);
    expect(idsOf(await list(world, '/a-b/c'))).toEqual(['two']);
    const dir = world.path('agent/sessions/--a-b-c--');
    expect(idsOf(await list(world, '/a-b/c', dir))).toEqual(['two']);
  });

  it('pi-web #22: an empty directory means every project', async () => {
    const world = makeWorld();
    put(world, 'agent/sessions/--a--/one.jsonl', 1, { cwd: '/a' });
    put(world, 'agent/sessions/--b--/two.jsonl', 2, { cwd: '/b' });
    expect(idsOf(await list(world, '')).sort()).toEqual(['one', 'two']);
  });

  it('omp #7679, cass #85: folders of any name count; subagents are in listAll only', async () => {
    const world = makeWorld();
    put(world, 'agent/sessions/3f9ab/hashed.jsonl', 1, { cwd: '/p' });
    put(world, 'agent/sessions/flat.jsonl', 1, { cwd: '/p' });
    put(world, 'agent/sessions/x/y/deep.jsonl', 1, { cwd: '/p' });
    put(world, 'agent/sessions/3f9ab/hashed/sub.jsonl', 1, { cwd: '/p' });
    put(world, 'agent/sessions/3f9ab/hashed/sub/run-1/session.jsonl', 1, { cwd: '/p' });
    expect(idsOf(await list(world, '/p')).sort()).toEqual(['deep', 'flat', 'hashed']);
    expect(idsOf(await listAll(world)).sort()).toEqual(['deep', 'flat', 'hashed', 'session', 'sub']);
  });

  it('pi #7497: linked project folders are listed once; dangling and circular links do no harm', async () => {
    const world = makeWorld();
    put(world, 'elsewhere/one.jsonl', 1, { cwd: '/p' });
    mkdirSync(world.sessionsRoot, { recursive: true });
    symlinkSync(world.path('elsewhere'), path.join(world.sessionsRoot, '--p--'));
    symlinkSync(world.path('nowhere'), path.join(world.sessionsRoot, '--gone--'));
    symlinkSync(world.sessionsRoot, path.join(world.sessionsRoot, 'loop'));
    expect(idsOf(await listAll(world))).toEqual(['one']);
  });

  it('omp 13.12.8: a project reached through a link is the same project', async () => {
    const world = makeWorld();
    mkdirSync(world.path('real/proj'), { recursive: true });
    symlinkSync(world.path('real'), world.path('link'));
    const manager = SessionManager.create(world.path('link/proj'), undefined, undefined, world.host);
    manager.appendMessage(assistant('x'));
    await manager.close();
    expect(idsOf(await list(world, world.path('real/proj')))).toEqual([manager.getSessionId()]);
    const again = await SessionManager.continueRecent(
      world.path('real/proj'),
      undefined,
      undefined,
      world.host,
    );
    expect(again.getSessionId()).toBe(manager.getSessionId());
    expect(again.getHeader().cwd).toBe(world.path('link/proj'));
  });

  it('omp #7642: on Windows letter case and slashes make no other directory', () => {
    const { realPath: _, ...host } = makeWorld().host;
    const isSame = sameDirectoryAs('d:/code/zig', { ...host, platform: 'win32' });
    expect(isSame('D:\\code\\zig')).toBe(true);
    expect(isSame('D:\\code\\zag')).toBe(false);
    expect(sameDirectoryAs('/Code', { ...host, platform: 'linux' })('/code')).toBe(false);
  });

  it('pi-intercom #83 and copies: files with one id are sessions of their own', async () => {
    const world = makeWorld();
    put(world, 'agent/sessions/--p--/one.jsonl', 1, { cwd: '/p', id: 'same' });
    put(world, 'agent/sessions/--p--/two.jsonl', 1, { cwd: '/p', id: 'same' });
    expect(idsOf(await list(world, '/p'))).toEqual(['same', 'same']);
  });

  it('ctx #856: lineage by id, by path and by branchedFrom; a missing parent and oneself do no harm', async () => {
    const world = makeWorld();
    const lineages = { byId: { parentSession: 'parent' }, byPath: { parentSession: '/x/p.jsonl' } };
    put(world, 'agent/sessions/--p--/byId.jsonl', 1, { cwd: '/p', ...lineages.byId });
    put(world, 'agent/sessions/--p--/byPath.jsonl', 1, { cwd: '/p', ...lineages.byPath });
    put(world, 'agent/sessions/--p--/branched.jsonl', 1, { cwd: '/p', branchedFrom: '/x/q.jsonl' });
    put(world, 'agent/sessions/--p--/self.jsonl', 1, { cwd: '/p', parentSession: 'self' });
    const found = new Map(
      (await list(world, '/p')).map(({ id, parentSessionPath }) => [id, parentSessionPath]),
    );
    expect(Object.fromEntries(found)).toEqual({
      byId: 'parent',
      byPath: '/x/p.jsonl',
      branched: '/x/q.jsonl',
      self: 'self',
    });
  });

  it('kern-ai #300, pi PR #206: empty, foreign and damaged files neither stop the list nor are in it', async () => {
    const world = makeWorld();
    put(world, 'agent/sessions/--p--/good.jsonl', 1, { cwd: '/p' });
    world.write('agent/sessions/--p--/empty.jsonl', '');
    world.write('agent/sessions/--p--/bad.jsonl', Buffer.from([0, 255, 10, 0]));
    mkdirSync(world.path('agent/sessions/--p--/folder.jsonl'));
    expect(idsOf(await list(world, '/p'))).toEqual(['good']);
    expect(idsOf(await listAll(world))).toEqual(['good']);
  });

  it('changes no byte and no mtime', async () => {
    const world = makeWorld();
    const file = put(world, 'agent/sessions/--p--/v1.jsonl', 1000, { cwd: '/p', version: undefined });
    const before = readFileSync(file);
    await list(world, '/p');
    await listAll(world);
    await getRecentSessions(path.dirname(file), 3, undefined, world.host);
    await resolveResumableSession('v1', '/p', undefined, undefined, world.host);
    expect(readFileSync(file)).toEqual(before);
    expect(statSync(file).mtimeMs).toBe(1_000_000);
  });

  it('asks the catalog of a storage that has one, and reads no file then', async () => {
    const world = makeWorld();
    const asked: unknown[] = [];
    const note = (...call: unknown[]) => {
      asked.push(call);
      return [];
    };
    const storage = Object.assign(new FileSessionStorage(), {
      catalog: {
        list: async (scope: unknown) => note('list', scope),
        listAll: async (root: unknown) => note('listAll', root),
        find: async (prefix: unknown, scope: unknown) => note('find', prefix, scope),
      },
    });
    const root = world.sessionsRoot;
    await SessionManager.list('/p', undefined, storage, world.host);
    await SessionManager.list('/p', '/s', storage, world.host);
    await SessionManager.listAll(storage, world.host);
    await resolveResumableSession('abc', '/p', undefined, storage, world.host);
    expect(asked).toEqual([
      ['list', { root, cwd: '/p' }],
      ['list', { root: '/s', flat: true, cwd: '/p' }],
      ['listAll', root],
      ['find', 'abc', { root, cwd: '/p' }],
      ['find', 'abc', { root, nested: true }],
    ]);
  });
});

describe('F46: resolveResumableSession', () => {
  function world3() {
    const world = makeWorld();
    put(world, 'agent/sessions/--p--/2026-01-01T00-00-00-000Z_abc123.jsonl', 1, { cwd: '/p', id: 'abc123' });
    put(world, 'agent/sessions/--p--/2026-01-02T00-00-00-000Z_abd999.jsonl', 1, { cwd: '/p', id: 'abd999' });
    put(world, 'agent/sessions/--q--/2026-01-03T00-00-00-000Z_abe777.jsonl', 1, { cwd: '/q', id: 'abe777' });
    put(world, 'agent/sessions/--q--/2026-01-04T00-00-00-000Z_abc.jsonl', 1, { cwd: '/q', id: 'abc' });
    const resolve = (arg: string, cwd = '/p', dir?: string) =>
      resolveResumableSession(arg, cwd, dir, undefined, world.host);
    return { world, resolve };
  }

  it('finds by the beginning of the id or of the file name, in any letter case, the local project first', async () => {
    const { resolve } = world3();
    expect(await resolve('ABC1')).toMatchObject({ session: { id: 'abc123' }, scope: 'local' });
    expect(await resolve('2026-01-02')).toMatchObject({ session: { id: 'abd999' }, scope: 'local' });
    expect(await resolve('abc')).toMatchObject({ session: { id: 'abc123' }, scope: 'local' });
    expect(await resolve('zzz')).toBeUndefined();
    expect(await resolve('')).toBeUndefined();
  });

  it('pi #785: then in all projects, from whatever directory', async () => {
    const { resolve } = world3();
    expect(await resolve('abe777', '/elsewhere')).toMatchObject({
      session: { id: 'abe777' },
      scope: 'global',
    });
  });

  it('in a folder that is given it looks nowhere else', async () => {
    const { resolve, world } = world3();
    expect(await resolve('abe777', '/p', world.path('agent/sessions/--p--'))).toBeUndefined();
    expect(await resolve('abe', '/p', world.path('agent/sessions/--q--'))).toMatchObject({ scope: 'local' });
  });

  it('pi-intercom #83: several are ambiguous and named, never silently the first; a whole id is not', async () => {
    const { resolve } = world3();
    const error = await resolve('ab').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AmbiguousSessionError);
    expect(error).toMatchObject({ code: 'AMBIGUOUS_SESSION' });
    expect(idsOf((error as AmbiguousSessionError).candidates).sort()).toEqual(['abc123', 'abd999']);
    expect((error as Error).message).toContain('abd999');
    expect(await resolve('abc', '/elsewhere')).toMatchObject({ session: { id: 'abc' }, scope: 'global' });
  });

  it('one id in two files is ambiguous even when it is whole', async () => {
    const world = makeWorld();
    put(world, 'agent/sessions/--p--/one.jsonl', 1, { cwd: '/p', id: 'same' });
    put(world, 'agent/sessions/--p--/two.jsonl', 1, { cwd: '/p', id: 'same' });
    await expect(
      resolveResumableSession('same', '/p', undefined, undefined, world.host),
    ).rejects.toMatchObject({
      code: 'AMBIGUOUS_SESSION',
    });
  });
});

describe('F3-F5: continueRecent', () => {
  const go = (world: World, cwd: string, dir?: string) =>
    SessionManager.continueRecent(cwd, dir, undefined, world.host);

  it('F3: everything is under PI_CODING_AGENT_DIR, or under ~/.xcsh/agent, or where the option says', () => {
    const world = makeWorld();
    const dir = (agentDir?: string) =>
      SessionManager.getDefaultSessionDir('/p', agentDir, undefined, world.host);
    expect(dir()).toBe(path.join(world.agentDir, 'sessions/--p--'));
    expect(dir(world.path('other'))).toBe(world.path('other/sessions/--p--'));
    world.host.env = {};
    expect(dir()).toBe(path.join(world.host.home, '.xcsh/agent/sessions/--p--'));
    world.host.env = { PI_CODING_AGENT_DIR: '~/mine' };
    expect(dir()).toBe(path.join(world.host.home, 'mine/sessions/--p--'));
    expect(statSync(dir()).isDirectory()).toBe(true);
  });

  it('F4: without a breadcrumb the newest of the project by mtime, foreign files and subagents passed over', async () => {
    const world = makeWorld();
    put(world, 'agent/sessions/--p--/old.jsonl', 1000, { cwd: '/p' });
    const newest = put(world, 'agent/sessions/--p--/new.jsonl', 2000, { cwd: '/p' });
    put(world, 'agent/sessions/--p--/new/subagent.jsonl', 9000, { cwd: '/p' });
    put(world, 'agent/sessions/--p--/collides.jsonl', 8000, { cwd: '/other' });
    world.write('agent/sessions/--p--/claude.jsonl', '{"sessionId":"x","type":"user"}\n');
    world.write('agent/sessions/--p--/empty.jsonl', '');
    expect((await go(world, '/p')).getSessionFile()).toBe(newest);
  });

  it('F4: else a new session', async () => {
    const world = makeWorld();
    const manager = await go(world, '/p');
    expect(manager.getEntries()).toEqual([]);
    expect(path.dirname(manager.getSessionFile() as string)).toBe(path.join(world.sessionsRoot, '--p--'));
  });

  it('F4: the terminal goes on with its own session, if the directory is the same and the file is there', async () => {
    const world = makeWorld();
    world.host.ttyPath = '/dev/pts/3';
    const mine = SessionManager.create('/p', undefined, undefined, world.host);
    mine.appendMessage(assistant('mine'));
    await mine.close();
    const crumb = path.join(world.agentDir, 'terminal-sessions/pts-3');
    expect(readFileSync(crumb, 'utf8')).toBe(`/p\n${mine.getSessionFile()}\n`);
    put(world, 'agent/sessions/--p--/newer.jsonl', 4_000_000_000, { cwd: '/p' });
    expect((await go(world, '/p')).getSessionId()).toBe(mine.getSessionId());
    expect((await go(world, '/p/')).getSessionId()).toBe(mine.getSessionId());
    world.host.ttyPath = '/dev/pts/4';
    expect((await go(world, '/p')).getSessionId()).toBe('newer');
  });

  it('F4: a breadcrumb of another directory or to a file that is gone is passed over', async () => {
    const world = makeWorld();
    world.host.ttyPath = '/dev/pts/3';
    const other = put(world, 'agent/sessions/--q--/q.jsonl', 1, { cwd: '/q' });
    const here = put(world, 'agent/sessions/--p--/p.jsonl', 1, { cwd: '/p' });
    for (const text of [`/q\n${other}\n`, `/p\n${world.path('gone.jsonl')}\n`, '/p', '', '\0\n\n']) {
      world.write('agent/terminal-sessions/pts-3', text);
      expect((await go(world, '/p')).getSessionFile()).toBe(here);
    }
  });

  it('omp 16.0.3: a breadcrumb to a subagent leads to the session that it belongs to', async () => {
    const world = makeWorld();
    world.host.ttyPath = '/dev/pts/3';
    const main = put(world, 'agent/sessions/--p--/main.jsonl', 1, { cwd: '/p' });
    const sub = put(world, 'agent/sessions/--p--/main/sub.jsonl', 9, { cwd: '/p' });
    world.write('agent/terminal-sessions/pts-3', `/p\n${sub}\n`);
    expect((await go(world, '/p')).getSessionFile()).toBe(main);
    await SessionManager.open(sub, undefined, undefined, world.host);
    expect(readFileSync(path.join(world.agentDir, 'terminal-sessions/pts-3'), 'utf8')).toBe(`/p\n${main}\n`);
  });

  it('F4, F5: a breadcrumb that cannot be written, or a terminal that cannot be named, hinders nothing', () => {
    const world = makeWorld();
    world.write('agent/terminal-sessions', 'a file where the folder should be');
    world.host.ttyPath = '/dev/pts/3';
    SessionManager.create('/p', undefined, undefined, world.host).appendMessage(assistant('x'));
    world.host.ttyPath = undefined;
    world.host.env = { ...world.host.env, TERM_SESSION_ID: '../../../etc/passwd' };
    SessionManager.create('/p', undefined, undefined, world.host).appendMessage(assistant('x'));
    expect(world.host.warnings).toEqual([]);
  });

  it('a folder that is given is where it looks', async () => {
    const world = makeWorld();
    put(world, 'agent/sessions/--p--/default.jsonl', 9, { cwd: '/p' });
    const flat = put(world, 'mine/flat.jsonl', 1, { cwd: '/p' });
    expect((await go(world, '/p', world.path('mine'))).getSessionFile()).toBe(flat);
  });
});
