/** @import { Conversation } from './conversation.mjs' */
/** @import { WrittenEntry } from './session-writer.mjs' */

/**
 * Where words are hidden for searches to find.
 *
 * @type {readonly { part: 'prose' | 'thinking' | 'tools', write: (c: Conversation, word: string) => WrittenEntry }[]}
 */
export const PLACES = [
  { part: 'prose', write: (c, word) => c.user(`please look at ${word} again`) },
  {
    part: 'prose',
    write: (c, word) =>
      c.assistant([{ type: 'text', text: `${c.text.prose(200)} ${word} ${c.text.prose(200)}` }]),
  },
  {
    part: 'thinking',
    write: (c, word) =>
      c.assistant([
        { type: 'thinking', thinking: `hm, ${word}?` },
        { type: 'text', text: 'yes' },
      ]),
  },
  {
    part: 'tools',
    write: (c, word) =>
      c.assistant([{ type: 'toolCall', id: 'p1', name: 'grep', arguments: { deep: [{ pattern: word }] } }], {
        stopReason: 'toolUse',
      }),
  },
  {
    part: 'tools',
    write: (c, word) =>
      c.message({
        role: 'toolResult',
        toolCallId: 'p2',
        toolName: 'read',
        content: [{ type: 'text', text: `${c.text.output(20_000)}\n${word}\n${c.text.output(2000)}` }],
        isError: false,
      }),
  },
  {
    part: 'tools',
    write: (c, word) =>
      c.message({ role: 'bashExecution', command: 'make', output: `error: ${word} not found`, exitCode: 1 }),
  },
  { part: 'prose', write: (c, word) => c.add({ type: 'label', targetId: c.leaf, label: `mark ${word}` }) },
  {
    part: 'prose',
    write: (c, word) =>
      c.add({ type: 'compaction', summary: `we did ${word}`, firstKeptEntryId: c.leaf, tokensBefore: 1 }),
  },
  {
    part: 'prose',
    write: (c, word) =>
      c.add({ type: 'custom_message', customType: 'hint', content: `remember ${word}`, display: false }),
  },
  { part: 'prose', write: (c, word) => c.add({ type: 'session_info', name: `Named ${word}` }) },
  { part: 'tools', write: (c, word) => c.add({ type: 'future_record', deep: { list: [word] } }) },
  { part: 'prose', write: (c, word) => c.user(`次は${word}です`) },
  {
    part: 'tools',
    write: (c, word) =>
      c.message({
        role: 'toolResult',
        toolCallId: 'p3',
        toolName: 'edit',
        content: [],
        details: { diff: `+ ${word}` },
        isError: false,
      }),
  },
];
