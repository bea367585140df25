import { describe, expect, it } from 'vitest';
import type { SessionEntry } from '../../src/format/types.js';
import { buildSessionContext, getLatestCompactionEntry } from '../../src/tree/context.js';
import { SessionTree } from '../../src/tree/session-tree.js';
import { assistant, chain, entry, header, message, user } from '../support/entries.js';

const EMPTY = { messages: [], thinkingLevel: 'off', models: {}, injectedTtsrRules: [], mode: 'none' };

function texts(entries: readonly SessionEntry[], leafId?: string | null): unknown[] {
  return buildSessionContext(entries, leafId).messages.map((m) => m.content ?? m.summary);
}

describe('F26: the leaf', () => {
  const entries = chain(3);

  it('null gives an empty context', () => {
    expect(buildSessionContext(entries, null)).toEqual(EMPTY);
  });
  it('an id gives that entry', () => {
    expect(texts(entries, 'e1')).toEqual(['0', '1']);
  });
  it('an unknown id, an empty one and none give the last entry', () => {
    for (const leafId of ['gone', '', undefined]) expect(texts(entries, leafId)).toEqual(['0', '1', '2']);
  });
  it('no entries give an empty context, whatever the leaf', () => {
    for (const leafId of ['x', undefined, null]) expect(buildSessionContext([], leafId)).toEqual(EMPTY);
  });
  it('a header among the entries is no entry', () => {
    expect(buildSessionContext([header()])).toEqual(EMPTY);
    expect(buildSessionContext([header(), ...entries], 'e1').messages).toHaveLength(2);
  });
  it('uses the index that it is given', () => {
    const byId = new Map(entries.map((item) => [item.id, item]));
    expect(buildSessionContext(entries, 'e1', byId)).toEqual(buildSessionContext(entries, 'e1'));
  });
});

describe('F27: the settings along the path', () => {
  it('the last thinking level counts, null is off', () => {
    const entries = [
      entry('thinking_level_change', 'a', null, { thinkingLevel: 'high' }),
      entry('thinking_level_change', 'b', 'a', { thinkingLevel: null }),
    ];
    expect(buildSessionContext(entries, 'a').thinkingLevel).toBe('high');
    expect(buildSessionContext(entries, 'b').thinkingLevel).toBe('off');
  });

  it('keeps the last model of each role, in both spellings', () => {
    const entries = [
      entry('model_change', 'a', null, { model: 'openai/gpt-4o' }),
      entry('model_change', 'b', 'a', { model: 'openai/small', role: 'smol' }),
      entry('model_change', 'c', 'b', { provider: 'anthropic', modelId: 'claude' }),
    ];
    expect(buildSessionContext(entries).models).toEqual({
      default: 'anthropic/claude',
      smol: 'openai/small',
    });
  });

  it('an explicit default is not replaced by what an assistant message says, before or after', () => {
    const entries = [
      message('a', null, assistant('first', { provider: 'p', model: 'm' })),
      entry('model_change', 'b', 'a', { model: 'openai/gpt-4o' }),
      message('c', 'b', assistant('second', { provider: 'q', model: 'n' })),
    ];
    expect(buildSessionContext(entries, 'a').models).toEqual({ default: 'p/m' });
    expect(buildSessionContext(entries, 'c').models).toEqual({ default: 'openai/gpt-4o' });
  });

  it('another role is no change of the default: the last assistant message decides', () => {
    const entries = [
      entry('model_change', 'a', null, { model: 'x/y', role: 'slow' }),
      message('b', 'a', assistant('1', { provider: 'p', model: 'm' })),
      message('c', 'b', assistant('2', { provider: 'q', model: 'n' })),
    ];
    expect(buildSessionContext(entries).models).toEqual({ slow: 'x/y', default: 'q/n' });
  });

  it('unites the injected rules in the order in which they were first seen', () => {
    const entries = [
      entry('ttsr_injection', 'a', null, { injectedRules: ['b', 'a'] }),
      entry('ttsr_injection', 'b', 'a', { injectedRules: ['a', 'c', 'b'] }),
    ];
    expect(buildSessionContext(entries).injectedTtsrRules).toEqual(['b', 'a', 'c']);
  });

  it('the last mode counts with its own data, and none leaves it', () => {
    const entries = [
      entry('mode_change', 'a', null, { mode: 'plan', data: { file: '/p.md' } }),
      entry('mode_change', 'b', 'a', { mode: 'none' }),
    ];
    expect(buildSessionContext(entries, 'a')).toEqual({
      ...EMPTY,
      mode: 'plan',
      modeData: { file: '/p.md' },
    });
    expect(buildSessionContext(entries, 'b')).toEqual(EMPTY);
  });

  it('other branches say nothing', () => {
    const entries = [
      message('a', null, user('root')),
      entry('thinking_level_change', 'b', 'a', { thinkingLevel: 'high' }),
      message('c', 'a', user('other')),
    ];
    expect(buildSessionContext(entries, 'c').thinkingLevel).toBe('off');
  });

  it('a role called __proto__ is a role', () => {
    const entries = [entry('model_change', 'a', null, { model: 'x/y', role: '__proto__' })];
    expect(Object.entries(buildSessionContext(entries).models)).toEqual([['__proto__', 'x/y']]);
  });
});

