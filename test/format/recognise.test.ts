import { describe, expect, it } from 'vitest';
import { loadEntries } from '../../src/format/load.js';
import type { FileKind } from '../../src/format/recognise.js';

const HEADER = { type: 'session', version: 3, id: 's', timestamp: '2026-01-01T00:00:00Z', cwd: '/x' };
const V1_HEADER = { type: 'session', id: 's', timestamp: '2025-11-01T00:00:00Z', cwd: '/x', provider: 'p' };
const USER = { role: 'user', content: 'hi' };
const ENTRY = { type: 'message', id: 'a', parentId: null, timestamp: 't', message: USER };
const SLOT = { type: 'title', v: 1, title: 'T', pad: '  ' };

/** What `pi --mode json` prints. */
const EVENTS = [
  { type: 'agent_start' },
  { type: 'turn_start' },
  { type: 'message_start', message: USER },
  { type: 'message_update', assistantMessageEvent: { type: 'text_delta', delta: 'x' }, message: USER },
  { type: 'message_end', message: USER },
  { type: 'tool_execution_start', toolCallId: 'c', toolName: 'bash', args: {} },
  { type: 'tool_execution_end', toolCallId: 'c', toolName: 'bash', result: {}, isError: false },
  { type: 'turn_end', message: USER, toolResults: [] },
  { type: 'agent_end', messages: [USER] },
];

const lines = (values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');

describe('what a file is', () => {
  it.each<[string, readonly unknown[], FileKind, string?]>([
    ['a header alone', [HEADER], 'session'],
    ['a header with any string id, even none', [{ ...HEADER, id: '' }], 'session'],
    ['a header and an entry', [HEADER, ENTRY], 'session'],
    [
      'version 1: entries have neither id nor parent',
      [V1_HEADER, { type: 'message', message: USER }],
      'session',
    ],
    [
      'a header and a type that nobody knows, with id and parent',
      [HEADER, { type: 'new', id: 'n', parentId: null }],
      'session',
    ],
    ['a leaf is all it has', [HEADER, { type: 'leaf', targetId: 'a' }], 'session'],
    ['pi #1672: two headers and nothing else', [HEADER, HEADER], 'session'],
    ['a concatenation of two sessions', [HEADER, ENTRY, V1_HEADER, ENTRY], 'session'],
    ['omp: a title slot and a header', [SLOT, HEADER], 'session'],
    ['an entry, once there was one, decides: events may follow', [HEADER, ENTRY, ...EVENTS], 'session'],
    ['and may stand before it', [HEADER, ...EVENTS, ENTRY], 'session'],
    ['an event stream of the agent', [HEADER, ...EVENTS], 'look-alike'],
    ['an event stream of which only the start was written', [HEADER, { type: 'agent_start' }], 'look-alike'],
    ['a fragment: entries without a header', [ENTRY, ENTRY], 'headerless'],
    ['F8: the header comes second', [ENTRY, HEADER], 'headerless'],
    ['F8: the id of the header is no string', [{ ...HEADER, id: 7 }, ENTRY], 'foreign'],
    ['a title slot alone', [SLOT], 'headerless'],
    [
      'Claude Code',
      [
        { type: 'file-history-snapshot', messageId: 'm', snapshot: {} },
        { type: 'user', uuid: 'u', parentUuid: null, sessionId: 's', message: USER },
      ],
      'foreign',
    ],
    [
      'Claude Code, a message first',
      [{ type: 'user', uuid: 'u', parentUuid: null, sessionId: 's', message: USER }],
      'foreign',
      'Claude Code',
    ],
    ['Codex', [{ timestamp: 't', type: 'session_meta', payload: { id: 's' } }], 'foreign', 'Codex'],
    [
      'CodeBuddy: id, parentId and type message, but another message',
      [
        {
          type: 'message',
          id: 'a',
          parentId: null,
          sessionId: 's',
          role: 'user',
          content: [],
          providerData: {},
        },
      ],
      'foreign',
      'CodeBuddy',
    ],
    ['JSON lines of something else', [{ type: 'log', level: 'info' }], 'foreign'],
  ])('%s', (_, values, kind, reason) => {
    const loaded = loadEntries([Buffer.from(lines(values))]);
    expect(loaded.kind).toBe(kind);
    if (kind === 'session') {
      expect(loaded.reason).toBeUndefined();
      expect(loaded.entries).toEqual(values.filter((value) => value !== SLOT));
    } else {
      expect(loaded.entries).toEqual([]);
      expect(loaded.reason).toContain(reason ?? '');
      expect(loaded.reason?.length).toBeGreaterThan(10);
    }
  });

  it.each<[string, string, FileKind]>([
    ['no byte', '', 'empty'],
    ['blank lines', '\n \r\n\t\n', 'empty'],
    ['a byte order mark', '\ufeff\n', 'empty'],
    ['text', 'hello\nworld\n', 'unparsable'],
    ['JSON without a type', '{"a":1}\n', 'unparsable'],
    ['NUL bytes', '\0\0\0\0', 'unparsable'],
    ['half a header', JSON.stringify(HEADER).slice(0, -5), 'unparsable'],
  ])('%s', (_, text, kind) => {
    const loaded = loadEntries([Buffer.from(text)]);
    expect([loaded.kind, loaded.entries, loaded.header]).toEqual([kind, [], undefined]);
  });

  it('F7, F8: lines that do not parse before the header are skipped, the next object decides', () => {
    expect(loadEntries([Buffer.from(`junk\n{"a":1}\n${lines([HEADER, ENTRY])}`)]).entries).toEqual([
      HEADER,
      ENTRY,
    ]);
  });
});
