import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadEntries } from '../../src/format/load.js';
import { expectPlacesFrame, type Scanned, scanInChunks } from './every-way.js';

const CORPUS = resolve(
  process.env['SESSIONDEX_CORPUS'] ?? join(import.meta.dirname, '../../../shared/corpus'),
);
const INDEX = join(CORPUS, 'INDEX.md');
const isThere = existsSync(INDEX);
if (!isThere) process.stderr.write(`skipped: no corpus of real files at ${CORPUS} (set SESSIONDEX_CORPUS)\n`);

/** A row of the corpus's own index, whose figures were counted by other means. */
interface Row {
  readonly name: string;
  readonly version: string;
  readonly lines: number;
  readonly bytes: number;
  readonly types: Readonly<Record<string, number>>;
  readonly unparsableLines: readonly number[];
}

function rows(): Row[] {
  return readFileSync(INDEX, 'utf8')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter((cells) => cells[1]?.includes('.jsonl'))
    .map(([, name = '', , , version = '', lines, bytes, types = '', special = '']) => ({
      name,
      version,
      lines: Number(lines),
      bytes: Number(bytes),
      types: Object.fromEntries(
        [...types.matchAll(/([\w-]+) (\d+)/g)].map(([, type, count]) => [type, Number(count)]),
      ),
      unparsableLines: (/lines that do not parse: (\d+(?:, \d+)*)/.exec(special)?.[1] ?? '')
        .split(', ')
        .filter(Boolean)
        .map(Number),
    }));
}

function kindOf({ version }: Row): string {
  if (version === '-') return 'foreign';
  return version === 'no header' ? 'headerless' : 'session';
}

/** Entries by type, those left out that share a line: the corpus's index counts lines. */
function typesOf({ objects }: Scanned, leftOutLines: readonly number[]): Record<string, number> {
  const types: Record<string, number> = {};
  for (const { value, line } of objects)
    if (!leftOutLines.includes(line)) types[value.type] = (types[value.type] ?? 0) + 1;
  return types;
}

const found = isThere ? rows() : [];

describe.skipIf(!isThere)('real files', () => {
  it('the index of the corpus was understood', () => {
    expect(found.length).toBeGreaterThan(30);
    expect(found.every(({ lines, bytes }) => lines > 0 && bytes > 0)).toBe(true);
    expect(found.flatMap(({ unparsableLines }) => unparsableLines).length).toBeGreaterThan(3);
  });

  it.each(found)('F6-F9: $name has the version, lines, types and damage that its index tells', (row) => {
    const bytes = readFileSync(join(CORPUS, row.name));
    const scanned = scanInChunks(bytes, [4099]);
    const damaged = scanned.problems.map(({ line }) => line);
    expect(scanned.end).toMatchObject({ bytes: row.bytes, lines: row.lines });
    expect([...new Set(damaged)]).toEqual(row.unparsableLines);
    expect(typesOf(scanned, row.unparsableLines)).toEqual(row.types);
    const loaded = loadEntries([bytes]);
    expect(loaded.kind).toBe(kindOf(row));
    if (loaded.kind === 'session') {
      expect(loaded.header?.version ?? '1 (absent)').toBe(
        /^\d+$/.test(row.version) ? Number(row.version) : row.version,
      );
      expect(loaded.entries.length + (loaded.titleSlot ? 1 : 0)).toBe(scanned.objects.length);
    }
    expectPlacesFrame(bytes, scanned);
  });
});
