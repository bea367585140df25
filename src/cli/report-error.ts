import { SessiondexError } from '../errors.js';
import { type ErrorDocument, SCHEMA_VERSION } from '../report/contract.js';
import { safeText } from '../report/sanitize.js';
import { EXIT } from './command.js';
import type { Terminal } from './output/terminal.js';

/** Says on stderr what went wrong and what to do, for people or for programs; gives the exit code. */
export function reportError(error: unknown, asJson: boolean, terminal: Terminal): number {
  if (isAbort(error)) {
    terminal.err('sessiondex: stopped; nothing is lost.\n');
    return EXIT.interrupted;
  }
  const known = error instanceof SessiondexError ? error : asKnown(error);
  const report = known.toJSON();
  if (asJson) {
    const { line: _, ...rest } = report;
    const document: ErrorDocument = { schema: SCHEMA_VERSION, error: rest };
    terminal.err(`${JSON.stringify(document)}\n`);
  } else {
    const place =
      report.path !== undefined && !report.message.includes(report.path) ? ` (${report.path})` : '';
    terminal.err(`sessiondex: ${safeText(report.message + place)}\n`);
    if (report.hint !== undefined) terminal.err(`${safeText(report.hint)}\n`);
  }
  return exitCodeOf(known);
}

export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

function exitCodeOf({ code }: SessiondexError): number {
  switch (code) {
    case 'QUERY_SYNTAX':
    case 'USAGE':
      return EXIT.usage;
    case 'SESSION_NOT_FOUND':
    case 'ENTRY_NOT_FOUND':
    case 'AMBIGUOUS_SESSION':
    case 'NO_ROOTS':
      return EXIT.nothing;
    default:
      return EXIT.failed;
  }
}

/** A native module that was built for another Node says so in its own words; one command mends it. */
function asKnown(error: unknown): SessiondexError {
  const message = error instanceof Error ? error.message : String(error);
  const code = (error as { code?: unknown }).code;
  if (
    code === 'ERR_DLOPEN_FAILED' ||
    /NODE_MODULE_VERSION|Could not locate the bindings file/.test(message)
  ) {
    return new SessiondexError('SETUP', 'better-sqlite3 does not fit this version of Node', {
      hint: 'Run "npm rebuild better-sqlite3" where sessiondex is installed.',
      cause: error,
    });
  }
  return new SessiondexError('FILE_IO', message, { cause: error });
}
