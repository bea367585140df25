import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SessionEntry } from '../../src/format/types.js';
import { SessionManager } from '../../src/session/session-manager.js';
import { buildSessionContext } from '../../src/tree/context.js';
import { assistant, chain, entry, header, jsonl, message, user } from '../support/entries.js';
import { linesOf, makeWorld, readSession } from '../support/session-world.js';

async function openWith(...records: object[]) {
  const world = makeWorld();
  const file = world.write('s/source.jsonl', jsonl(records));
  const manager = await SessionManager.open(file, undefined, undefined, world.host);
  return { world, file, manager };
}

function expectParentsAbove(entries: readonly SessionEntry[]) {
  const above = new Set<string>();
  for (const { id, parentId } of entries) {
    if (parentId !== null) expect(above).toContain(parentId);
    above.add(id);
  }
}

const labelled = [
  header({ title: 'T', titleSource: 'user', git: { branch: 'main' } }),
  message('a', null, user('a')),
  entry('label', 'l', 'a', { targetId: 'a', label: 'mark' }),
  entry('model_change', 'm', 'l', { model: 'p/m' }),
  message('b', 'm', assistant('b')),
];

describe('fork', () => {
  it('pi #5669: keeps every entry in order, labels as parents included', async () => {
    const { manager, file } = await openWith(...labelled);
    const result = await manager.fork();
    const copy = readSession(result?.newSessionFile as string);
    expect(result?.oldSessionFile).toBe(file);
    expect(copy.entries).toEqual(labelled.slice(1));
    expectParentsAbove(copy.entries);
  });

  it('pi PR #4799: header and file name carry one new id, the header is the only one, and names the parent', async () => {
    const { manager } = await openWith(...labelled, header({ id: 'second' }));
    const file = (await manager.fork())?.newSessionFile as string;
    const { header: first } = readSession(file);
    expect(first).toMatchObject({ version: 3, parentSession: 'session-1', title: 'T', titleSource: 'user' });
    expect(first.git).toEqual({ branch: 'main' });
    expect(first.id).not.toBe('session-1');
    expect(path.basename(file)).toBe(`${first.timestamp.replace(/[:.]/g, '-')}_${first.id}.jsonl`);
    expect(linesOf(file).filter((line) => JSON.parse(line).type === 'session')).toHaveLength(1);
  });

  it('pi-subagents #87, pi #1242: the original handle goes on writing the original, the fork stays as it was', async () => {
    const { manager, file } = await openWith(...labelled);
    const copy = (await manager.fork())?.newSessionFile as string;
    const before = readFileSync(copy);
    const id = manager.appendMessage(user('more'));
    expect(manager.getSessionFile()).toBe(file);
    expect(readSession(file).entries.at(-1)?.id).toBe(id);
    expect(readFileSync(copy)).toEqual(before);
  });

  it('with follow, the handle goes on in the fork and the parent keeps its bytes', async () => {
    const { manager, file } = await openWith(...labelled);
    const before = readFileSync(file);
    const result = await manager.fork({ follow: true });
    const id = manager.appendMessage(user('more'));
    expect(manager.getSessionFile()).toBe(result?.newSessionFile);
    expect(readSession(manager.getSessionFile() as string).entries.at(-1)?.id).toBe(id);
    expect(readFileSync(file)).toEqual(before);
  });

  it('pi PR #4838, PR #1672: before there is an answer the fork exists all the same, with one header', async () => {
    const world = makeWorld();
    const manager = SessionManager.create('/p', world.path('s'), undefined, world.host);
    manager.appendMessage(user('first'));
    const file = (await manager.fork({ follow: true }))?.newSessionFile as string;
    expect(readSession(file).entries).toHaveLength(1);
    manager.appendMessage(assistant('yo'));
    expect(readSession(file).entries).toHaveLength(2);
    expect(readSession(file).header.parentSession).toBeDefined();
  });

  it('omp PR #8664: copies the artifacts, through fork, branch and forkFrom', async () => {
    const { manager, world, file } = await openWith(...labelled);
    world.write('s/source/out/1.txt', 'artifact');
    const forked = await SessionManager.forkFrom(file, '/q', world.path('t'), undefined, world.host);
    const copies = [
      (await manager.fork())?.newSessionFile,
      manager.createBranchedSession('b'),
      forked.getSessionFile(),
    ];
    for (const copy of copies)
      expect(readFileSync(path.join((copy as string).slice(0, -6), 'out/1.txt'), 'utf8')).toBe('artifact');
  });

  it('in memory there is nothing to fork', async () => {
    expect(await SessionManager.inMemory('/p').fork()).toBeUndefined();
  });

  it('an old compaction that counts positions keeps the same entries in the copy', async () => {
    const { manager } = await openWith(
      header(),
      ...chain(4),
      entry('compaction', 'x', 'e3', { summary: 's', tokensBefore: 1, firstKeptEntryIndex: 3 }),
    );
    const whole = readSession((await manager.fork())?.newSessionFile as string);
    const path2 = readSession(manager.createBranchedSession('x') as string);
    for (const { entries } of [whole, path2])
      expect(buildSessionContext(entries).messages.map((m) => m.content ?? m.summary)).toEqual([
        's',
        '2',
        '3',
      ]);
  });
});

