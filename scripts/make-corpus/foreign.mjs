/** @import { Random } from './random.mjs' */

/** Files that end in .jsonl and are no sessions. @type {readonly [reason: string, content: (random: Random) => string | Buffer][]} */
export const NOT_SESSIONS = [
  ['empty', () => ''],
  ['empty', () => '\n\n'],
  [
    'headerless',
    (random) =>
      lines({
        type: 'message',
        id: random.hex(8),
        parentId: 'x',
        timestamp: '2026-01-01T00:00:00Z',
        message: { role: 'user', content: 'a fragment' },
      }),
  ],
  [
    'foreign',
    (random) =>
      lines(
        { type: 'summary', summary: 'x', leafUuid: random.hex(8) },
        {
          type: 'user',
          uuid: random.hex(8),
          parentUuid: null,
          sessionId: 's',
          message: { role: 'user', content: 'x' },
        },
      ),
  ],
  [
    'foreign',
    () =>
      lines(
        { timestamp: '2026-01-01T00:00:00Z', type: 'session_meta', payload: { id: 'x' } },
        { timestamp: '2026-01-01T00:00:00Z', type: 'event_msg', payload: {} },
      ),
  ],
  [
    'foreign',
    () =>
      lines({
        id: 'e1',
        parentId: null,
        timestamp: 1,
        type: 'message',
        role: 'user',
        sessionId: 'c',
        providerData: {},
        content: [],
      }),
  ],
  [
    'look-alike',
    (random) =>
      lines(
        { type: 'session', version: 3, id: random.hex(12), timestamp: '2026-01-01T00:00:00Z', cwd: '/x' },
        { type: 'agent_start' },
        { type: 'message_start', message: { role: 'user', content: 'x' } },
        { type: 'turn_end' },
      ),
  ],
  ['unparsable', () => 'plain text\nof two lines\n'],
  ['unparsable', (random) => Buffer.from(Array.from({ length: 3000 }, () => random.int(0, 255)))],
];

/** @param {...Record<string, any>} values */
function lines(...values) {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}
