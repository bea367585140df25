import { closeSync, openSync, readSync } from 'node:fs';
import { ContentReader } from '../../format/content.js';
import { showDocument } from '../../report/documents.js';
import { fitTo, oneLine, safeText } from '../../report/sanitize.js';
import type { ShowResult } from '../../session-index/results.js';
import { type CommandSpec, EXIT } from '../command.js';
import type { CommandContext } from '../context.js';
import { stringOption } from '../option-values.js';
import { page } from '../output/pager.js';
import { count } from '../output/quantities.js';
import { localTime } from '../output/time.js';
import { nameOf } from './list.js';

export const showCommand: CommandSpec = {
  name: 'show',
  arguments: '<session>',
  summary: 'a conversation along one path of a session',
  options: [
    { flags: '--leaf <entry>', description: 'the path to this entry instead of the active one' },
    { flags: '--all', description: 'every entry, in the order of the file' },
    { flags: '--tools', description: 'tool calls and results in full' },
    { flags: '--raw', description: 'the lines of the file as they are' },
  ],
  examples: [
    'sessiondex show @1',
    'sessiondex show 019f1294 --leaf a1b2c3d4',
    'sessiondex show @1 --raw | jq .type',
  ],
  async run([session = ''], options, context) {
    const index = await context.openSynced();
    const result = index.show(context.sessionArgument(session), {
      leafId: stringOption(options, 'leaf'),
      all: options['all'] === true,
    });
    if (context.wantsJson) context.json(showDocument(result));
    else if (context.wantsJsonLines) context.jsonLines(result.entries.map(({ value }) => value));
    else if (options['raw'] === true) writeRaw(result);
    else {
      const entries =
        options['all'] === true
          ? result.entries
          : result.entries.filter(({ type }) => IS_CONVERSATION.has(type));
      page(asText({ ...result, entries }, options['tools'] === true, context), context.terminal);
    }
    return EXIT.done;
  },
};

/** Types that people read as the conversation; extension state and the like only with `--all`. */
const IS_CONVERSATION: ReadonlySet<string> = new Set([
  'message',
  'custom_message',
  'compaction',
  'branch_summary',
  'label',
  'session_info',
  'title_change',
  'session_init',
]);

/** The bytes of the lines, whatever is in them: for programs, not for terminals. */
function writeRaw({ session, entries }: ShowResult): void {
  const fd = openSync(session.path, 'r');
  try {
    for (const { byteOffset, byteLength } of entries) {
      const line = Buffer.allocUnsafe(byteLength);
      const length = readSync(fd, line, 0, byteLength, byteOffset);
      process.stdout.write(line.subarray(0, length));
      process.stdout.write('\n');
    }
  } finally {
    closeSync(fd);
  }
}

function asText({ session, entries }: ShowResult, withTools: boolean, { terminal }: CommandContext): string {
  const { colors } = terminal;
  const reader = new ContentReader();
  const head = [
    colors.bold(nameOf(session)),
    colors.dim(
      oneLine(`${session.id}  ${session.project}  ${count(session.entryCount, 'entry', 'entries')}`),
    ),
    colors.dim(oneLine(session.path)),
    '',
  ];
  const body = entries.flatMap(({ value, entryId, type, role, timestampMs }) => {
    const { prose, thinking, tools } = reader.read(value);
    const parts = [safeText(prose), thinking === '' ? '' : colors.dim(safeText(thinking))];
    if (tools !== '') parts.push(withTools ? safeText(tools) : colors.dim(folded(tools, terminal.columns)));
    const text = parts.filter((part) => part !== '').join('\n');
    if (text === '') return [];
    const when = timestampMs === null ? '' : localTime(timestampMs);
    return [
      `${colors.cyan(oneLine(role ?? type))}  ${colors.dim(oneLine(`${when}  ${entryId ?? ''}`))}`,
      text,
      '',
    ];
  });
  return `${[...head, ...body].join('\n')}\n`;
}

/** UTF-16 units of a tool's text that are looked at for its one line. */
const FOLDED_CHARS = 400;

/** A tool call or result as one line. */
function folded(tools: string, columns: number): string {
  const more = tools.length > FOLDED_CHARS ? ` (${count(tools.length, 'character')})` : '';
  return fitTo(`▸ ${oneLine(tools.slice(0, FOLDED_CHARS))}`, Math.max(20, columns - more.length)) + more;
}
