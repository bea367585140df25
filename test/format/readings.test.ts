import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blobHashOf, ContentReader } from '../../src/format/content.js';
import type { JsonObject } from '../../src/format/json.js';
import { migrateSessionEntries } from '../../src/format/migrate/migrate.js';
import {
  isTitleSlot,
  lineageOf,
  readCompaction,
  readLabel,
  readModel,
  readThinkingLevel,
  readTitle,
  timestampMs,
  withoutLevel,
} from '../../src/format/spellings.js';
import type { FileEntry } from '../../src/format/types.js';
import { readUsage, usageOf } from '../../src/format/usage.js';

describe('spellings found in the wild', () => {
  it('models: pi, omp, xcsh', () => {
    expect(readModel({ type: 'model_change', provider: 'p', modelId: 'm' })).toEqual({
      model: 'p/m',
      role: 'default',
    });
    expect(readModel({ type: 'model_change', model: 'p/m:high', role: 'smol' })).toEqual({
      model: 'p/m:high',
      role: 'smol',
    });
    expect(withoutLevel('p/m:high')).toBe('p/m');
    expect(withoutLevel('local/qwen:7b')).toBe('local/qwen:7b');
    expect(readModel({ type: 'model_change' })).toBeUndefined();
  });

  it('thinking level: null and absent are off', () => {
    expect([{ thinkingLevel: 'high' }, { thinkingLevel: null }, {}].map(readThinkingLevel)).toEqual([
      'high',
      'off',
      'off',
    ]);
  });

  it('titles: session_info and title_change, an empty one clears; the slot is told from an entry', () => {
    expect(readTitle({ type: 'session_info', name: 'A' })?.title).toBe('A');
    expect(readTitle({ type: 'title_change', title: '' })).toEqual({ title: '', source: undefined });
    expect(readTitle({ type: 'message' })).toBeUndefined();
    expect(isTitleSlot({ type: 'title', title: 'A' })).toBe(true);
    expect(isTitleSlot({ type: 'title', title: 'A', parentId: null })).toBe(false);
  });

  it('lineage: parentSession, else branchedFrom', () => {
    expect(lineageOf({ parentSession: 'a', branchedFrom: 'b' })).toBe('a');
    expect(lineageOf({ branchedFrom: 'b' })).toBe('b');
    expect(lineageOf({ parentSession: '' })).toBeUndefined();
  });

  it('labels: absent, null and empty clear', () => {
    expect([{ label: 'x' }, {}, { label: null }, { label: '' }].map(readLabel)).toEqual([
      'x',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('compactions: fromHook is fromExtension, the index is told from the id', () => {
    expect(readCompaction({ summary: 's', firstKeptEntryIndex: 3, fromHook: true })).toEqual({
      summary: 's',
      shortSummary: undefined,
      firstKeptEntryId: undefined,
      firstKeptEntryIndex: 3,
      tokensBefore: 0,
      fromExtension: true,
    });
  });

  it('times: with or without ms, as ms, absent, nonsense', () => {
    const ms = Date.UTC(2026, 0, 2, 3, 4, 5);
    expect(
      [`2026-01-02T03:04:05Z`, '2026-01-02T03:04:05.007Z', ms, undefined, 'soon', Number.NaN].map(
        timestampMs,
      ),
    ).toEqual([ms, ms + 7, ms, undefined, undefined, undefined]);
  });
});

describe('migration', () => {
  const v1 = (): FileEntry[] =>
    [
      { type: 'session', id: 's', timestamp: '2026-01-01T00:00:00Z', cwd: '/x', extra: 1 },
      { type: 'message', timestamp: 't1', message: { role: 'user', content: 'a' } },
      { type: 'message', timestamp: 't2', message: { role: 'hookMessage', content: 'b' } },
      { type: 'compaction', timestamp: 't3', summary: 'c', firstKeptEntryIndex: 2, tokensBefore: 1 },
      { type: 'message', id: 'own', timestamp: 't4', message: { role: 'user', content: 'd' } },
    ] as unknown as FileEntry[];

  it('F11, F12: ids and a linear chain, the kept entry by id, hookMessage is custom, version 3', () => {
    const entries = v1();
    expect(migrateSessionEntries(entries)).toBe(true);
    const [header, a, b, c, d] = entries as unknown as Record<string, unknown>[];
    expect(header).toMatchObject({ version: 3, extra: 1 });
    expect([a?.['parentId'], b?.['parentId'], c?.['parentId'], d?.['parentId']]).toEqual([
      null,
      a?.['id'],
      b?.['id'],
      c?.['id'],
    ]);
    expect([a, b, c].map((entry) => entry?.['id'])).toEqual(
      Array(3).fill(expect.stringMatching(/^[0-9a-f]{8}$/)),
    );
    expect(d?.['id']).toBe('own');
    expect(b?.['message']).toMatchObject({ role: 'custom' });
    expect(c?.['firstKeptEntryId']).toBe(b?.['id']);
    expect(c).not.toHaveProperty('firstKeptEntryIndex');
  });

  it('F13, F14: deterministic, and a migrated file migrates no further', () => {
    const [one, two] = [v1(), v1()];
    migrateSessionEntries(one);
    migrateSessionEntries(two);
    expect(one).toEqual(two);
    const before = JSON.stringify(one);
    expect(migrateSessionEntries(one)).toBe(false);
    expect(JSON.stringify(one)).toBe(before);
    const newer = [
      { type: 'session', version: 4, id: 's' },
      { type: 'message', message: { role: 'hookMessage' } },
    ] as unknown as FileEntry[];
    expect(migrateSessionEntries(newer)).toBe(false);
  });

  it('F12: of version 2 only the role changes', () => {
    const entries = [
      { type: 'session', version: 2, id: 's' },
      { type: 'message', id: 'a', parentId: 'gone', message: { role: 'hookMessage' } },
    ] as unknown as FileEntry[];
    migrateSessionEntries(entries);
    expect(entries).toEqual([
      { type: 'session', version: 3, id: 's' },
      { type: 'message', id: 'a', parentId: 'gone', message: { role: 'custom' } },
    ]);
  });
});

describe('usage', () => {
  it('absent and odd numbers count as 0, never NaN; a missing total is the sum; no cost is not a cost of 0', () => {
    expect(readUsage({ input: 1, output: '2', cacheRead: null, cacheWrite: Number.NaN })).toEqual({
      input: 1,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 1,
      premiumRequests: 0,
      costUsd: 0,
      isPriced: false,
    });
    expect(
      readUsage({ input: 1, output: 2, totalTokens: 9, cost: { input: 0.1, output: 0.2 } }),
    ).toMatchObject({ totalTokens: 9, isPriced: true });
    expect(readUsage({ cost: { total: 0 } })).toMatchObject({ costUsd: 0, isPriced: true });
    expect(readUsage(null)).toBeUndefined();
  });

  it('every assistant message has a record; tasks have one a result; other calls have their own', () => {
    const records = (entry: JsonObject) =>
      usageOf(entry).map(({ source, model, agent, usage }) => [source, model, agent, usage.input]);
    expect(records({ type: 'message', message: { role: 'assistant', model: 'm' } })).toEqual([
      ['message', 'm', '', 0],
    ]);
    expect(records({ type: 'message', message: { role: 'user', usage: { input: 1 } } })).toEqual([]);
    expect(records({ type: 'model_usage', model: 'm', usage: { input: 2 } })).toEqual([
      ['model_usage', 'm', '', 2],
    ]);
    expect(records({ type: 'compaction', usage: { input: 3 } })).toEqual([['compaction', '', '', 3]]);
    const details = {
      results: [
        { id: 'A', usage: { input: 4 } },
        { id: 'B', usage: { input: 5 } },
      ],
      usage: { input: 9 },
    };
    expect(records({ type: 'message', message: { role: 'toolResult', toolName: 'task', details } })).toEqual([
      ['task', '', 'A', 4],
      ['task', '', 'B', 5],
    ]);
    expect(
      records({
        type: 'message',
        message: { role: 'toolResult', toolName: 'task', details: { usage: { input: 9 } } },
      }),
    ).toEqual([['task', '', '', 9]]);
    expect(records({ type: 'child_usage_attributed', childUsage: { input: 6 } })).toEqual([
      ['child', '', '', 6],
    ]);
  });
});

describe('content', () => {
  const read = (entry: JsonObject) => new ContentReader().read(entry);
  const MARK = 'mark7q';

  it.each<[string, JsonObject, 'prose' | 'thinking' | 'tools']>([
    ['user text', { type: 'message', message: { role: 'user', content: MARK } }, 'prose'],
    [
      'user blocks',
      { type: 'message', message: { role: 'user', content: [{ type: 'text', text: MARK }] } },
      'prose',
    ],
    [
      'assistant text',
      { type: 'message', message: { role: 'assistant', content: [{ type: 'text', text: MARK }] } },
      'prose',
    ],
    [
      'an error message',
      { type: 'message', message: { role: 'assistant', content: [], errorMessage: MARK } },
      'prose',
    ],
    [
      'thinking',
      { type: 'message', message: { role: 'assistant', content: [{ type: 'thinking', thinking: MARK }] } },
      'thinking',
    ],
    [
      'a tool name',
      {
        type: 'message',
        message: { role: 'assistant', content: [{ type: 'toolCall', id: 'c', name: MARK, arguments: {} }] },
      },
      'tools',
    ],
    [
      'deep arguments',
      {
        type: 'message',
        message: {
          role: 'assistant',
          content: [{ type: 'toolCall', id: 'c', name: 'n', arguments: { a: [{ b: MARK }] } }],
        },
      },
      'tools',
    ],
    [
      'a tool result',
      { type: 'message', message: { role: 'toolResult', content: [{ type: 'text', text: MARK }] } },
      'tools',
    ],
    [
      'a result that is a string',
      { type: 'message', message: { role: 'toolResult', content: MARK } },
      'tools',
    ],
    [
      'a result’s details',
      { type: 'message', message: { role: 'toolResult', content: [], details: { diff: MARK } } },
      'tools',
    ],
    [
      'a command',
      { type: 'message', message: { role: 'bashExecution', command: MARK, output: '' } },
      'tools',
    ],
    ['code', { type: 'message', message: { role: 'pythonExecution', code: 'x', output: MARK } }, 'tools'],
    [
      'a mentioned file',
      { type: 'message', message: { role: 'fileMention', files: [{ path: MARK }] } },
      'tools',
    ],
    ['another role', { type: 'message', message: { role: 'oracle', content: MARK } }, 'prose'],
    [
      'another role’s fields',
      { type: 'message', message: { role: 'oracle', content: '', more: { x: MARK } } },
      'tools',
    ],
    ['a custom message', { type: 'custom_message', customType: 'c', content: MARK }, 'prose'],
    ['a summary', { type: 'compaction', summary: MARK }, 'prose'],
    ['a branch summary', { type: 'branch_summary', summary: MARK }, 'prose'],
    ['a label', { type: 'label', targetId: 't', label: MARK }, 'prose'],
    ['pi’s title', { type: 'session_info', name: MARK }, 'prose'],
    ['omp’s title', { type: 'title_change', title: MARK }, 'prose'],
    ['a task', { type: 'session_init', task: MARK, systemPrompt: 'x' }, 'prose'],
    ['a system prompt', { type: 'session_init', task: 'x', systemPrompt: MARK }, 'tools'],
    ['extension state', { type: 'custom', customType: 'c', data: { x: [MARK] } }, 'tools'],
    ['an unknown type', { type: 'future', deep: [{ x: MARK }] }, 'tools'],
  ])('%s is found in its part and in no other', (_, entry, part) => {
    const content = read({ id: 'i', parentId: 'p', timestamp: 't', ...entry });
    const found = (['prose', 'thinking', 'tools'] as const).filter((one) => content[one].includes(MARK));
    expect(found).toEqual([part]);
  });

  it('ids, signatures and encoded data are no text', () => {
    const data = 'QUJD'.repeat(400);
    const content = read({
      type: 'message',
      id: MARK,
      parentId: MARK,
      timestamp: MARK,
      message: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'x', thinkingSignature: MARK },
          { type: 'image', data, mimeType: 'image/png' },
          { type: 'toolCall', id: MARK, name: 'n', arguments: { image: data } },
        ],
      },
    });
    expect(`${content.prose} ${content.thinking} ${content.tools}`).toBe(' x n');
    expect(content.images).toEqual([{ hash: undefined, mediaType: 'image/png', inlineChars: data.length }]);
  });

  it('F38: only 64 lower-case hex digits are a reference, at any depth', () => {
    const hash = 'a'.repeat(64);
    expect(blobHashOf(`blob:sha256:${hash}`)).toBe(hash);
    for (const wrong of [
      `blob:sha256:${'A'.repeat(64)}`,
      `blob:sha256:${hash}0`,
      `blob:sha256:${hash.slice(1)}`,
      'blob:sha256:../../etc',
      hash,
    ]) {
      expect(blobHashOf(wrong)).toBeUndefined();
    }
    const content = read({
      type: 'future',
      deep: [[{ x: { type: 'image', data: `blob:sha256:${hash}`, mimeType: 'm' } }]],
    });
    expect(content.images.map((image) => image.hash)).toEqual([hash]);
  });

  it('nesting of 200,000 levels does not overflow the stack', () => {
    const deep = JSON.parse(`${'['.repeat(200_000)}"${MARK}"${']'.repeat(200_000)}`);
    expect(read({ type: 'future', deep }).tools).toBe(MARK);
  });

  it('no entry of any shape makes it throw', () => {
    const types = fc.constantFrom(
      'message',
      'custom_message',
      'compaction',
      'label',
      'session_init',
      'future',
      'session',
    );
    fc.assert(
      fc.property(
        types,
        fc.dictionary(
          fc.constantFrom('message', 'content', 'summary', 'label', 'details', 'task', 'data'),
          fc.jsonValue(),
        ),
        (type, fields) => {
          expect(() => read({ ...fields, type })).not.toThrow();
          expect(() => usageOf({ ...fields, type })).not.toThrow();
        },
      ),
      { numRuns: 500 },
    );
  });
});
