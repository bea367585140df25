import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { SessionManager } from '../../src/session/session-manager.js';
import { assistant, chain, entry, header, jsonl, user } from '../support/entries.js';
import { linesOf, makeWorld, readSession } from '../support/session-world.js';

async function openText(text: string) {
  const world = makeWorld();
  const file = world.write('s/session.jsonl', text);
  const reopen = () => SessionManager.open(file, undefined, undefined, world.host);
  return { world, file, reopen, manager: await reopen() };
}

describe('setSessionName', () => {
  it('puts the name into the header, in memory, on disk and after a reopen', async () => {
    const { manager, file, reopen } = await openText(jsonl([header(), ...chain(1)]));
    expect(await manager.setSessionName('My name', 'user')).toBe(true);
    expect(manager.getSessionName()).toBe('My name');
    expect(readSession(file).header).toMatchObject({ title: 'My name', titleSource: 'user' });
    expect((await reopen()).getSessionName()).toBe('My name');
  });

  it('a name set by the user is never replaced by an automatic one', async () => {
    const { manager, reopen } = await openText(jsonl([header(), ...chain(1)]));
    expect(await manager.setSessionName('auto')).toBe(true);
    expect(await manager.setSessionName('auto 2', 'auto')).toBe(true);
    expect(await manager.setSessionName('mine', 'user')).toBe(true);
    expect(await manager.setSessionName('auto 3')).toBe(false);
    const again = await reopen();
    expect(await again.setSessionName('auto 4', 'auto')).toBe(false);
    expect(again.getSessionName()).toBe('mine');
    expect(await again.setSessionName('mine 2', 'user')).toBe(true);
  });

  it('pi #5999: control characters become spaces; a name of nothing else is none', async () => {
    const { manager } = await openText(jsonl([header(), ...chain(1)]));
    expect(await manager.setSessionName('  a\nb\t\u001b[31m c\u0085 ', 'user')).toBe(true);
    expect(manager.getSessionName()).toBe('a b [31m c');
    expect(await manager.setSessionName(' \n\u0000 ', 'user')).toBe(false);
    expect(manager.getSessionName()).toBe('a b [31m c');
  });

  it('before there is an answer it writes nothing, and goes along with the first write', async () => {
    const world = makeWorld();
    const manager = SessionManager.create('/p', world.path('s'), undefined, world.host);
    const file = manager.getSessionFile() as string;
    await manager.setSessionName('early', 'user');
    expect(existsSync(file)).toBe(false);
    manager.appendMessage(assistant('yo'));
    expect(readSession(file).header.title).toBe('early');
  });

  it('in memory too', async () => {
    const manager = SessionManager.inMemory('/p');
    await manager.setSessionName('n', 'user');
    expect(manager.getSessionName()).toBe('n');
  });
});

