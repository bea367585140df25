import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { QueryTree } from '../../src/query/ast.js';
import { parseQuery } from '../../src/query/parse.js';
import { hasPositive, isWordless, matches, textLeaves } from '../../src/query/tree-queries.js';

function parsed(text: string) {
  const result = parseQuery(text, { now: new Date(0), timeZone: 'UTC' });
  if (!result.ok) throw new Error(result.problem.message);
  return result.query;
}

const rootOf = (text: string): QueryTree => parsed(text).root;

describe('matches', () => {
  const holds = (text: string, words: readonly string[]) =>
    matches(rootOf(text), {
      text: (leaf) => words.includes(leaf.text),
      filter: (leaf) => leaf.values.includes('user'),
    });

  it.each([
    ['', [], true],
    ['a b', ['a'], false],
    ['a b', ['a', 'b'], true],
    ['a OR b', ['b'], true],
    ['a -b', ['a', 'b'], false],
    ['-(a b)', ['a'], true],
    ['a role:user', ['a'], true],
    ['a -role:user', ['a'], false],
  ])('%j of %j: %s', (text, words, expected) => {
    expect(holds(text, words)).toBe(expected);
  });
});

describe('textLeaves', () => {
  it('are the texts in order, with whether they speak against', () => {
    const leaves = textLeaves(rootOf('a -"b c" (d OR -(e -f*)) role:user /g/'));
    expect(leaves.map(({ leaf, isNegated }) => [leaf.form, leaf.text, isNegated])).toEqual([
      ['word', 'a', false],
      ['phrase', 'b c', true],
      ['word', 'd', false],
      ['word', 'e', true],
      ['prefix', 'f', false],
      ['regex', 'g', false],
    ]);
  });

  it('stand where they stand in the text of the query', () => {
    const text = 'ab -"c d" (e* OR /f/)';
    const places = textLeaves(rootOf(text)).map(({ leaf }) => text.slice(leaf.start, leaf.end));
    expect(places).toEqual(['ab', '"c d"', 'e*', '/f/']);
  });
});

describe('hasPositive', () => {
  it.each([
    ['a', true],
    ['a -b', true],
    ['-b', false],
    ['', false],
    ['role:user', false],
    ['role:user a', true],
    ['a OR b', true],
    ['a OR -b', false],
    ['a OR role:user', false],
    ['-(-a OR -b)', true],
    ['-(-a -b)', true],
    ['-(-a b)', false],
  ])('of %j: %s', (text, expected) => {
    expect(parsed(text).hasPositive).toBe(expected);
  });

  it('says that nothing without any of its texts satisfies the query, whatever its filters say', () => {
    const shape = fc.letrec<{ tree: QueryTree }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<QueryTree>(
          { kind: 'text', form: 'word', text: 't', start: 0, end: 0 },
          { kind: 'filter', name: 'title', values: ['f'], intervals: [], start: 0, end: 0 },
        ),
        fc.record({ kind: fc.constant('not' as const), child: tie('tree') }),
        fc.record({
          kind: fc.constantFrom('and' as const, 'or' as const),
          children: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
        }) as fc.Arbitrary<QueryTree>,
      ),
    })).tree;
    fc.assert(
      fc.property(shape, (tree) => {
        const { root, count } = withOwnFilters(tree);
        fc.pre(count <= 8);
        const satisfied = Array.from({ length: 2 ** count }, (_, world) =>
          matches(root, {
            text: () => false,
            filter: ({ values }) => (world >> Number(values[0])) % 2 === 1,
          }),
        ).includes(true);
        expect(hasPositive(root)).toBe(!satisfied);
      }),
      { numRuns: 1000 },
    );
  });
});

/** Each filter with a number of its own, so that each may hold or not by itself. */
function withOwnFilters(tree: QueryTree): { root: QueryTree; count: number } {
  let count = 0;
  const visit = (node: QueryTree): QueryTree => {
    if (node.kind === 'text') return node;
    if (node.kind === 'filter') return { ...node, values: [String(count++)] };
    if (node.kind === 'not') return { kind: 'not', child: visit(node.child) };
    return { kind: node.kind, children: node.children.map(visit) };
  };
  const root = visit(tree);
  return { root, count };
}

describe('isWordless', () => {
  it.each([
    ['%%', true],
    ['->', true],
    ['🎉', true],
    ['🤔', true],
    ['"..."', true],
    ['a%', false],
    ['日', false],
    ['/%%/', false],
  ])('of %j: %s', (text, expected) => {
    expect(textLeaves(rootOf(text)).map(({ leaf }) => isWordless(leaf))).toEqual([expected]);
  });
});
