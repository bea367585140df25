import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { SessionManager } from '../../src/session/session-manager.js';
import { assistant, chain, entry, header, jsonl, message, user } from '../support/entries.js';
import { linesOf, makeWorld, readSession } from '../support/session-world.js';

const FILE = 's/session.jsonl';

async function open(text: string | Buffer) {
  const world = makeWorld();
  const file = world.write(FILE, text);
  const manager = await SessionManager.open(file, undefined, undefined, world.host);
  return { world, file, manager };
}

const backupsIn = (dir: string) => readdirSync(dir).filter((name) => name.includes('.bak-'));

describe('F7, F9: damaged lines', () => {
  it('claude-code #50347: a bad line is skipped, counted and placed', async () => {
    const lines = [header(), ...chain(29)].map((value) => JSON.stringify(value));
    lines[9] = 'not json';
    const { manager } = await open(`${lines.join('\n')}\n`);
    expect(manager.getEntries()).toHaveLength(28);
    expect(manager.getProblems()).toEqual([
      expect.objectContaining({
        kind: 'unparsable',
        line: 10,
        byteOffset: Buffer.byteLength(`${lines.slice(0, 9).join('\n')}\n`),
        byteLength: 8,
      }),
    ]);
  });

  it('pi #1911: text with every kind of line break comes back the same', async () => {
    const text = 'a\u2028b\u2029c\u0085d\re\u000bf\u0000g\n\ud800';
    const raw = JSON.stringify(text).replace('\\u2028', '\u2028').replace('\\u2029', '\u2029');
    const line = JSON.stringify(message('a', null, user('X'))).replace(
      '"X"',
      raw.replaceAll('\u2028', '\u2028'),
    );
    const { manager, file } = await open(`${JSON.stringify(header())}\n${line}\n`);
    expect(manager.getEntries()[0]?.message).toEqual({ role: 'user', content: text });
    manager.appendMessage(user(text));
    await manager.rewriteEntries();
    expect(readSession(file).entries.map((e) => (e.message as { content: string }).content)).toEqual([
      text,
      text,
    ]);
  });

  it('F9: a torn last line does not swallow the next append, and is kept', async () => {
    const torn = '{"type":"message","id":"torn","par';
    const { manager, file } = await open(jsonl([header(), ...chain(2)]) + torn);
    expect(manager.getLeafId()).toBe('e1');
    expect(manager.getProblems()[0]).toMatchObject({ kind: 'torn' });
    const id = manager.appendMessage(user('next'));
    const lines = linesOf(file);
    expect(lines[3]).toBe(torn);
    expect(JSON.parse(lines[4] as string)).toMatchObject({ id, parentId: 'e1' });
    expect(lines).toHaveLength(5);
  });

  it('F9: a last line without newline that parses is an entry, and the next one gets its own line', async () => {
    const { manager, file } = await open(jsonl([header(), ...chain(2)]).slice(0, -1));
    expect(manager.getLeafId()).toBe('e1');
    manager.appendMessage(user('next'));
    expect(readSession(file).entries).toHaveLength(3);
  });

  it('F15: a rewrite that would drop a line keeps the original beside the file first', async () => {
    const text = `${jsonl([header(), ...chain(1)])}half a line\n${jsonl([message('z', 'e0', user('z'))])}`;
    const { manager, file, world } = await open(text);
    manager.appendMessage(user('more'));
    const before = readFileSync(file);
    await manager.setSessionName('named', 'user');
    const [backup, ...others] = backupsIn(world.path('s'));
    expect(others).toEqual([]);
    expect(backup).toMatch(/^session\.jsonl\.bak-/);
    expect(readFileSync(world.path('s', backup as string))).toEqual(before);
    expect(readSession(file).entries).toHaveLength(3);
    await manager.setSessionName('again', 'user');
    expect(backupsIn(world.path('s'))).toHaveLength(1);
  });

  it('F10: unknown types, fields and the order of keys survive a rewrite', async () => {
    const odd =
      '{"zeta":1,"type":"from_the_future","id":"q","parentId":"e0","timestamp":"2026-01-01T00:00:00Z","__proto__":{"x":[1,{"b":1,"a":2}]}}';
    const { manager, file } = await open(
      `${jsonl([header({ additionalDirectories: ['/x'] }), ...chain(1)])}${odd}\n`,
    );
    await manager.rewriteEntries();
    expect(linesOf(file)[2]).toBe(odd);
    expect(readSession(file).header.additionalDirectories).toEqual(['/x']);
  });

  it('a second header is carried and is no entry', async () => {
    const second = header({ id: 'other' });
    const { manager, file } = await open(
      jsonl([header(), ...chain(1), second, message('b', 'e0', user('b'))]),
    );
    expect(manager.getEntries().map(({ id }) => id)).toEqual(['e0', 'b']);
    expect(manager.getSessionId()).toBe('session-1');
    await manager.rewriteEntries();
    expect(JSON.parse(linesOf(file)[2] as string)).toEqual(second);
  });
});

