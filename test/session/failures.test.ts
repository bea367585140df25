import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { SessionManager } from '../../src/session/session-manager.js';
import { FileSessionStorage } from '../../src/storage/file-storage.js';
import { assistant, chain, header, jsonl, message, user } from '../support/entries.js';
import { Failures, failingStorage, type LogMethod } from '../support/failing-storage.js';
import { makeWorld, readSession } from '../support/session-world.js';

const PERSIST_FAILED = expect.objectContaining({ code: 'PERSIST_FAILED' });

async function openFailing(...records: object[]) {
  const world = makeWorld();
  const failures = new Failures();
  const storage = failingStorage(new FileSessionStorage(), failures);
  const file = world.write('s/a.jsonl', jsonl(records.length > 0 ? records : [header(), ...chain(2)]));
  const manager = await SessionManager.open(file, undefined, storage, world.host);
  return { world, failures, storage, file, manager };
}

function thrownBy(action: () => void): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('F34, omp #7478: a write that fails', () => {
  it('throws at once, keeps the entry in memory, and the next append writes everything that is missing', async () => {
    const { failures, file, manager } = await openFailing();
    failures.fail('append');
    expect(() => manager.appendMessage(user('one'))).toThrow(PERSIST_FAILED);
    expect(manager.getEntries()).toHaveLength(3);
    expect(readSession(file).entries).toHaveLength(2);
    failures.heal();
    manager.appendMessage(user('two'));
    expect(readSession(file).entries).toEqual(manager.getEntries());
    expect(manager.getEntries()).toHaveLength(4);
  });

  it('is told again by later operations, always the first one, with path and cause, and logged once', async () => {
    const { failures, file, manager, world } = await openFailing();
    failures.fail('append', 'replace');
    const first = thrownBy(() => manager.appendMessage(user('one')));
    expect(first).toMatchObject({ code: 'PERSIST_FAILED', where: { path: file }, cause: { code: 'ENOSPC' } });
    expect(thrownBy(() => manager.appendMessage(user('two')))).toBe(first);
    await expect(manager.flush()).rejects.toBe(first);
    await expect(manager.setSessionName('n', 'user')).rejects.toBe(first);
    await expect(manager.rewriteEntries()).rejects.toBe(first);
    expect(world.host.warnings).toEqual([expect.stringContaining(file)]);
    expect(manager.getEntries()).toHaveLength(4);
    expect(manager.getSessionName()).toBe('n');
  });

  it('flush writes what is missing once writing works again, and the latch is gone', async () => {
    const { failures, file, manager, world } = await openFailing();
    failures.fail('append');
    for (const text of ['one', 'two'])
      expect(() => manager.appendMessage(user(text))).toThrow(PERSIST_FAILED);
    failures.heal();
    await manager.flush();
    expect(readSession(file).entries).toEqual(manager.getEntries());
    await manager.flush();
    failures.fail('append');
    expect(() => manager.appendMessage(user('three'))).toThrow(PERSIST_FAILED);
    expect(world.host.warnings).toHaveLength(2);
  });

  it('close reports what could not be saved, and writes it if it can', async () => {
    const { failures, file, manager } = await openFailing();
    failures.fail('append');
    expect(() => manager.appendMessage(user('one'))).toThrow(PERSIST_FAILED);
    await expect(manager.close()).rejects.toMatchObject({ code: 'PERSIST_FAILED' });
    failures.heal();
    await manager.close();
    expect(readSession(file).entries).toHaveLength(3);
  });

  it('closing reports the first error that says something', async () => {
    const { failures, manager } = await openFailing();
    manager.appendMessage(user('one'));
    failures.fail('sync', 'close');
    await expect(manager.close()).rejects.toMatchObject({
      code: 'PERSIST_FAILED',
      cause: { message: expect.stringContaining('sync') },
    });
  });

  it('a sync that fails makes the next flush write the whole file anew', async () => {
    const { failures, file, manager } = await openFailing();
    manager.appendMessage(user('one'));
    failures.fail('sync');
    await expect(manager.flush()).rejects.toMatchObject({ code: 'PERSIST_FAILED' });
    failures.heal();
    failures.calls.length = 0;
    await manager.flush();
    expect(failures.calls).toContain('replace');
    expect(readSession(file).entries).toHaveLength(3);
  });

  it('the first write of a session: nothing is there, memory stays, and the next one succeeds', async () => {
    const world = makeWorld();
    const failures = new Failures();
    const storage = failingStorage(new FileSessionStorage(), failures);
    const manager = SessionManager.create('/p', world.path('s'), storage, world.host);
    const file = manager.getSessionFile() as string;
    manager.appendMessage(user('hi'));
    failures.fail('create');
    expect(() => manager.appendMessage(assistant('yo'))).toThrow(PERSIST_FAILED);
    expect(existsSync(file)).toBe(false);
    failures.heal();
    await manager.flush();
    expect(readSession(file).entries).toHaveLength(2);
  });

  it('a rename that fails leaves the old file whole, and the name follows later', async () => {
    const { failures, file, manager } = await openFailing();
    const before = readFileSync(file);
    failures.fail('replace');
    await expect(manager.setSessionName('name', 'user')).rejects.toMatchObject({ code: 'PERSIST_FAILED' });
    expect(readFileSync(file)).toEqual(before);
    failures.heal();
    manager.appendMessage(user('x'));
    expect(readSession(file).header.title).toBe('name');
    expect(readSession(file).entries).toHaveLength(3);
  });

  it('pithagoras #16: a place that cannot be written is still read; a migration stays in memory', async () => {
    const world = makeWorld();
    const failures = new Failures();
    failures.fail('append', 'replace', 'create');
    const storage = failingStorage(new FileSessionStorage(), failures);
    const v1 = jsonl([
      { ...header(), version: 1 },
      { type: 'message', message: user('old') },
    ]);
    const file = world.write('s/a.jsonl', v1);
    const manager = await SessionManager.open(file, undefined, storage, world.host);
    expect(manager.buildSessionContext().messages).toHaveLength(1);
    expect(readFileSync(file, 'utf8')).toBe(v1);
    expect(() => manager.appendMessage(user('x'))).toThrow(PERSIST_FAILED);
    expect(manager.getEntries()).toHaveLength(2);
    failures.heal();
    await manager.flush();
    expect(readSession(file).entries).toEqual(manager.getEntries());
    expect(readSession(file).header.version).toBe(3);
  });

  it('opening where a new session cannot be begun fails with a clear message', async () => {
    const world = makeWorld();
    const failures = new Failures();
    failures.fail('create', 'replace');
    const storage = failingStorage(new FileSessionStorage(), failures);
    await expect(
      SessionManager.open(world.path('s/new.jsonl'), undefined, storage, world.host),
    ).rejects.toMatchObject({ code: 'PERSIST_FAILED' });
  });

  it('a backup that fails keeps the rewrite from happening (F15)', async () => {
    const { failures, file, manager } = await openFailing(header(), ...chain(1), { damaged: true });
    const before = readFileSync(file);
    failures.fail('keepBackup');
    await expect(manager.rewriteEntries()).rejects.toMatchObject({ code: 'PERSIST_FAILED' });
    expect(readFileSync(file)).toEqual(before);
    failures.heal();
    await manager.flush();
    expect(readdirSync(path.dirname(file)).filter((name) => name.includes('.bak-'))).toHaveLength(1);
    expect(readSession(file).entries).toHaveLength(1);
  });

  it('whatever fails in whatever order, no entry is lost and none is written twice', async () => {
    const methods: LogMethod[] = ['append', 'replace', 'look', 'sync', 'create'];
    for (const method of methods) {
      for (const other of methods) {
        const { failures, file, manager } = await openFailing();
        failures.fail(method);
        thrownBy(() => manager.appendMessage(user('a')));
        await manager.setSessionName('n', 'user').catch(() => {});
        failures.heal();
        failures.fail(other);
        thrownBy(() => manager.appendMessage(user('b')));
        await manager.flush().catch(() => {});
        failures.heal();
        await manager.flush();
        const { header: first, entries } = readSession(file);
        expect(entries).toEqual(manager.getEntries());
        expect(entries).toHaveLength(4);
        expect(first.title).toBe('n');
      }
    }
  });

  it('foreign entries that arrive while ours cannot be written come before ours', async () => {
    const { failures, file, manager, world } = await openFailing();
    failures.fail('append');
    expect(() => manager.appendMessage(user('ours'))).toThrow(PERSIST_FAILED);
    const other = await SessionManager.open(file, undefined, undefined, world.host);
    other.appendMessage(user('theirs'));
    await other.close();
    failures.heal();
    manager.appendMessage(user('ours 2'));
    expect(readSession(file).entries).toEqual(manager.getEntries());
    expect(manager.getEntries().map((e) => (e.message as { content: string }).content)).toEqual([
      '0',
      '1',
      'theirs',
      'ours',
      'ours 2',
    ]);
    expect(manager.getEntries()[3]?.parentId).toBe('e1');
  });
});

describe('an image that cannot be stored', () => {
  it('F36: keeps its entry in memory until it can', async () => {
    const { file, manager, world } = await openFailing(header(), message('a', null, user('a')));
    world.write('agent/blobs', 'a file where the folder should be');
    const image = { type: 'image', data: Buffer.alloc(2000, 7).toString('base64'), mimeType: 'image/png' };
    expect(() => manager.appendMessage({ role: 'user', content: [image] } as never)).toThrow(PERSIST_FAILED);
    expect(manager.getEntries()).toHaveLength(2);
    rmSync(world.path('agent/blobs'));
    await manager.flush();
    expect(readSession(file).entries).toHaveLength(2);
    expect(readFileSync(file, 'utf8')).toContain('blob:sha256:');
  });
});