describe('F28: messages', () => {
  it('are made of messages, custom messages and branch summaries, and of nothing else', () => {
    const entries = [
      entry('session_init', 'a', null, { systemPrompt: 's', task: 't', tools: [] }),
      message('b', 'a', user('hi')),
      entry('custom', 'c', 'b', { customType: 'x', data: { state: 1 } }),
      entry('custom_message', 'd', 'c', {
        customType: 'x',
        content: 'Injected',
        display: true,
        details: { debug: false },
        timestamp: '2026-02-16T10:26:00.000Z',
      }),
      entry('branch_summary', 'e', 'd', {
        fromId: 'root',
        summary: 'abandoned',
        timestamp: '2026-02-16T10:24:00.000Z',
      }),
      entry('label', 'f', 'e', { targetId: 'b', label: 'mark' }),
      entry('something_new', 'g', 'f', { message: { role: 'user', content: 'no message' } }),
    ];
    expect(buildSessionContext(entries).messages).toEqual([
      { role: 'user', content: 'hi' },
      {
        role: 'custom',
        customType: 'x',
        content: 'Injected',
        display: true,
        details: { debug: false },
        timestamp: Date.UTC(2026, 1, 16, 10, 26),
      },
      {
        role: 'branchSummary',
        summary: 'abandoned',
        fromId: 'root',
        timestamp: Date.UTC(2026, 1, 16, 10, 24),
      },
    ]);
  });

  it('passes a message on as it is, content null included', () => {
    const odd = { role: 'assistant', content: null, extra: { a: 1 } };
    const entries = [message('a', null, odd as never)];
    expect(buildSessionContext(entries).messages[0]).toBe(odd);
  });

  it('a custom message that does not say is displayed', () => {
    const entries = [entry('custom_message', 'a', null, { customType: 'x', content: 'c' })];
    expect(buildSessionContext(entries).messages[0]).toMatchObject({ display: true });
  });
});

