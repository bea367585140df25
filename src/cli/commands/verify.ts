import { verifyDocument } from '../../report/documents.js';
import { safeLine } from '../../report/sanitize.js';
import type { Difference, VerifyResult } from '../../session-index/results.js';
import { type CommandSpec, EXIT } from '../command.js';
import type { CommandContext } from '../context.js';
import { LIMIT, numberOption } from '../option-values.js';
import { bytes, count, seconds } from '../output/quantities.js';

export const verifyCommand: CommandSpec = {
  name: 'verify',
  summary: 'prove that the index equals the files',
  options: [LIMIT],
  examples: ['sessiondex verify', 'sessiondex verify --no-sync --json'],
  async run(_args, options, context) {
    const index = await syncedUnlessDamaged(context);
    const result = await index.verify({ ...context.runOptions, limit: numberOption(options, 'limit') });
    context.clearProgress();
    if (context.wantsJson) context.json(verifyDocument(result));
    else showResult(result, context);
    return result.ok ? EXIT.done : EXIT.nothing;
  },
};

/** A damaged index is what verify is there to name: it must not be mended by the sync before it. */
async function syncedUnlessDamaged(context: CommandContext) {
  const index = await context.openIndex();
  return index.isWhole() ? await context.openSynced() : index;
}

function showResult(result: VerifyResult, { terminal }: CommandContext): void {
  const { colors } = terminal;
  const read = `${count(result.files, 'file')}, ${count(result.entries, 'entry', 'entries')}, ${bytes(result.bytes)} read in ${seconds(result.elapsedMs)}`;
  if (result.ok) {
    terminal.out(`${colors.green('ok')}: the index equals the files. ${read}.\n`);
    return;
  }
  for (const difference of result.differences) terminal.out(`${describe(difference)}\n`);
  const more = result.isCut ? ' or more' : '';
  terminal.out(`${colors.red(count(result.differences.length, 'difference') + more)}. ${read}.\n`);
  terminal.out('Run "sessiondex reindex" to build the index anew from the files.\n');
}

function describe({ kind, path, entryId, field, expected, actual }: Difference): string {
  const where = [path ?? '', entryId === undefined ? '' : `entry ${entryId}`, field ?? ''].filter(
    (part) => part !== '',
  );
  const values = `expected ${shown(expected)}, is ${shown(actual)}`;
  return safeLine(`${kind}: ${[...where, values].join(': ')}`);
}

const SHOWN_CHARS = 200;

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}
