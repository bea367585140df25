import { hitDocument, searchDocument } from '../../report/documents.js';
import { oneLine, safeLine } from '../../report/sanitize.js';
import { shortIds } from '../../report/short-ids.js';
import type { SearchHit, SearchResult } from '../../session-index/results.js';
import { type CommandSpec, EXIT } from '../command.js';
import type { CommandContext } from '../context.js';
import { LIMIT, numberOption, OFFSET, oneOf, stringOption } from '../option-values.js';
import { count } from '../output/quantities.js';
import { localTime } from '../output/time.js';
import { projectName } from './list.js';

const SORTS = ['best', 'newest', 'oldest'] as const;

export const searchCommand: CommandSpec = {
  name: 'search',
  arguments: '<query...>',
  summary: 'entries with these words, best first',
  options: [
    LIMIT,
    OFFSET,
    { flags: '--sort <order>', description: 'best, newest or oldest', parse: oneOf('--sort', SORTS) },
    { flags: '--count', description: 'only how many there are' },
    { flags: '--files', description: 'only the paths of the session files' },
  ],
  examples: [
    'sessiondex search retry backoff',
    'sessiondex search \'"exact phrase" role:assistant\'',
    'sessiondex search "getUser* project:shop after:2026-01-01 -role:toolResult"',
  ],
  async run(args, options, context) {
    const index = await context.openSynced();
    const isOfFiles = options['files'] === true;
    const result = index.search(args.join(' '), {
      limit: numberOption(options, 'limit') ?? (isOfFiles ? Number.MAX_SAFE_INTEGER : undefined),
      offset: numberOption(options, 'offset'),
      sort: stringOption(options, 'sort') as (typeof SORTS)[number] | undefined,
    });
    if (options['count'] === true) context.terminal.out(`${result.total}\n`);
    else if (isOfFiles)
      context.terminal.out([...new Set(result.hits.map(({ path }) => `${path}\n`))].join(''));
    else if (context.wantsJson) context.json(searchDocument(result));
    else if (context.wantsJsonLines) context.jsonLines(result.hits.map(hitDocument));
    else showHits(result, shortIds(index.sessionIds()), numberOption(options, 'offset') ?? 0, context);
    return result.total === 0 ? EXIT.nothing : EXIT.done;
  },
};

function showHits(
  result: SearchResult,
  ids: ReadonlyMap<string, string>,
  offset: number,
  context: CommandContext,
): void {
  if (result.total === 0) {
    context.note(
      `nothing has ${JSON.stringify(result.query)}. Try fewer words, a begin* of a word, or OR between them.`,
    );
    return;
  }
  const bySession = new Map<string, SearchHit[]>();
  for (const hit of result.hits) bySession.set(hit.path, [...(bySession.get(hit.path) ?? []), hit]);
  for (const hits of bySession.values()) showSession(hits, ids, context);
  const last = offset + result.hits.length;
  const more = last < result.total ? `; --limit N shows more` : '';
  context.note(`${count(result.hits.length, 'hit')} of ${count(result.total, 'hit')}${more}.`);
}

function showSession(
  hits: readonly SearchHit[],
  ids: ReadonlyMap<string, string>,
  { terminal }: CommandContext,
): void {
  const { colors } = terminal;
  const [first] = hits;
  if (!first) return;
  const id = oneLine(ids.get(first.sessionId) ?? first.sessionId);
  const title = oneLine(first.title ?? '');
  terminal.out(
    `${colors.green(oneLine(projectName(first.project)))}  ${colors.bold(title || '(no title)')}  ${colors.cyan(id)}\n`,
  );
  for (const hit of hits) showHit(hit, id, terminal);
  terminal.out('\n');
}

function showHit(hit: SearchHit, shortId: string, { out, colors }: CommandContext['terminal']): void {
  const when = hit.timestampMs === null ? '' : localTime(hit.timestampMs);
  const who = hit.role ?? hit.type;
  const part = hit.part === 'prose' ? '' : ` ${hit.part}`;
  const branch = hit.onActiveBranch ? '' : colors.yellow(' abandoned branch');
  out(`  ${colors.dim(`${oneLine(who)}${part}  ${when}`)}${branch}\n`);
  out(`    ${marked(hit, colors)}\n`);
  if (hit.alsoIn.length > 0) out(colors.dim(`    also in ${hit.alsoIn.map(oneLine).join(', ')}\n`));
  if (hit.entryId !== null)
    out(colors.dim(`    sessiondex show ${shortId} --leaf ${oneLine(hit.entryId)}\n`));
}

/** The snippet as one line, its words marked. Marks go round what is shown, never into it. */
function marked({ snippet, matches }: SearchHit, colors: CommandContext['terminal']['colors']): string {
  const plain = (text: string) => safeLine(text.replace(/\s+/gu, ' '));
  let line = '';
  let at = 0;
  for (const [start, end] of matches) {
    line += plain(snippet.slice(at, start)) + colors.bold(colors.yellow(plain(snippet.slice(start, end))));
    at = end;
  }
  return line + plain(snippet.slice(at));
}