describe('opening to read', () => {
  it('changes no byte and no mtime, whatever is then asked for', async () => {
    const { manager, file } = await open(`${jsonl([header(), ...chain(3)])}broken\n{"type":"mess`);
    const before = readFileSync(file);
    const { mtimeNs } = statSync(file, { bigint: true });
    manager.buildSessionContext();
    manager.getTree();
    manager.getUsageStatistics();
    manager.refresh();
    await manager.flush();
    await manager.close();
    expect(readFileSync(file)).toEqual(before);
    expect(statSync(file, { bigint: true }).mtimeNs).toBe(mtimeNs);
    expect(readdirSync(path.dirname(file))).toEqual(['session.jsonl']);
  });

  it('F18: the leaf is the last entry of the file', async () => {
    const { manager } = await open(jsonl([header(), ...chain(3), message('side', 'e0', user('s'))]));
    expect(manager.getLeafId()).toBe('side');
    expect(manager.getCwd()).toBe('/home/pi');
  });

  it('pi #3249: the recorded directory is reported though it does not exist, and stays in the header', async () => {
    const { manager, file } = await open(jsonl([header({ cwd: '/gone/for/good' }), ...chain(1)]));
    expect(manager.getCwd()).toBe('/gone/for/good');
    manager.appendMessage(user('x'));
    expect(readSession(file).header.cwd).toBe('/gone/for/good');
  });

  it('throws for what is no file', async () => {
    const world = makeWorld();
    mkdirSync(world.path('dir.jsonl'));
    await expect(
      SessionManager.open(world.path('dir.jsonl'), undefined, undefined, world.host),
    ).rejects.toThrow();
  });

  it('pi 0.67.67: a path with spaces, quotes and other letters works', async () => {
    const world = makeWorld();
    const file = world.write(`it's "q" ~ é 字/a b.jsonl`, jsonl([header(), ...chain(1)]));
    const manager = await SessionManager.open(file, undefined, undefined, world.host);
    manager.appendMessage(user('x'));
    expect(readSession(file).entries).toHaveLength(2);
  });
});

describe('F16: a file that is no session', () => {
  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['blank', '\n\n'],
  ])('pi #932, kern-ai #300: %s: a new session begins at that very path, header first', async (_, text) => {
    const world = makeWorld();
    const file = world.path(FILE);
    if (text !== undefined) world.write(FILE, text);
    const manager = await SessionManager.open(file, undefined, undefined, world.host);
    expect(manager.getSessionFile()).toBe(file);
    manager.appendMessage(user('hi'));
    manager.appendMessage(assistant('yo'));
    const { header: first, entries } = readSession(file);
    expect(first).toMatchObject({ type: 'session', version: 3, id: manager.getSessionId() });
    expect(entries).toHaveLength(2);
    const again = await SessionManager.open(file, undefined, undefined, world.host);
    expect(again.getEntries()).toEqual(manager.getEntries());
  });

  it.each([
    ['foreign', '{"sessionId":"x","type":"user","message":{"role":"user"}}\n'],
    ['headerless', jsonl(chain(2))],
    ['a header whose id is no string', jsonl([{ ...header(), id: 7 }, ...chain(2)])],
    ['not JSON', 'hello\nworld'],
  ])('F8, F15: %s: the bytes are kept beside the file before it is replaced', async (_, text) => {
    const { file, world } = await open(text);
    expect(readSession(file).entries).toEqual([]);
    const backups = backupsIn(world.path('s'));
    expect(backups).toHaveLength(1);
    expect(readFileSync(world.path('s', backups[0] as string), 'utf8')).toBe(text);
  });
});

