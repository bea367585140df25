import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ParentsFacet } from '../../src/session-index/facets/parents.js';
import { FileTreeBuilder } from '../../src/session-index/file-tree.js';
import { rowKey } from '../../src/session-index/keys.js';
import { isWithin, pathRanges } from '../../src/session-index/queries/path-ranges.js';
import { migrate } from '../../src/sqlite/migrations.js';

interface Node {
  readonly id: string | undefined;
  readonly parentId: string | null;
}

/** The path as F23 says it, step by step over a map: the last of equal ids, and a repeated entry ends it. */
function naivePath(nodes: readonly Node[], start: number): number[] {
  const seqById = new Map<string, number>();
  nodes.forEach(({ id }, i) => {
    if (id !== undefined) seqById.set(id, i + 1);
  });
  const path: number[] = [];
  let at: number | undefined = start;
  while (at !== undefined && !path.includes(at)) {
    path.push(at);
    const parentId: string | null = nodes[at - 1]?.parentId ?? null;
    at = parentId === null ? undefined : seqById.get(parentId);
  }
  return path;
}

const FILE_ID = 7;

function store(nodes: readonly Node[]): Database.Database {
  const db = new Database(':memory:');
  migrate(db, 'index', 1);
  const builder = new FileTreeBuilder();
  nodes.forEach(({ id, parentId }, i) => {
    builder.add(i + 1, id, parentId);
  });
  // The files before and after it must not be walked into.
  for (const [fileId, tree] of [
    [FILE_ID - 1, linear(3)],
    [FILE_ID, builder.resolve()],
    [FILE_ID + 1, linear(3)],
  ] as const) {
    const facet = new ParentsFacet(db);
    facet.begin(fileId);
    facet.finish(tree);
    facet.flush();
  }
  return db;
}

function linear(length: number) {
  const builder = new FileTreeBuilder();
  for (let seq = 1; seq <= length; seq += 1) builder.add(seq, `x${seq}`, seq === 1 ? null : `x${seq - 1}`);
  return builder.resolve();
}

const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
const nodes = fc.array(
  fc.record({
    id: fc.option(ids, { nil: undefined, freq: 8 }),
    parentId: fc.option(fc.oneof(ids, fc.constant('gone')), { nil: null, freq: 6 }),
  }),
  { minLength: 1, maxLength: 14 },
);

describe('pathRanges', () => {
  it('F23: equals a step-by-step walk for any tree: roots, orphans, cycles, duplicate and forward ids', () => {
    fc.assert(
      fc.property(nodes, (tree) => {
        const db = store(tree);
        for (let seq = 1; seq <= tree.length; seq += 1) {
          const ranges = pathRanges(db, FILE_ID, seq);
          const path = ranges.flatMap(({ from, to }) =>
            Array.from({ length: from - to + 1 }, (_, i) => from - i),
          );
          const expected = naivePath(tree, seq);
          expect(path).toEqual(expected);
          for (let other = 1; other <= tree.length; other += 1) {
            expect(isWithin(ranges, other)).toBe(expected.includes(other));
          }
        }
        db.close();
      }),
      { numRuns: 300 },
    );
  });

  it('a linear session of 200,000 entries is one row, and its path one range', () => {
    const db = new Database(':memory:');
    migrate(db, 'index', 1);
    const facet = new ParentsFacet(db);
    facet.begin(FILE_ID);
    facet.finish(linear(200_000));
    facet.flush();
    expect(db.prepare('SELECT id, last_seq, parent_seq FROM parents').all()).toEqual([
      { id: rowKey(FILE_ID, 1), last_seq: 200_000, parent_seq: null },
    ]);
    expect(pathRanges(db, FILE_ID, 200_000)).toEqual([{ from: 200_000, to: 1 }]);
  });
});
