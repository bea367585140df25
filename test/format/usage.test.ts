import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/format/json.js';
import { NO_USAGE, readUsage, type UsageReading, usageOf } from '../../src/format/usage.js';

const FULL = {
  input: 100,
  output: 20,
  cacheRead: 5,
  cacheWrite: 3,
  cost: { input: 1, output: 2, cacheRead: 0.25, cacheWrite: 0.5, total: 3.75 },
};
const reading = (fields: Partial<UsageReading>): UsageReading => ({ ...NO_USAGE, ...fields });
const FULL_READ = reading({
  input: 100,
  output: 20,
  cacheRead: 5,
  cacheWrite: 3,
  totalTokens: 128,
  costUsd: 3.75,
  isPriced: true,
});

describe('reading usage', () => {
  it.each<[string, unknown, UsageReading | undefined]>([
    ['all of it: the total is the sum where it is missing', FULL, FULL_READ],
    [
      'a total that is written counts, even one unequal to its parts',
      { ...FULL, totalTokens: 7 },
      { ...FULL_READ, totalTokens: 7 },
    ],
    ['nothing in it', {}, NO_USAGE],
    ['some parts', { output: 2 }, reading({ output: 2, totalTokens: 2 })],
    [
      'numbers as strings are no numbers',
      { input: '5', output: 1, totalTokens: '9' },
      reading({ output: 1, totalTokens: 1 }),
    ],
    [
      'NaN and infinite',
      { input: Number.NaN, output: Number.POSITIVE_INFINITY, totalTokens: Number.NaN },
      NO_USAGE,
    ],
    ['null everywhere', { input: null, output: null, totalTokens: null, cost: null }, NO_USAGE],
    ['premium requests', { premiumRequests: 0.33 }, reading({ premiumRequests: 0.33 })],
    [
      'cost: parts without a total',
      { cost: { input: 1, cacheWrite: 2 } },
      reading({ costUsd: 3, isPriced: true }),
    ],
    [
      'cost: the total wins over its parts',
      { cost: { input: 1, total: 9 } },
      reading({ costUsd: 9, isPriced: true }),
    ],
    ['cost: a total of 0 is a price', { cost: { total: 0 } }, reading({ isPriced: true })],
    ['cost: an empty one is none', { cost: {} }, NO_USAGE],
    ['cost: a string is none', { cost: { total: '3' } }, NO_USAGE],
    [
      'cost: no total, NaN among the parts',
      { cost: { total: Number.NaN, input: Number.NaN, output: 2 } },
      reading({ costUsd: 2, isPriced: true }),
    ],
    [
      'fields of other writers do not count twice',
      { ...FULL, cacheWrite1h: 3, reasoning: 9, reasoningTokens: 9 },
      FULL_READ,
    ],
    ['none', undefined, undefined],
    ['null', null, undefined],
    ['a number', 7, undefined],
    ['a list', [FULL], undefined],
  ])('%s', (_, written, expected) => {
    expect(readUsage(written)).toEqual(expected);
  });

  it('whatever is written, every number is finite, and the total of what has no total is the sum', () => {
    const odd = fc.oneof(
      fc.double(),
      fc.integer(),
      fc.string(),
      fc.constant(null),
      fc.constant(undefined),
      fc.object(),
    );
    const fields = { input: odd, output: odd, cacheRead: odd, cacheWrite: odd };
    const usage = fc.record(
      {
        ...fields,
        premiumRequests: odd,
        cost: fc.oneof(odd, fc.record({ ...fields, total: odd }, { requiredKeys: [] })),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(usage, (written) => {
        const { isPriced, ...numbers } = readUsage(written) ?? NO_USAGE;
        expect(typeof isPriced).toBe('boolean');
        const { input, output, cacheRead, cacheWrite, premiumRequests } = numbers;
        for (const part of [input, output, cacheRead, cacheWrite, premiumRequests])
          expect(Number.isFinite(part)).toBe(true);
        expect(Object.is(numbers.totalTokens, input + output + cacheRead + cacheWrite)).toBe(true);
        expect(Number.isNaN(numbers.costUsd)).toBe(false);
      }),
    );
  });
});

describe('what an entry records', () => {
  const toolResult = (toolName: string, details: unknown): JsonObject => ({
    type: 'message',
    message: { role: 'toolResult', toolName, details },
  });
  const summary = (entry: JsonObject) =>
    usageOf(entry).map(({ source, provider, model, agent, usage }) => [
      source,
      provider,
      model,
      agent,
      usage.totalTokens,
    ]);

  it.each<[string, JsonObject, readonly unknown[][]]>([
    [
      'an answer',
      { type: 'message', message: { role: 'assistant', provider: 'p', model: 'm', usage: FULL } },
      [['message', 'p', 'm', '', 128]],
    ],
    [
      'an answer without usage is one that used nothing',
      { type: 'message', message: { role: 'assistant', usage: null } },
      [['message', '', '', '', 0]],
    ],
    ['other messages record nothing', { type: 'message', message: { role: 'user', usage: FULL } }, []],
    ['a message that is null', { type: 'message', message: null }, []],
    [
      'omp: a call outside the transcript',
      { type: 'model_usage', provider: 'p', model: 'm', purpose: 'title', usage: FULL },
      [['model_usage', 'p', 'm', '', 128]],
    ],
    [
      'the call that wrote a compaction',
      { type: 'compaction', usage: FULL },
      [['compaction', '', '', '', 128]],
    ],
    [
      'the call that wrote a branch summary',
      { type: 'branch_summary', usage: FULL },
      [['branch_summary', '', '', '', 128]],
    ],
    ['a compaction without usage', { type: 'compaction', summary: 's' }, []],
    [
      'prime-agent: a child’s own usage, not the aggregate',
      { type: 'child_usage_attributed', childUsage: FULL, aggregateUsage: { totalTokens: 999 } },
      [['child', '', '', '', 128]],
    ],
    [
      'a task: one record a subagent; the sum beside them is not counted again',
      toolResult('task', {
        results: [
          { id: 'A', provider: 'p', model: 'm', usage: FULL },
          { id: 'B', usage: { input: 1 } },
          { id: 'C' },
          null,
        ],
        usage: { input: 999 },
      }),
      [
        ['task', 'p', 'm', 'A', 128],
        ['task', '', '', 'B', 1],
      ],
    ],
    [
      'a task that only tells the sum',
      toolResult('task', { results: [], usage: FULL }),
      [['task', '', '', '', 128]],
    ],
    ['a task without details', toolResult('task', undefined), []],
    ['a task whose results are no list', toolResult('task', { results: 'none' }), []],
    ['an unknown type', { type: 'future', usage: FULL }, []],
  ])('%s', (_, entry, expected) => {
    expect(summary(entry)).toEqual(expected);
  });

  it('why an answer ended, and the time that stands on it, where they do', () => {
    const answer = (message: JsonObject) =>
      usageOf({ type: 'message', message: { role: 'assistant', ...message } })[0];
    expect(answer({ stopReason: 'aborted', timestamp: 1_760_000_000_000 })).toMatchObject({
      stopReason: 'aborted',
      messageMs: 1_760_000_000_000,
    });
    expect(answer({ timestamp: '2026-01-01T00:00:00Z' })).toMatchObject({
      stopReason: '',
      messageMs: undefined,
    });
  });
});