describe('F11-F14: migration', () => {
  const v1 = [
    {
      type: 'session',
      id: 'old',
      timestamp: '2025-01-01T00:00:00.000Z',
      cwd: '/p',
      provider: 'a',
      modelId: 'm',
    },
    { type: 'message', timestamp: '2025-01-01T00:00:01.000Z', message: user('one') },
    {
      type: 'message',
      timestamp: '2025-01-01T00:00:02.000Z',
      message: { role: 'hookMessage', content: 'hook' },
    },
    {
      type: 'compaction',
      timestamp: '2025-01-01T00:00:03.000Z',
      summary: 's',
      firstKeptEntryIndex: 2,
      tokensBefore: 1,
    },
  ];

  it('F11-F13: a v1 file is rewritten at once: ids, a linear chain, kept ids, renamed roles, version 3', async () => {
    const { manager, file, world } = await open(jsonl(v1));
    const { header: first, entries } = readSession(file);
    expect(first).toEqual({ ...v1[0], version: 3 });
    expect(entries.map(({ parentId }) => parentId)).toEqual([null, entries[0]?.id, entries[1]?.id]);
    expect(entries[1]?.message).toEqual({ role: 'custom', content: 'hook' });
    expect(entries[2]).toMatchObject({ firstKeptEntryId: entries[1]?.id });
    expect(entries[2]).not.toHaveProperty('firstKeptEntryIndex');
    expect(manager.getEntries()).toEqual(entries);
    expect(backupsIn(world.path('s'))).toEqual([]);
  });

  it('F13: a migrated file migrates no further; a v3 file is not touched', async () => {
    const { file, world } = await open(jsonl(v1));
    const before = readFileSync(file);
    const { mtimeNs, ino } = statSync(file, { bigint: true });
    await SessionManager.open(file, undefined, undefined, world.host);
    expect(readFileSync(file)).toEqual(before);
    expect(statSync(file, { bigint: true })).toMatchObject({ mtimeNs, ino });
  });

  it('F14: the ids are the same wherever the file is migrated', async () => {
    const ids = async () => (await open(jsonl(v1))).manager.getEntries().map(({ id }) => id);
    expect(await ids()).toEqual(await ids());
  });

  it('F12: a v2 file keeps its ids', async () => {
    const { file } = await open(jsonl([header({ version: 2 }), ...chain(2)]));
    expect(readSession(file).header.version).toBe(3);
    expect(readSession(file).entries.map(({ id }) => id)).toEqual(['e0', 'e1']);
  });

  it('F13: a version above 3 is read, and never written', async () => {
    const { manager, file } = await open(jsonl([header({ version: 4 }), ...chain(2)]));
    const before = readFileSync(file);
    expect(manager.getEntries()).toHaveLength(2);
    expect(manager.buildSessionContext().messages).toHaveLength(2);
    expect(() => manager.appendMessage(user('x'))).toThrow(
      expect.objectContaining({ code: 'FORMAT_TOO_NEW' }),
    );
    expect(() => manager.branchWithSummary('e0', 's')).toThrow(
      expect.objectContaining({ code: 'FORMAT_TOO_NEW' }),
    );
    await expect(manager.setSessionName('x', 'user')).rejects.toMatchObject({ code: 'FORMAT_TOO_NEW' });
    await expect(manager.rewriteEntries()).rejects.toMatchObject({ code: 'FORMAT_TOO_NEW' });
    expect(manager.getEntries()).toHaveLength(2);
    expect(manager.getLeafId()).toBe('e1');
    await manager.close();
    expect(readFileSync(file)).toEqual(before);
  });

  it('pi PR #3991: what was migrated before it had an answer is not written a second time', async () => {
    const { manager, file } = await open(jsonl(v1.slice(0, 2)));
    manager.appendModelChange('p/m');
    manager.appendMessage(assistant('yo'));
    const { entries } = readSession(file);
    expect(entries).toHaveLength(3);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(3);
  });

  it('F15: a v1 file with a damaged line is kept beside its migration', async () => {
    const text = `${jsonl(v1)}{"type":"mess\n`;
    const { world } = await open(text);
    const backups = backupsIn(world.path('s'));
    expect(backups).toHaveLength(1);
    expect(readFileSync(world.path('s', backups[0] as string), 'utf8')).toBe(text);
  });
});

