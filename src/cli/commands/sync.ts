import { syncDocument } from '../../report/documents.js';
import type { SyncReport } from '../../session-index/reports.js';
import { type CommandSpec, EXIT } from '../command.js';
import type { CommandContext } from '../context.js';
import { bytes, count, seconds } from '../output/quantities.js';

export const syncCommand: CommandSpec = {
  name: 'sync',
  summary: 'take in what changed in the session files',
  options: [],
  examples: ['sessiondex sync', 'sessiondex sync --root ~/old-sessions'],
  async run(_args, _options, context) {
    const index = await context.openIndex();
    const report = await index.sync(context.runOptions);
    return showReport(report, context);
  },
};

export const reindexCommand: CommandSpec = {
  name: 'reindex',
  summary: 'build the index anew from the session files',
  options: [],
  examples: ['sessiondex reindex'],
  async run(_args, _options, context) {
    const index = await context.openIndex();
    const report = await index.reindex(context.runOptions);
    return showReport(report, context);
  },
};

/** Problems shown one by one; `--json` gives all. */
const SHOWN_PROBLEMS = 20;

/** Notes about how a file is written, which lose nothing: only `--json` lists them. */
const HARMLESS: ReadonlySet<string> = new Set(['byte-order-mark', 'carriage-returns', 'blank-lines']);

/** A file that could not be read is a failure; a damaged or foreign one is only told. */
function showReport(report: SyncReport, context: CommandContext): number {
  context.clearProgress();
  if (context.wantsJson) context.json(syncDocument(report));
  else {
    const { files, problems } = report;
    context.terminal.out(
      `${count(files.seen, 'file')}: ${files.indexed} indexed, ${files.unchanged} unchanged, ${files.removed} removed, ` +
        `${files.notSessions} not sessions, ${files.failed} failed. ` +
        `${count(report.entries, 'entry', 'entries')}, ${bytes(report.bytes)} in ${seconds(report.elapsedMs)}.\n`,
    );
    const worthTelling = problems.filter(({ kind }) => !HARMLESS.has(kind));
    for (const { path, line, byteOffset, message } of worthTelling.slice(0, SHOWN_PROBLEMS)) {
      context.note(`${path}: line ${line}, byte ${byteOffset}: ${message}`);
    }
    const more = worthTelling.length - SHOWN_PROBLEMS;
    if (more > 0)
      context.note(`${count(more, 'more problem')}; "sessiondex doctor" sums them up, --json lists them.`);
  }
  return report.files.failed > 0 ? EXIT.failed : EXIT.done;
}
