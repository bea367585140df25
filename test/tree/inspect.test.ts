import { describe, expect, it } from 'vitest';
import type { SessionEntry } from '../../src/format/types.js';
import { inspectEntries } from '../../src/tree/inspect.js';
import { assistant, chain, entry, message, user } from '../support/entries.js';

const found = (entries: readonly SessionEntry[], leafId: string | null = null) =>
  inspectEntries(entries, leafId).map(({ kind, position, entryId }) => [kind, position, entryId]);

const call = (id: string) =>
  assistant('', { content: [{ type: 'toolCall', id, name: 'read', arguments: {} }] });
const result = (toolCallId: string) => ({
  role: 'toolResult' as const,
  toolCallId,
  toolName: 'read',
  content: [],
  isError: false,
});

describe('inspectEntries', () => {
  it('finds nothing in a session that is as it should be', () => {
    const entries = [
      ...chain(3),
      message('c', 'e2', call('1')),
      message('r', 'c', result('1')),
      entry('compaction', 'x', 'r', { summary: 's', firstKeptEntryId: 'e1', tokensBefore: 1 }),
    ];
    expect(found(entries, 'x')).toEqual([]);
  });

  it('openclaw #64287: names the entry below a gap', () => {
    const [a, , c, d] = chain(4) as [SessionEntry, SessionEntry, SessionEntry, SessionEntry];
    expect(inspectEntries([a, c, d], 'e3')).toEqual([
      { kind: 'orphan', position: 1, entryId: 'e2', message: 'there is no entry e1 above it' },
    ]);
  });

  it('F23: names entries without an id, hidden ones, and every member of a cycle', () => {
    const entries = [
      message('a', null, user('hidden')),
      message('a', null, user('shown')),
      { type: 'custom', customType: 'x' } as unknown as SessionEntry,
      message('p', 'q', user('p')),
      message('q', 'p', user('q')),
      message('below', 'q', user('not in the cycle')),
      message('self', 'self', user('self')),
    ];
    expect(found(entries)).toEqual([
      ['duplicate-id', 0, 'a'],
      ['no-id', 2, undefined],
      ['cycle', 3, 'p'],
      ['cycle', 4, 'q'],
      ['cycle', 6, 'self'],
    ]);
  });

  it('PiX #22: names compactions whose first kept entry is not above them', () => {
    const kept = (id: string, firstKeptEntryId: unknown) =>
      entry('compaction', id, 'e1', { summary: 's', firstKeptEntryId, tokensBefore: 1 });
    const entries = [
      ...chain(2),
      message('side', 'e0', user('side')),
      kept('ok', 'e0'),
      kept('off', 'side'),
      kept('unknown', 'nowhere'),
      kept('empty', ''),
      kept('itself', 'itself'),
    ];
    expect(found(entries).map(([kind, , id]) => [kind, id])).toEqual(
      ['off', 'unknown', 'empty', 'itself'].map((id) => ['kept-entry-off-path', id]),
    );
  });

  it('openclaw #10310: names calls without results, results without calls, and second results', () => {
    const entries = [
      message('c1', null, call('1')),
      message('c2', 'c1', call('2')),
      message('r2', 'c2', result('2')),
      message('again', 'r2', result('2')),
      message('stray', 'again', result('9')),
      message('elsewhere', 'c1', result('1')),
    ];
    expect(found(entries, 'stray')).toEqual([
      ['open-call', 0, 'c1'],
      ['repeated-result', 3, 'again'],
      ['stray-result', 4, 'stray'],
    ]);
    expect(found(entries, 'elsewhere')).toEqual([]);
    expect(found(entries, null)).toEqual([]);
  });
});
