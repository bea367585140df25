import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readSummary } from '../../src/session/read-summary.js';
import { sessionInfo } from '../../src/session/session-info.js';
import { SessionManager } from '../../src/session/session-manager.js';
import { FileSessionStorage } from '../../src/storage/file-storage.js';
import { entry, header, jsonl, message, user } from '../support/entries.js';
import { makeWorld } from '../support/session-world.js';

describe('pi #4122: what a list holds in memory', () => {
  it('leaves out the text of a session beyond the limit, and reads it when asked for', async () => {
    const world = makeWorld();
    const file = world.write(
      's/a.jsonl',
      jsonl([header(), message('a', null, user('first')), message('b', 'a', user('x'.repeat(100)))]),
    );
    const storage = new FileSessionStorage();
    const whole = await readSummary(storage, file, 'all');
    const cut = await readSummary(storage, file, 'all', 50);
    expect(whole).toMatchObject({ isTextComplete: true, textChars: 105 });
    expect(cut).toMatchObject({ isTextComplete: false, textChars: 0, texts: [], firstUserText: 'first' });
    const info = sessionInfo(file, storage, cut as NonNullable<typeof cut>);
    expect(info.allMessagesText).toBe(`first ${'x'.repeat(100)}`);
    expect({ ...info }).toEqual(sessionInfo(file, storage, whole as NonNullable<typeof whole>));
  });

  it('kendex #177: 100 MB of extension data between two messages are read in pieces and not kept', async () => {
    const world = makeWorld();
    mkdirSync(world.path('agent/sessions/--p--'), { recursive: true });
    const fd = openSync(world.path('agent/sessions/--p--/big.jsonl'), 'w');
    writeSync(fd, jsonl([header({ cwd: '/p' }), message('a', null, user('first'))]));
    const data = jsonl([entry('custom', 'c', 'a', { customType: 'x', data: 'd'.repeat(500_000) })]);
    for (let i = 0; i < 200; i += 1) writeSync(fd, data);
    writeSync(fd, jsonl([message('z', 'a', user('last'))]));
    closeSync(fd);
    const [info] = await SessionManager.list('/p', undefined, undefined, world.host);
    expect(info).toMatchObject({ messageCount: 2, firstMessage: 'first', allMessagesText: 'first last' });
  });
});