describe('F29: compaction', () => {
  const compaction = (id: string, parentId: string, fields: Record<string, unknown>) =>
    entry('compaction', id, parentId, { summary: `S-${id}`, tokensBefore: 42, ...fields });

  it('summary, then what it keeps, then what follows', () => {
    const entries = [
      ...chain(4),
      compaction('x', 'e3', {
        firstKeptEntryId: 'e2',
        shortSummary: 'short',
        timestamp: '2026-02-16T10:23:00.000Z',
      }),
      message('after', 'x', user('after')),
    ];
    const { messages } = buildSessionContext(entries);
    expect(messages[0]).toEqual({
      role: 'compactionSummary',
      summary: 'S-x',
      shortSummary: 'short',
      tokensBefore: 42,
      timestamp: Date.UTC(2026, 1, 16, 10, 23),
    });
    expect(messages.slice(1).map((m) => m.content)).toEqual(['2', '3', 'after']);
  });

  it.each([
    ['off the path', 'side'],
    ['unknown', 'nowhere'],
    ['empty', ''],
    ['after the compaction', 'after'],
    ['the compaction itself', 'x'],
  ])('PiX #22: a first kept entry that is %s keeps none of the earlier ones', (_, firstKeptEntryId) => {
    const entries = [
      ...chain(2),
      message('side', 'e0', user('side')),
      compaction('x', 'e1', { firstKeptEntryId }),
      message('after', 'x', user('after')),
    ];
    expect(texts(entries)).toEqual(['S-x', 'after']);
  });

  it('the last compaction on the path counts, and messages kept by the first stay reachable (pi #2608)', () => {
    const first = [...chain(6), compaction('x', 'e5', { firstKeptEntryId: 'e2' })];
    const second = [
      ...first,
      message('f', 'x', user('f')),
      message('g', 'f', user('g')),
      compaction('y', 'g', { firstKeptEntryId: 'f' }),
    ];
    // What the second summariser is given holds every message that the first one kept.
    expect(texts(second, 'g')).toEqual(['S-x', '2', '3', '4', '5', 'f', 'g']);
    expect(texts(second)).toEqual(['S-y', 'f', 'g']);
    // Kept from before the first compaction: the entries in between stay, the first summary does not.
    const wide = [...second.slice(0, -1), compaction('z', 'g', { firstKeptEntryId: 'e5' })];
    expect(texts(wide)).toEqual(['S-z', '5', 'f', 'g']);
  });

  it('openclaw #48810: of two sibling compactions only the one on the path counts', () => {
    const entries = [
      ...chain(2),
      compaction('x', 'e1', { firstKeptEntryId: 'e1' }),
      compaction('y', 'e1', { firstKeptEntryId: 'e0' }),
      message('after', 'y', user('after')),
    ];
    expect(texts(entries)).toEqual(['S-y', '0', '1', 'after']);
  });

  it('pi 0.31.0: a large abandoned branch adds nothing', () => {
    const entries = [
      message('root', null, user('root')),
      ...Array.from({ length: 100 }, (_, i) =>
        message(`big${i}`, i ? `big${i - 1}` : 'root', user('x'.repeat(1000))),
      ),
      message('small', 'root', user('small')),
    ];
    expect(texts(entries)).toEqual(['root', 'small']);
  });

  it('an index counts, the header being 0, where the id is absent', () => {
    const entries = [...chain(3), compaction('x', 'e2', { firstKeptEntryIndex: 2 })];
    expect(texts(entries)).toEqual(['S-x', '1', '2']);
    expect(buildSessionContext([header(), ...entries]).messages.map((m) => m.content ?? m.summary)).toEqual([
      'S-x',
      '1',
      '2',
    ]);
    expect(SessionTree.of([header(), ...entries]).context().messages).toHaveLength(3);
    const both = [...chain(3), compaction('x', 'e2', { firstKeptEntryIndex: 1, firstKeptEntryId: 'e2' })];
    expect(texts(both)).toEqual(['S-x', '2']);
  });

  it('a reset boundary is where the context starts, before and after compactions', () => {
    const entries = [
      ...chain(3),
      compaction('x', 'e2', { firstKeptEntryId: 'e1' }),
      entry('reset_boundary', 'r', 'x'),
      message('f', 'r', user('f')),
      compaction('y', 'f', { firstKeptEntryId: 'e0' }),
      message('g', 'y', user('g')),
    ];
    expect(texts(entries, 'r')).toEqual([]);
    expect(texts(entries, 'f')).toEqual(['f']);
    expect(texts(entries, 'g')).toEqual(['S-y', 'f', 'g']);
  });

  it('getLatestCompactionEntry is the last one of the entries, or null', () => {
    const entries = [...chain(1), compaction('x', 'e0', {}), compaction('y', 'x', {})];
    expect(getLatestCompactionEntry(entries)?.id).toBe('y');
    expect(getLatestCompactionEntry(chain(2))).toBeNull();
  });
});
