import { describe, expect, it } from 'vitest';
import { loadEntriesFromFile } from '../../src/session/load-entries.js';
import { SessionManager } from '../../src/session/session-manager.js';
import { MemorySessionStorage } from '../../src/storage/memory-storage.js';
import type { SessionStorage } from '../../src/storage/session-storage.js';
import { assistant, chain, header, jsonl, user } from '../support/entries.js';
import { makeWorld } from '../support/session-world.js';

const FAMILY = [
  'ensureDirSync',
  'existsSync',
  'writeTextSync',
  'statSync',
  'listFilesSync',
  'exists',
  'readText',
  'readTextPrefix',
  'writeText',
  'rename',
  'unlink',
  'openWriter',
] as const;

/** What somebody else's storage has: the family's members, and writes that take a while. */
function familyStorage(failing: { writes: boolean } = { writes: false }): SessionStorage {
  const inner = new MemorySessionStorage();
  const members = FAMILY.map((name) => [name, (inner[name] as (...args: unknown[]) => unknown).bind(inner)]);
  const storage = Object.fromEntries(members) as unknown as SessionStorage;
  return Object.assign(storage, {
    openWriter: (...args: Parameters<SessionStorage['openWriter']>) => {
      const writer = inner.openWriter(...args);
      return {
        writeLine: async (line: string) => {
          await new Promise((resolve) => setTimeout(resolve, 1));
          if (failing.writes) throw new Error('no space');
          await writer.writeLine(line);
        },
        flush: () => writer.flush(),
        fsync: () => writer.fsync(),
        close: () => writer.close(),
        getError: () => writer.getError(),
      };
    },
  });
}

describe.each([
  ['the memory storage', () => new MemorySessionStorage()],
  ['a storage with nothing but the family’s members', () => familyStorage()],
])('a session in %s', (_, make) => {
  it('is written, read, renamed, forked, moved and found', async () => {
    const { host } = makeWorld();
    const storage = make();
    const manager = SessionManager.create('/p', undefined, storage, host);
    manager.appendMessage(user('one'));
    const id = manager.appendMessage(assistant('two'));
    manager.appendCustomEntry('x', 1);
    await manager.setSessionName('name', 'user');
    manager.appendCustomEntry('x', 2);
    await manager.flush();
    const read = await loadEntriesFromFile(manager.getSessionFile() as string, storage);
    expect(read).toEqual([manager.getHeader(), ...manager.getEntries()]);
    const fork = (await manager.fork())?.newSessionFile as string;
    expect((await loadEntriesFromFile(fork, storage)).slice(1)).toEqual(manager.getEntries());
    const branched = manager.createBranchedSession(id) as string;
    await manager.moveTo('/q');
    manager.appendCustomEntry('x', 3);
    await manager.close();
    expect(await loadEntriesFromFile(branched, storage)).toHaveLength(3);
    const again = await SessionManager.continueRecent('/q', undefined, storage, host);
    expect(again.getEntries()).toEqual(manager.getEntries());
    expect(again.getSessionName()).toBe('name');
    expect((await SessionManager.listAll(storage, host)).length).toBe(3);
    const [info] = await SessionManager.list('/q', undefined, storage, host);
    expect(info).toMatchObject({ title: 'name', firstMessage: 'one', allMessagesText: 'one two' });
  });

  it('F13: is migrated when it is opened', async () => {
    const storage = make();
    await storage.writeText('/s/a.jsonl', jsonl([{ ...header(), version: 2 }, ...chain(2)]));
    const manager = await SessionManager.open('/s/a.jsonl', undefined, storage, makeWorld().host);
    await manager.close();
    expect((await loadEntriesFromFile('/s/a.jsonl', storage))[0]).toMatchObject({ version: 3 });
  });
});

describe('F34: a storage whose writes fail after they were accepted', () => {
  it('the failure is latched and logged, and everything is written once writing works again', async () => {
    const { host } = makeWorld();
    const failing = { writes: false };
    const storage = familyStorage(failing);
    const manager = SessionManager.create('/p', undefined, storage, host);
    manager.appendMessage(assistant('one'));
    await manager.flush();
    failing.writes = true;
    manager.appendMessage(user('two'));
    await expect(manager.flush()).rejects.toMatchObject({ code: 'PERSIST_FAILED' });
    expect(host.warnings).toHaveLength(1);
    failing.writes = false;
    await manager.flush();
    const read = await loadEntriesFromFile(manager.getSessionFile() as string, storage);
    expect(read.slice(1)).toEqual(manager.getEntries());
  });
});

describe('F6, F8: loadEntriesFromFile', () => {
  it('gives header and entries as they are, and [] for what is missing or no session', async () => {
    const world = makeWorld();
    const records = [header({ version: 1 }), ...chain(2)];
    expect(await loadEntriesFromFile(world.write('a.jsonl', jsonl(records)))).toEqual(records);
    expect(await loadEntriesFromFile(world.path('missing.jsonl'))).toEqual([]);
    expect(await loadEntriesFromFile(world.write('b.jsonl', ''))).toEqual([]);
    expect(await loadEntriesFromFile(world.write('c.jsonl', jsonl(chain(2))))).toEqual([]);
    expect(await loadEntriesFromFile(world.write('d.jsonl', jsonl([{ ...header(), id: 1 }])))).toEqual([]);
    await expect(loadEntriesFromFile(world.dir)).rejects.toThrow();
  });
});
