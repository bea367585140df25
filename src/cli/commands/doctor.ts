import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckDocument, DoctorDocument } from '../../report/contract.js';
import { SCHEMA_VERSION } from '../../report/contract.js';
import { isoTime } from '../../report/documents.js';
import { oneLine } from '../../report/sanitize.js';
import { defaultRoots } from '../../session-index/locations.js';
import type { IndexHealth } from '../../session-index/results.js';
import { packageRoot } from '../../sqlite/package-root.js';
import { type CommandSpec, EXIT } from '../command.js';
import type { CommandContext } from '../context.js';
import { bytes, count } from '../output/quantities.js';

export const doctorCommand: CommandSpec = {
  name: 'doctor',
  summary: 'where everything is, and what is wrong with it',
  options: [],
  examples: ['sessiondex doctor', 'sessiondex doctor --json'],
  async run(_args, _options, context) {
    const document = await examine(context);
    if (context.wantsJson) context.json(document);
    else showDocument(document, context);
    return document.checks.some(({ status }) => status === 'error') ? EXIT.nothing : EXIT.done;
  },
};

async function examine(context: CommandContext): Promise<DoctorDocument> {
  const checks: CheckDocument[] = [];
  let health: IndexHealth | undefined;
  try {
    const index = await context.openIndex();
    health = index.health();
  } catch (error) {
    checks.push(checkOfError(error));
  }
  checks.push(checkOfRoots(context), ...(health ? checksOf(health) : []));
  const { sqliteVersion } = await import('../../sqlite/sqlite-version.js');
  return {
    schema: SCHEMA_VERSION,
    versions: { sessiondex: packageVersion(), node: process.version, sqlite: sqliteVersion() },
    dbPath: context.dbPath,
    roots: health?.roots ?? [],
    builtAt: isoTime(health?.builtMs ?? null),
    sizeBytes: health?.sizeBytes ?? 0,
    files: health?.files ?? 0,
    sessions: health?.sessions ?? 0,
    notSessions: health?.notSessions ?? 0,
    unreadable: health?.unreadable ?? 0,
    entries: health?.entries ?? 0,
    sessionBytes: health?.sessionBytes ?? 0,
    checks,
  };
}

export function packageVersion(): string {
  const content: unknown = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'));
  return (content as { version: string }).version;
}

function checkOfError(error: unknown): CheckDocument {
  const message = error instanceof Error ? error.message : String(error);
  const hint = (error as { hint?: string }).hint;
  return { name: 'index', status: 'error', message, ...(hint === undefined ? {} : { hint }) };
}

function checkOfRoots({ host, roots }: CommandContext): CheckDocument {
  if (roots) return { name: 'roots', status: 'ok', message: `given: ${roots.join(', ')}` };
  const { found, looked } = defaultRoots(host);
  if (found.length > 0) return { name: 'roots', status: 'ok', message: `found: ${found.join(', ')}` };
  return {
    name: 'roots',
    status: 'error',
    message: `no folder with sessions; looked in ${looked.join(', ')}`,
    hint: 'Name one with --root DIR or SESSIONDEX_ROOTS.',
  };
}

function checksOf(health: IndexHealth): CheckDocument[] {
  return [indexCheck(health), ...privacyChecks(health), ...problemChecks(health)];
}

function indexCheck({ exists, isBeingBuilt, sessions, entries }: IndexHealth): CheckDocument {
  if (!exists) {
    return {
      name: 'index',
      status: 'warning',
      message: 'nothing is indexed yet',
      hint: 'Run "sessiondex sync".',
    };
  }
  const building = isBeingBuilt ? '; another process is building it anew' : '';
  return {
    name: 'index',
    status: 'ok',
    message: `${count(sessions, 'session')}, ${count(entries, 'entry', 'entries')}${building}`,
  };
}

/** Conversations are private: nobody else should be able to read them. */
function privacyChecks({ dbPath, exists }: IndexHealth): CheckDocument[] {
  if (!exists || process.platform === 'win32') return [];
  const mode = statSync(dbPath).mode & 0o777;
  if ((mode & 0o077) === 0)
    return [{ name: 'permissions', status: 'ok', message: 'only you can read the index' }];
  return [
    {
      name: 'permissions',
      status: 'warning',
      message: `others can read the index (mode ${mode.toString(8)})`,
      hint: `Run "chmod 600 ${dbPath}".`,
    },
  ];
}

/** What is to be done about a kind of problem; nothing is where there is no entry. */
const ADVICE: Readonly<Record<string, string>> = {
  torn: 'The last write of a program that was stopped: the next append goes on a new line.',
  unparsable: 'These lines are skipped; "sessiondex show --raw" and an editor show them.',
  glued: 'Every entry on such a line is read; nothing needs to be done.',
  foreign: 'Files of other programs: keep them out of the session folders, or ignore this.',
  empty: 'Empty files can be deleted.',
  headerless: 'Fragments of a session: put the header line back to read them.',
};

function problemChecks({ problems, unreadable }: IndexHealth): CheckDocument[] {
  const byKind = new Map<string, string[]>();
  for (const { kind, path } of problems) byKind.set(kind, [...(byKind.get(kind) ?? []), path]);
  const checks = [...byKind].sort().map(([kind, paths]): CheckDocument => {
    const hint = ADVICE[kind];
    const message = `${kind}: ${count(paths.length, 'time')}, first in ${paths[0]}`;
    return { name: 'files', status: 'warning', message, ...(hint === undefined ? {} : { hint }) };
  });
  if (unreadable === 0) return checks;
  const message = `${count(unreadable, 'file')} cannot be read`;
  return [
    ...checks,
    { name: 'files', status: 'error', message, hint: 'Give yourself permission to read them.' },
  ];
}

const SIGNS = { ok: '✓', warning: '!', error: '✗' } as const;

function showDocument(document: DoctorDocument, { terminal }: CommandContext): void {
  const { colors, out } = terminal;
  const paint = { ok: colors.green, warning: colors.yellow, error: colors.red };
  const versions = Object.entries(document.versions).map(([name, version]) => `${name} ${version}`);
  const rows: [string, string][] = [
    ['versions', versions.join(', ')],
    ['index', `${document.dbPath} (${bytes(document.sizeBytes)})`],
    ['built', document.builtAt ?? 'never as a whole'],
    ['roots', document.roots.join(', ') || 'none'],
    [
      'files',
      `${document.files} (${bytes(document.sessionBytes)}): ${document.sessions} sessions, ${document.notSessions} not sessions, ${document.unreadable} unreadable`,
    ],
    ['entries', document.entries.toLocaleString('en-US')],
  ];
  for (const [name, value] of rows) out(`${colors.dim(name.padEnd(10))}${oneLine(value)}\n`);
  out('\n');
  for (const { name, status, message, hint } of document.checks) {
    out(`${paint[status](SIGNS[status])} ${name}: ${oneLine(message)}\n`);
    if (hint !== undefined) out(`    ${colors.dim(oneLine(hint))}\n`);
  }
}
