import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { SessionManager } from '../../src/session/session-manager.js';
import { assistant, user } from '../support/entries.js';
import { linesOf, makeWorld, readSession } from '../support/session-world.js';

function begin() {
  const world = makeWorld();
  const manager = SessionManager.create(world.path('proj'), world.path('s'), undefined, world.host);
  return { world, manager, file: manager.getSessionFile() as string };
}

describe('F19: an append', () => {
  it('makes one entry under the leaf and becomes the leaf, for every kind of entry', () => {
    const manager = SessionManager.inMemory('/p');
    const first = manager.appendMessage(user('hi'));
    const appends: (() => string)[] = [
      () => manager.appendMessage(assistant('yo')),
      () => manager.appendModelChange('openai/gpt', 'smol'),
      () => manager.appendThinkingLevelChange('high'),
      () => manager.appendCompaction('sum', 'short', first, 42, { a: 1 }, true, { keep: 1 }),
      () => manager.appendCustomEntry('ext', { state: 1 }),
      () => manager.appendCustomMessageEntry('ext', 'text', false, { d: 1 }),
      () => manager.appendLabelChange(first, 'mark'),
      () => manager.appendTtsrInjection(['r1']),
      () => manager.appendSessionInit({ systemPrompt: 's', task: 't', tools: ['read'], outputSchema: {} }),
      () => manager.appendModeChange('plan', { file: '/p.md' }),
    ];
    let parentId = first;
    for (const [i, append] of appends.entries()) {
      const id = append();
      expect(manager.getEntries()).toHaveLength(i + 2);
      expect(manager.getLeafId()).toBe(id);
      expect(manager.getLeafEntry()).toMatchObject({ id, parentId });
      expect(id).toMatch(/^[0-9a-z]{8}$/);
      parentId = id;
    }
    const bare = manager.getEntries().map(({ id: _, parentId: __, timestamp: ___, ...own }) => own);
    expect(bare.slice(2)).toEqual([
      { type: 'model_change', model: 'openai/gpt', role: 'smol' },
      { type: 'thinking_level_change', thinkingLevel: 'high' },
      {
        type: 'compaction',
        summary: 'sum',
        shortSummary: 'short',
        firstKeptEntryId: first,
        tokensBefore: 42,
        details: { a: 1 },
        fromExtension: true,
        preserveData: { keep: 1 },
      },
      { type: 'custom', customType: 'ext', data: { state: 1 } },
      { type: 'custom_message', customType: 'ext', content: 'text', display: false, details: { d: 1 } },
      { type: 'label', targetId: first, label: 'mark' },
      { type: 'ttsr_injection', injectedRules: ['r1'] },
      { type: 'session_init', systemPrompt: 's', task: 't', tools: ['read'], outputSchema: {} },
      { type: 'mode_change', mode: 'plan', data: { file: '/p.md' } },
    ]);
  });

  it('pi #6242: 10,000 appends in a row have different ids, existing parents, and the order of the calls', () => {
    const { manager, file } = begin();
    manager.appendMessage(assistant('go'));
    const ids = Array.from({ length: 10_000 }, (_, i) => manager.appendCustomEntry('n', i));
    const { entries } = readSession(file);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(10_001);
    expect(entries.slice(1).map(({ id }) => id)).toEqual(ids);
    expect(entries.every(({ parentId }, i) => parentId === (i === 0 ? null : entries[i - 1]?.id))).toBe(true);
  });

  it('refuses what JSON cannot hold and leaves everything as it was', () => {
    const { manager, file } = begin();
    manager.appendMessage(assistant('go'));
    const before = readFileSync(file);
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    expect(() => manager.appendCustomEntry('x', cycle)).toThrow(TypeError);
    expect(() => manager.appendCustomEntry('x', { big: 1n })).toThrow(TypeError);
    expect(() => manager.appendMessage(null as never)).toThrow(TypeError);
    expect(manager.getEntries()).toHaveLength(1);
    expect(readFileSync(file)).toEqual(before);
  });
});

