import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openIndex } from '../support/index.js';

const GIVEN = resolve(
  process.env['SESSIONDEX_CORPUS'] ?? join(import.meta.dirname, '../../../shared/corpus'),
);
/** The index knows real paths only. */
const CORPUS = existsSync(GIVEN) ? realpathSync(GIVEN) : GIVEN;
const isThere = existsSync(join(CORPUS, 'INDEX.md'));
if (!isThere) process.stderr.write(`skipped: no corpus of real files at ${CORPUS} (set SESSIONDEX_CORPUS)\n`);

/** What the corpus's own index says of a file; its figures were counted by other means. */
interface Described {
  readonly name: string;
  readonly version: string;
  readonly entries: number;
  readonly orphans: number;
  readonly branchPoints: number;
  readonly unparsableLines: readonly number[];
}

function described(): Described[] {
  return readFileSync(join(CORPUS, 'INDEX.md'), 'utf8')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter((cells) => cells.length >= 9 && cells[1]?.includes('.jsonl'))
    .map(([, name = '', , , version = '', , , types = '', special = '']) => {
      const counts = [...types.matchAll(/(\w+) (\d+)/g)].map(
        ([, type = '', count = '0']) => [type, Number(count)] as const,
      );
      return {
        name,
        version,
        entries: counts.reduce(
          (sum, [type, count]) => (type === 'session' || type === 'title' ? sum : sum + count),
          0,
        ),
        orphans: Number(/orphans (\d+)/.exec(special)?.[1] ?? 0),
        branchPoints: Number(/branch points (\d+)/.exec(special)?.[1] ?? 0),
        unparsableLines: (/lines that do not parse: ([\d, ]+)/.exec(special)?.[1] ?? '')
          .split(',')
          .filter((text) => text.trim() !== '')
          .map(Number),
      };
    });
}

function stateOfFiles(folder: string): Record<string, string> {
  const state: Record<string, string> = {};
  for (const item of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(item.parentPath, item.name);
    const { mtimeMs, size } = statSync(path);
    state[path] = item.isFile()
      ? `${mtimeMs} ${size} ${readFileSync(path).toString('base64').slice(-64)}`
      : `${mtimeMs}`;
  }
  return state;
}

describe.skipIf(!isThere)('real files', () => {
  it('every *.jsonl is a session or a problem with its reason, as the corpus says, and nothing is changed', async () => {
    const before = stateOfFiles(CORPUS);
    const index = await openIndex([CORPUS]);
    await index.sync();
    const sessions = new Map(
      index.list().sessions.map((session) => [relative(CORPUS, session.path), session]),
    );
    const problems = index.problems();
    const db = new Database(index.dbPath, { readonly: true });
    const branchPoints = db
      .prepare('SELECT branch_point_count FROM sessions s JOIN files f ON f.id = s.id WHERE f.path = ?')
      .pluck();
    let compared = 0;
    for (const file of described()) {
      if (!file.name.endsWith('.jsonl')) {
        expect([file.name, sessions.has(file.name)]).toEqual([file.name, false]);
        continue;
      }
      const path = join(CORPUS, file.name);
      const found = problems.filter((problem) => problem.path === path);
      const session = sessions.get(file.name);
      const isSession = file.version !== '-' && file.version !== 'no header';
      expect([file.name, session !== undefined]).toEqual([file.name, isSession]);
      if (!session) {
        expect([file.name, found.map(({ message }) => message).join().length > 10]).toEqual([
          file.name,
          true,
        ]);
        continue;
      }
      compared += 1;
      const damaged = found.filter(({ kind }) => ['unparsable', 'torn', 'glued', 'nul-bytes'].includes(kind));
      const glued = damaged.filter(({ kind }) => kind === 'glued').length;
      expect({
        name: file.name,
        version: session.version,
        entries: session.entryCount,
        orphans: session.orphanCount,
        // The corpus counts a missing parent of two entries as a branch point, too.
        branchPoints: file.orphans > 0 ? file.branchPoints : branchPoints.get(path),
      }).toEqual({
        name: file.name,
        version: Number.parseInt(file.version, 10),
        // A line with two glued entries does not parse as one: both are read.
        entries: file.entries + 2 * glued,
        orphans: file.orphans,
        branchPoints: file.branchPoints,
      });
      // One file's last line is whole JSON that is no object; its index counts it under its number all the same.
      expect([file.name, damaged.map(({ line }) => line)]).toEqual([file.name, file.unparsableLines]);
    }
    db.close();
    expect(compared).toBeGreaterThanOrEqual(27);
    expect((await index.verify()).differences).toEqual([]);
    expect(stateOfFiles(CORPUS)).toEqual(before);
  });
});