describe('tokscale #802: a title slot before the header', () => {
  const slotOf = (fields: Record<string, unknown>, width: number) => {
    const bare = JSON.stringify({
      type: 'title',
      v: 1,
      ...fields,
      updatedAt: '2026-01-01T00:00:00.000Z',
      pad: '',
    });
    return `${bare.slice(0, -2)}${' '.repeat(width - 1 - Buffer.byteLength(bare))}"}\n`;
  };

  it('is written over in place at the same width; everything else keeps its bytes and the file its inode', async () => {
    const text = slotOf({ title: 'Old', source: 'auto' }, 256) + jsonl([header(), ...chain(2)]);
    const { manager, file, reopen } = await openText(text);
    const { ino } = statSync(file);
    expect(manager.getSessionName()).toBe('Old');
    await manager.setSessionName('New ünicode 字', 'user');
    const after = readFileSync(file);
    expect(after.indexOf(10)).toBe(255);
    expect(after.subarray(256)).toEqual(Buffer.from(text).subarray(256));
    expect(statSync(file).ino).toBe(ino);
    expect(JSON.parse(linesOf(file)[0] as string)).toMatchObject({ title: 'New ünicode 字', source: 'user' });
    manager.appendMessage(user('x'));
    const again = await reopen();
    expect(again.getSessionName()).toBe('New ünicode 字');
    expect(again.getEntries()).toHaveLength(3);
  });

  it('a name that is too long for the slot is cut to its width, between characters', async () => {
    const { manager, file } = await openText(slotOf({ title: 'Old' }, 256) + jsonl([header(), ...chain(1)]));
    await manager.setSessionName('😀'.repeat(200), 'user');
    expect(readFileSync(file).indexOf(10)).toBe(255);
    expect(manager.getSessionName()).toMatch(/^(😀)+$/u);
    expect(readSession(file).entries).toHaveLength(1);
  });

  it('keeps its place and its width through a rewrite, and through appends of others', async () => {
    const { manager, file } = await openText(slotOf({ title: 'Old' }, 256) + jsonl([header(), ...chain(2)]));
    await manager.rewriteEntries();
    expect(readFileSync(file).indexOf(10)).toBe(255);
    await manager.setSessionName('Newer', 'user');
    expect(readFileSync(file).indexOf(10)).toBe(255);
    expect(JSON.parse(linesOf(file)[1] as string).type).toBe('session');
  });

  it('one without a pad is rewritten with the file', async () => {
    const { manager, file, reopen } = await openText(
      `{"type":"title","title":"Old"}\n${jsonl([header(), ...chain(1)])}`,
    );
    await manager.setSessionName('A much longer name than before', 'user');
    expect(JSON.parse(linesOf(file)[0] as string)).toMatchObject({
      type: 'title',
      title: 'A much longer name than before',
    });
    expect((await reopen()).getSessionName()).toBe('A much longer name than before');
  });

  it('an entry that names the session wins, so a new name is one of its kind', async () => {
    for (const named of [
      entry('session_info', 't', 'e0', { name: 'Old' }),
      entry('title_change', 't', 'e0', { title: 'Old', source: 'user' }),
    ]) {
      const { manager, reopen } = await openText(jsonl([header(), ...chain(1), named]));
      expect(manager.getSessionName()).toBe('Old');
      await manager.setSessionName('New', 'user');
      const again = await reopen();
      expect(again.getSessionName()).toBe('New');
      expect(again.getEntries().map(({ type }) => type)).toEqual(['message', named.type, named.type]);
    }
  });
});

describe('rewriteToolCallArguments', () => {
  it('changes one call in memory and in the file', async () => {
    const { manager, file } = await openText(jsonl([header(), ...chain(1)]));
    const call = { type: 'toolCall', id: 'c1', name: 'edit', arguments: { old: 1 } };
    manager.appendMessage(assistant('', { content: [call] }));
    expect(await manager.rewriteToolCallArguments('c1', { new: 2 })).toBe(true);
    expect(await manager.rewriteToolCallArguments('c9', {})).toBe(false);
    expect(readSession(file).entries[1]?.message).toMatchObject({
      content: [{ ...call, arguments: { new: 2 } }],
    });
  });

  it('rewriteEntries writes what was changed in place, and keeps the leaf', async () => {
    const { manager, file } = await openText(jsonl([header(), ...chain(3)]));
    manager.branch('e0');
    (manager.getEntry('e2')?.message as { content: string }).content = 'pruned';
    await manager.rewriteEntries();
    expect(readSession(file).entries[2]?.message).toEqual({ role: 'user', content: 'pruned' });
    expect(manager.getLeafId()).toBe('e0');
  });
});