describe('F20-F22: branching', () => {
  it('branch moves the leaf only; the next append hangs there', () => {
    const manager = SessionManager.inMemory('/p');
    const a = manager.appendMessage(user('a'));
    const b = manager.appendMessage(user('b'));
    manager.branch(a);
    expect(manager.getEntries()).toHaveLength(2);
    const c = manager.appendMessage(user('c'));
    expect(manager.getBranch().map(({ id }) => id)).toEqual([a, c]);
    expect(manager.getBranch(b).map(({ id }) => id)).toEqual([a, b]);
    expect(manager.getChildren(a).map(({ id }) => id)).toEqual([b, c]);
    expect(() => manager.branch('nope')).toThrow('Entry nope not found');
  });

  it('resetLeaf makes the next append a root', () => {
    const manager = SessionManager.inMemory('/p');
    manager.appendMessage(user('a'));
    manager.resetLeaf();
    expect(manager.buildSessionContext().messages).toEqual([]);
    const b = manager.appendMessage(user('b'));
    expect(manager.getEntry(b)?.parentId).toBeNull();
    expect(manager.getTree()).toHaveLength(2);
  });

  it('F21: branchWithSummary stands at the target and says where it branched from, "root" for the root', () => {
    const manager = SessionManager.inMemory('/p');
    const a = manager.appendMessage(user('a'));
    manager.appendMessage(user('b'));
    const s = manager.branchWithSummary(a, 'left b', { note: 1 }, true);
    expect(manager.getEntry(s)).toMatchObject({
      type: 'branch_summary',
      parentId: a,
      fromId: a,
      summary: 'left b',
      details: { note: 1 },
      fromExtension: true,
    });
    const r = manager.branchWithSummary(null, 'left all');
    expect(manager.getEntry(r)).toMatchObject({ parentId: null, fromId: 'root' });
    expect(manager.getLeafId()).toBe(r);
    expect(() => manager.branchWithSummary('nope', 's')).toThrow('Entry nope not found');
    expect(manager.getLeafId()).toBe(r);
  });

  it('F22: what getEntries gives is a copy', () => {
    const manager = SessionManager.inMemory('/p');
    manager.appendMessage(user('a'));
    manager.getEntries().length = 0;
    expect(manager.getEntries()).toHaveLength(1);
  });

  it('F25: labels come and go, and an unknown target throws', () => {
    const manager = SessionManager.inMemory('/p');
    const a = manager.appendMessage(user('a'));
    manager.appendLabelChange(a, 'one');
    expect(manager.getLabel(a)).toBe('one');
    manager.appendLabelChange(a, undefined);
    expect(manager.getLabel(a)).toBeUndefined();
    manager.appendLabelChange(a, 'two');
    manager.appendLabelChange(a, '');
    expect(manager.getLabel(a)).toBeUndefined();
    expect(() => manager.appendLabelChange('nope', 'x')).toThrow('Entry nope not found');
    expect(manager.getEntries()).toHaveLength(5);
  });
});

