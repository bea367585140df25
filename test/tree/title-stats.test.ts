import { describe, expect, it } from 'vitest';
import type { FileEntry, SessionHeader, TitleSlot } from '../../src/format/types.js';
import { usageStatistics } from '../../src/tree/stats.js';
import { titleOf } from '../../src/tree/title.js';
import { assistant, entry, header, message, user } from '../support/entries.js';

const head = (fields = {}) => header(fields) as SessionHeader;
const slot: TitleSlot = { type: 'title', title: 'from slot', source: 'auto' };
const change = (title: string) => entry('title_change', 't', null, { title, source: 'user' });
const info = (name: string) => entry('session_info', 'i', null, { name });

describe("a session's title", () => {
  it.each<
    [
      string,
      FileEntry | undefined,
      TitleSlot | undefined,
      FileEntry[],
      string | undefined,
      string | undefined,
    ]
  >([
    ['none', head(), undefined, [], undefined, undefined],
    ['header', head({ title: 'H', titleSource: 'user' }), undefined, [], 'H', 'user'],
    ['slot over header', head({ title: 'H' }), slot, [], 'from slot', 'auto'],
    ['empty slot', head({ title: 'H' }), { type: 'title', title: '' }, [], 'H', undefined],
    ['entry over slot', head({ title: 'H' }), slot, [change('C')], 'C', 'user'],
    ['the last entry', head(), slot, [change('C'), info('I')], 'I', 'user'],
    ['an empty entry clears', head({ title: 'H' }), slot, [change('C'), info('')], undefined, undefined],
  ])('%s', (_, from, titleSlot, entries, title, source) => {
    expect(titleOf(from as SessionHeader, titleSlot, entries)).toEqual({ title, source });
  });
});

describe('usage statistics', () => {
  const usage = (input: number, more = {}) => ({ input, output: 1, cacheRead: 0, cacheWrite: 0, ...more });

  it('pi #322: cover every message, before a compaction and on other branches too', () => {
    const entries = [
      message('a', null, user('u')),
      message('b', 'a', assistant('1')),
      entry('compaction', 'c', 'b', { summary: 's', firstKeptEntryId: 'b', tokensBefore: 1 }),
      message('d', 'c', assistant('2')),
      message('e', 'a', assistant('3')),
    ];
    const total = usageStatistics(entries);
    expect(total).toMatchObject({ input: 300, output: 60, cacheRead: 15, cacheWrite: 9, totalTokens: 384 });
    expect(total.cost).toBeCloseTo(0.9, 10);
  });

  it('sessions PR #70: counts compactions, side calls and tasks; what is missing is 0, never NaN', () => {
    const entries = [
      message('a', null, { role: 'assistant', content: null } as never),
      message('b', 'a', assistant('', { usage: { input: 7, cost: {} } })),
      entry('compaction', 'c', 'b', { summary: 's', usage: usage(10, { cost: { total: 0.5 } }) }),
      entry('model_usage', 'd', 'c', { purpose: 'title', usage: usage(20, { premiumRequests: 2 }) }),
      message('e', 'd', {
        role: 'toolResult',
        toolCallId: 't',
        toolName: 'task',
        content: [],
        isError: false,
        details: { usage: usage(40) },
      }),
    ];
    expect(usageStatistics(entries)).toEqual({
      input: 77,
      output: 3,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 80,
      premiumRequests: 2,
      cost: 0.5,
    });
  });
});
