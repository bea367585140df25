import { basename } from 'node:path';
import { listDocument, sessionDocument } from '../../report/documents.js';
import { oneLine, padTo } from '../../report/sanitize.js';
import { shortIds } from '../../report/short-ids.js';
import type { ListResult, SessionSummary } from '../../session-index/results.js';
import { type CommandSpec, EXIT } from '../command.js';
import type { CommandContext } from '../context.js';
import { LIMIT, numberOption, OFFSET } from '../option-values.js';
import { count, dollars } from '../output/quantities.js';
import { ago } from '../output/time.js';

/** Sessions shown when nothing else is asked for; `--json` gives all. */
const DEFAULT_LIMIT = 50;

export const listCommand: CommandSpec = {
  name: 'list',
  arguments: '[query...]',
  summary: 'sessions, newest first',
  options: [LIMIT, OFFSET],
  examples: ['sessiondex list', 'sessiondex list project:shop after:7d', 'sessiondex list --json'],
  async run(args, options, context) {
    const index = await context.openSynced();
    const isForPrograms = context.wantsJson || context.wantsJsonLines;
    const limit = numberOption(options, 'limit') ?? (isForPrograms ? undefined : DEFAULT_LIMIT);
    const offset = numberOption(options, 'offset');
    const result = index.list({ query: args.join(' '), limit, offset });
    context.rememberList(result.sessions.map(({ path }) => path));
    if (context.wantsJson) context.json(listDocument(result, index.problems()));
    else if (context.wantsJsonLines) context.jsonLines(result.sessions.map(sessionDocument));
    else showList(result, shortIds(index.sessionIds()), offset ?? 0, context);
    return result.total === 0 ? EXIT.nothing : EXIT.done;
  },
};

/** One row a session, fitted to the terminal. */
function showList(
  { sessions, total }: ListResult,
  ids: ReadonlyMap<string, string>,
  offset: number,
  context: CommandContext,
): void {
  const { terminal, host } = context;
  if (sessions.length === 0) {
    context.note('no session fits.');
    return;
  }
  const { colors } = terminal;
  const idColumns = Math.max(...sessions.map(({ id }) => oneLine(ids.get(id) ?? id).length));
  const numberColumns = String(sessions.length).length + 1;
  const fixed = numberColumns + idColumns + WHEN + PROJECT + MESSAGES + COST + 6 * GAP.length;
  const titleColumns = Math.max(20, terminal.columns - fixed);
  sessions.forEach((session, n) => {
    const cells = [
      colors.dim(padTo(`@${n + 1}`, numberColumns)),
      colors.cyan(padTo(oneLine(ids.get(session.id) ?? session.id), idColumns)),
      padTo(ago(session.modifiedMs, host.now()), WHEN),
      colors.green(padTo(oneLine(projectName(session.project)), PROJECT)),
      padTo(nameOf(session), titleColumns),
      colors.dim(padTo(`${session.messageCount} msg`, MESSAGES)),
      colors.dim(dollars(session.usage.costUsd).padStart(COST)),
    ];
    terminal.out(`${cells.join(GAP).trimEnd()}\n`);
  });
  const last = offset + sessions.length;
  if (last < total) context.note(`${count(total - last, 'more session')}; --limit N shows more.`);
}

const GAP = '  ';
const WHEN = 10;
const PROJECT = 16;
const MESSAGES = 8;
const COST = 8;

/** The last part of a cwd, of either kind of path. */
export function projectName(cwd: string): string {
  return basename(cwd.replaceAll('\\', '/')) || cwd || '-';
}

export function nameOf({ title, firstMessage }: SessionSummary): string {
  return oneLine((title ?? firstMessage ?? '(no messages)').slice(0, NAME_CHARS));
}

/** UTF-16 units looked at for a name: more never fits into a line. */
const NAME_CHARS = 2000;