describe('moveTo', () => {
  function begin() {
    const world = makeWorld();
    const manager = SessionManager.create('/old/proj', undefined, undefined, world.host);
    return { world, manager, file: manager.getSessionFile() as string };
  }

  it('takes file and artifacts to the new project, and the header says so', async () => {
    const { world, manager, file } = begin();
    manager.appendMessage(assistant('yo'));
    const artifacts = path.relative(world.dir, file.slice(0, -6));
    world.write(path.join(artifacts, 'a.txt'), 'artifact');
    await manager.moveTo('/new/proj');
    const moved = path.join(world.sessionsRoot, '--new-proj--', path.basename(file));
    expect(manager.getSessionFile()).toBe(moved);
    expect(manager.getSessionDir()).toBe(path.dirname(moved));
    expect(manager.getCwd()).toBe('/new/proj');
    expect(readSession(moved).header.cwd).toBe('/new/proj');
    expect(existsSync(file)).toBe(false);
    expect(readFileSync(path.join(moved.slice(0, -6), 'a.txt'), 'utf8')).toBe('artifact');
    manager.appendMessage(user('more'));
    expect(readSession(moved).entries).toHaveLength(2);
  });

  it('keeps what is appended while the file is on its way, each once and in order', async () => {
    const { manager } = begin();
    manager.appendMessage(assistant('yo'));
    const moving = manager.moveTo('/new/proj');
    const ids = [manager.appendCustomEntry('a'), manager.appendCustomEntry('b')];
    await moving;
    ids.push(manager.appendCustomEntry('c'));
    const { entries } = readSession(manager.getSessionFile() as string);
    expect(entries.slice(1).map(({ id }) => id)).toEqual(ids);
  });

  it('before there is an answer nothing is written, and the answer goes to the new place', async () => {
    const { world, manager } = begin();
    manager.appendMessage(user('hi'));
    await manager.moveTo('/new/proj');
    expect(world.host.warnings).toEqual([]);
    manager.appendMessage(assistant('yo'));
    const file = manager.getSessionFile() as string;
    expect(path.dirname(file)).toBe(path.join(world.sessionsRoot, '--new-proj--'));
    expect(readSession(file).header.cwd).toBe('/new/proj');
  });

  it('replaces nothing at the destination', async () => {
    const { world, manager, file } = begin();
    manager.appendMessage(assistant('yo'));
    const taken = path.join('agent/sessions/--new-proj--', path.basename(file));
    world.write(taken, 'mine');
    await expect(manager.moveTo('/new/proj')).rejects.toMatchObject({ code: 'FILE_IO' });
    expect(readFileSync(world.path(taken), 'utf8')).toBe('mine');
    expect(manager.getCwd()).toBe('/old/proj');
    manager.appendMessage(user('more'));
    expect(readSession(file).entries).toHaveLength(2);
  });

  it('to where it is already does nothing; in memory only the header changes', async () => {
    const { manager, file } = begin();
    manager.appendMessage(assistant('yo'));
    const before = readdirSync(path.dirname(file));
    await manager.moveTo('/old/proj');
    expect(readdirSync(path.dirname(file))).toEqual(before);
    const memory = SessionManager.inMemory('/a');
    await memory.moveTo('/b');
    expect(memory.getHeader().cwd).toBe('/b');
    expect(memory.getCwd()).toBe('/b');
  });
});

describe('captureState and restoreState', () => {
  it('go back to the session and its leaf after switching to another one failed', async () => {
    const { manager, file, world } = await openText(jsonl([header(), ...chain(3)]));
    manager.branch('e1');
    const state = manager.captureState();
    await manager.setSessionFile(world.write('s/other.jsonl', jsonl([header({ id: 'other' })])));
    expect(manager.getSessionId()).toBe('other');
    manager.restoreState(state);
    expect(manager.getSessionFile()).toBe(file);
    expect(manager.getLeafId()).toBe('e1');
    const id = manager.appendMessage(user('x'));
    expect(readSession(file).entries.at(-1)).toMatchObject({ id, parentId: 'e1' });
    expect(readSession(world.path('s/other.jsonl')).entries).toEqual([]);
  });

  it('a switch that fails leaves the manager with what it had', async () => {
    const { manager, file, world } = await openText(jsonl([header(), ...chain(1)]));
    await expect(manager.setSessionFile(world.dir)).rejects.toThrow();
    expect(manager.getSessionFile()).toBe(file);
    manager.appendMessage(user('x'));
    expect(readSession(file).entries).toHaveLength(2);
  });
});