describe('a file that is changed under an open session', () => {
  it('deleted: it is written again whole, header first, at the next append', async () => {
    const { manager, file } = await open(jsonl([header(), ...chain(2)]));
    manager.appendMessage(user('a'));
    unlinkSync(file);
    manager.appendMessage(user('b'));
    expect(readSession(file).entries).toEqual(manager.getEntries());
    expect(manager.getEntries()).toHaveLength(4);
  });

  it('its folder deleted: likewise', async () => {
    const { manager, file, world } = await open(jsonl([header(), ...chain(1)]));
    rmSync(world.path('s'), { recursive: true });
    manager.appendMessage(user('b'));
    expect(readSession(file).entries).toHaveLength(2);
  });

  it('F35: entries appended by another are kept by an append and by a rewrite, and the leaf stays ours', async () => {
    const { manager, file } = await open(jsonl([header(), ...chain(2)]));
    const foreign = message('foreign', 'e1', user('theirs'));
    writeFileSync(file, readFileSync(file, 'utf8') + jsonl([foreign]));
    const id = manager.appendMessage(user('ours'));
    expect(manager.getEntries().map((e) => e.id)).toEqual(['e0', 'e1', 'foreign', id]);
    expect(manager.getEntry(id)?.parentId).toBe('e1');
    writeFileSync(file, readFileSync(file, 'utf8') + jsonl([message('again', 'foreign', user('theirs'))]));
    await manager.setSessionName('named', 'user');
    expect(readSession(file).entries.map((e) => e.id)).toEqual(['e0', 'e1', 'foreign', id, 'again']);
    expect(manager.getLeafId()).toBe(id);
  });

  it('refresh takes in what others wrote without writing anything', async () => {
    const { manager, file } = await open(jsonl([header(), ...chain(2)]));
    writeFileSync(file, readFileSync(file, 'utf8') + jsonl([message('f', 'e1', user('theirs'))]));
    const before = readFileSync(file);
    expect(manager.refresh()).toBe(1);
    expect(manager.refresh()).toBe(0);
    expect(manager.getLeafId()).toBe('e1');
    expect(readFileSync(file)).toEqual(before);
  });

  it('F35: replaced by a file without our entries: they are written again, and what is new there is kept', async () => {
    const { manager, file } = await open(jsonl([header(), ...chain(2)]));
    const id = manager.appendMessage(user('ours'));
    unlinkSync(file);
    writeFileSync(file, jsonl([header({ title: 'theirs' }), ...chain(1), message('new', 'e0', user('n'))]));
    const next = manager.appendMessage(user('next'));
    const { header: first, entries } = readSession(file);
    expect(entries.map((e) => e.id)).toEqual(['e0', 'new', 'e1', id, next]);
    expect(first.title).toBe('theirs');
    expect(entries).toEqual(manager.getEntries());
    expect(entries.at(-1)?.parentId).toBe(id);
  });

  it('emptied, or replaced by something else: the session is written again, and what was there is kept', async () => {
    for (const text of ['', 'something else\n']) {
      const { manager, file, world } = await open(jsonl([header(), ...chain(2)]));
      unlinkSync(file);
      writeFileSync(file, text);
      manager.appendMessage(user('next'));
      expect(readSession(file).entries).toHaveLength(3);
      expect(backupsIn(world.path('s'))).toHaveLength(text === '' ? 0 : 1);
    }
  });
});

describe('other damage', () => {
  it('copilot-cli #2649: an entry over several lines is reported, and everything else is read', async () => {
    const broken = JSON.stringify(message('m', 'e0', user('a\\nb'))).replace('\\\\n', '\n');
    const { manager } = await open(
      `${jsonl([header(), ...chain(1)])}${broken}\n${jsonl([entry('custom', 'c', 'e0')])}`,
    );
    expect(manager.getEntries().map(({ id }) => id)).toEqual(['e0', 'c']);
    expect(manager.getProblems().length).toBeGreaterThan(0);
  });
});