describe('forkFrom', () => {
  it('copies another file into this project and leaves it alone', async () => {
    const { world, file } = await openWith(...labelled);
    const before = readFileSync(file);
    const manager = await SessionManager.forkFrom(file, '/q', undefined, undefined, world.host);
    const copy = manager.getSessionFile() as string;
    expect(path.dirname(copy)).toBe(path.join(world.sessionsRoot, '--q--'));
    expect(readSession(copy).header).toMatchObject({ cwd: '/q', parentSession: 'session-1', title: 'T' });
    manager.appendMessage(user('more'));
    expect(readSession(copy).entries).toHaveLength(5);
    expect(readFileSync(file)).toEqual(before);
  });

  it('migrates the copy of a v1 file, not the file', async () => {
    const world = makeWorld();
    const text = jsonl([
      {
        type: 'session',
        id: 'old',
        timestamp: '2025-01-01T00:00:00.000Z',
        cwd: '/p',
        branchedFrom: '/x.jsonl',
      },
      { type: 'message', timestamp: '2025-01-01T00:00:01.000Z', message: user('one') },
    ]);
    const file = world.write('old.jsonl', text);
    const manager = await SessionManager.forkFrom(file, '/q', undefined, undefined, world.host);
    const { header: first, entries } = readSession(manager.getSessionFile() as string);
    expect(first).toMatchObject({ version: 3, parentSession: 'old' });
    expect(first).not.toHaveProperty('branchedFrom');
    expect(entries[0]?.id).toMatch(/^[0-9a-f]{8}$/);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('a missing file and one that is no session are plain errors', async () => {
    const world = makeWorld();
    const foreign = world.write('x.jsonl', 'hello\n');
    for (const file of [world.path('none.jsonl'), foreign])
      await expect(
        SessionManager.forkFrom(file, '/q', undefined, undefined, world.host),
      ).rejects.toMatchObject({
        code: 'SESSION_NOT_FOUND',
        where: { path: file },
      });
    expect(existsSync(world.path('none.jsonl'))).toBe(false);
    expect(readFileSync(foreign, 'utf8')).toBe('hello\n');
  });
});

describe('createBranchedSession', () => {
  it('holds the path to the entry and nothing else; the handle stays where it was', async () => {
    const { manager, file } = await openWith(header(), ...chain(3), message('side', 'e0', user('side')));
    const copy = manager.createBranchedSession('e1') as string;
    expect(readSession(copy).entries.map(({ id }) => id)).toEqual(['e0', 'e1']);
    expect(readSession(copy).header).toMatchObject({ parentSession: file, cwd: '/home/pi' });
    expect(manager.getSessionFile()).toBe(file);
    expect(manager.getLeafId()).toBe('side');
    const id = manager.appendMessage(user('more'));
    expect(readSession(file).entries.at(-1)?.id).toBe(id);
    expect(readSession(copy).entries).toHaveLength(2);
  });

  it('labels mean the same: those set elsewhere are written anew, those cleared elsewhere are cleared', async () => {
    const { manager } = await openWith(
      header(),
      message('a', null, user('a')),
      entry('label', 'l1', 'a', { targetId: 'a', label: 'old' }),
      message('b', 'l1', user('b')),
      message('c', 'b', user('c')),
      entry('label', 'l2', 'c', { targetId: 'a' }),
      entry('label', 'l3', 'l2', { targetId: 'b', label: 'new' }),
      entry('label', 'l4', 'l3', { targetId: 'c', label: 'not on the path' }),
    );
    const file = manager.createBranchedSession('b') as string;
    const copy = await SessionManager.open(file, undefined, undefined, makeWorld().host);
    expect(copy.getEntries().slice(0, 3)).toEqual(manager.getEntries().slice(0, 3));
    expect(['a', 'b', 'c'].map((id) => copy.getLabel(id))).toEqual([undefined, 'new', undefined]);
    expectParentsAbove(copy.getEntries());
    expect(copy.buildSessionContext().messages.map((m) => m.content)).toEqual(['a', 'b']);
  });

  it('every parent exists, of an orphan and of a cycle too', async () => {
    const { manager } = await openWith(
      header(),
      message('o', 'gone', user('o')),
      message('o2', 'o', user('o2')),
      message('x', 'z', user('x')),
      message('y', 'x', user('y')),
      message('z', 'y', user('z')),
    );
    for (const leaf of ['o2', 'z'])
      expectParentsAbove(readSession(manager.createBranchedSession(leaf) as string).entries);
  });

  it('omp #7474: a branch that ends before a tool result is flagged, and the source keeps everything', async () => {
    const call = { type: 'toolCall', id: 'call-1', name: 'read', arguments: {} };
    const { manager, world, file } = await openWith(
      header(),
      message('a', null, assistant('', { content: [call] })),
      message('r', 'a', {
        role: 'toolResult',
        toolCallId: 'call-1',
        toolName: 'read',
        content: [],
        isError: false,
      }),
    );
    const before = readFileSync(file);
    manager.createBranchedSession('r');
    expect(world.host.warnings).toEqual([]);
    manager.createBranchedSession('a');
    expect(world.host.warnings).toEqual([expect.stringContaining('call-1')]);
    expect(readFileSync(file)).toEqual(before);
  });

  it('an unknown entry throws and makes no file', async () => {
    const { manager, world } = await openWith(header(), ...chain(1));
    expect(() => manager.createBranchedSession('nope')).toThrow('Entry nope not found');
    expect(readdirSync(world.path('s'))).toEqual(['source.jsonl']);
  });

  it('in memory the path takes the place of the session', () => {
    const manager = SessionManager.inMemory('/p');
    const a = manager.appendMessage(user('a'));
    manager.appendMessage(user('b'));
    expect(manager.createBranchedSession(a)).toBeUndefined();
    expect(manager.getEntries().map(({ id }) => id)).toEqual([a]);
    expect(manager.getHeader().parentSession).toBeUndefined();
  });
});