describe('F30, F31: when the file appears', () => {
  it('F30: in memory nothing is persisted', async () => {
    const manager = SessionManager.inMemory('/p');
    manager.appendMessage(assistant('a'));
    await manager.flush();
    expect(manager.isPersisted()).toBe(false);
    expect(manager.getSessionFile()).toBeUndefined();
  });

  it('not before the session holds an answer; then all of it, and each later entry', async () => {
    const { manager, file } = begin();
    manager.appendModelChange('p/m');
    manager.appendMessage(user('hi'));
    await manager.flush();
    expect(existsSync(file)).toBe(false);
    manager.appendMessage(assistant('yo'));
    expect(readSession(file).entries.map(({ type }) => type)).toEqual(['model_change', 'message', 'message']);
    manager.appendCustomEntry('x');
    expect(linesOf(file)).toHaveLength(5);
  });

  it('ensureOnDisk writes it at once, and then each entry follows', async () => {
    const { manager, file } = begin();
    await manager.ensureOnDisk();
    expect(linesOf(file)).toHaveLength(1);
    manager.appendMessage(user('hi'));
    expect(linesOf(file)).toHaveLength(2);
    await manager.ensureOnDisk();
    expect(linesOf(file)).toHaveLength(2);
  });

  it('F2: the file is named by the header: its time and its id', () => {
    const { manager, file, world } = begin();
    const { id, timestamp, version, cwd } = manager.getHeader();
    expect(path.basename(file)).toBe(`${timestamp.replace(/[:.]/g, '-')}_${id}.jsonl`);
    expect({ version, cwd }).toEqual({ version: 3, cwd: world.path('proj') });
  });

  it('pi-web #9073: sessions with one chosen id in one folder get files of their own', async () => {
    const world = makeWorld();
    world.host.now = () => Date.UTC(2026, 0, 1);
    const files: string[] = [];
    for (const cwd of ['/a/b-c', '/a-b/c']) {
      const manager = SessionManager.create(cwd, undefined, undefined, world.host);
      await manager.newSession({ id: 'same' });
      manager.appendMessage(assistant(cwd));
      files.push(manager.getSessionFile() as string);
      await manager.close();
    }
    expect(path.dirname(files[0] as string)).toBe(path.dirname(files[1] as string));
    expect(files[0]).not.toBe(files[1]);
    for (const [i, cwd] of ['/a/b-c', '/a-b/c'].entries()) {
      const { header } = readSession(files[i] as string);
      expect(header).toMatchObject({ id: 'same', cwd });
      expect(path.basename(files[i] as string)).toBe(`${header.timestamp.replace(/[:.]/g, '-')}_same.jsonl`);
    }
  });

  it('refuses an id that would lead out of the folder', async () => {
    const { manager } = begin();
    await expect(manager.newSession({ id: '../../etc/x' })).rejects.toThrow(TypeError);
    await expect(manager.newSession({ id: '' })).rejects.toThrow(TypeError);
  });

  it('newSession leaves the old file complete and records the parent', async () => {
    const { manager, file } = begin();
    manager.appendMessage(assistant('one'));
    const next = await manager.newSession({ parentSession: file });
    expect(next).not.toBe(file);
    expect(manager.getEntries()).toEqual([]);
    expect(manager.getHeader().parentSession).toBe(file);
    manager.appendMessage(assistant('two'));
    expect(readSession(file).entries).toHaveLength(1);
    expect(readSession(next as string).entries).toHaveLength(1);
  });
});

describe('F32: order and durability', () => {
  it('pi #1717, #7738: calls that are not awaited end in the file in their order, each once', async () => {
    const { manager, file } = begin();
    manager.appendMessage(assistant('go'));
    const pending = [manager.setSessionName('one', 'user'), manager.flush(), manager.rewriteEntries()];
    const a = manager.appendCustomEntry('a');
    pending.push(manager.flush(), manager.setSessionName('two', 'user'));
    const b = manager.appendCustomEntry('b');
    pending.push(manager.rewriteEntries(), manager.flush(), manager.close());
    const c = manager.appendCustomEntry('c');
    await Promise.all(pending);
    await manager.close();
    const { header, entries } = readSession(file);
    expect(entries.slice(1).map(({ id }) => id)).toEqual([a, b, c]);
    expect(header.title).toBe('two');
  });

  it('a closed manager can go on', async () => {
    const { manager, file } = begin();
    manager.appendMessage(assistant('go'));
    await manager.close();
    manager.appendCustomEntry('later');
    await manager.close();
    await manager.close();
    expect(readSession(file).entries).toHaveLength(2);
  });

  it('omp #3789: closing a session that is current writes nothing', async () => {
    const { manager, file, world } = begin();
    manager.appendMessage(assistant('go'));
    await manager.close();
    const before = readFileSync(file);
    const again = await SessionManager.open(file, undefined, undefined, world.host);
    await again.flush();
    await again.close();
    expect(readFileSync(file)).toEqual(before);
  });
});
