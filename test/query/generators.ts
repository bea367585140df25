import fc from 'fast-check';
import type { Filter, QueryTree, Text } from '../../src/query/ast.js';

const PIECES = [
  '(',
  ')',
  '"',
  '-',
  ' OR ',
  ' AND ',
  ' NOT ',
  'OR',
  'NOT',
  ' ',
  ' ',
  '  ',
  ':',
  'role:',
  'in:',
  'prose',
  'after:',
  'on:',
  '7d',
  '2026-02-16',
  'title:',
  'roel:',
  'user',
  '*',
  '/',
  '[',
  ']',
  '\\',
  'a',
  'b',
  'foo',
  ',',
  '\0',
  '\n',
  '😀',
  '日',
  'é',
  '%',
  '""',
];

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 5 }).map((parts) => parts.join('')),
);

/** Queries as they are and as they should not be. */
export const anyQuery = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 12 })
    .map((units) => String.fromCharCode(...units)),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }).map((parts) => parts.join('')),
);

const PLACE = { start: 0, end: 0 };

const anyTextLeaf: fc.Arbitrary<Text> = fc.oneof(
  fc
    .constantFrom('apple', 'foo-bar', 'x()', '--force', '%x', '日本', 'a:b', '/usr/x', '*')
    .map((text) => ({ kind: 'text' as const, form: 'word' as const, text, ...PLACE })),
  fc
    .tuple(fc.constantFrom('phrase' as const, 'prefix' as const, 'substring' as const), anyText)
    .map(([form, text]) => ({ kind: 'text' as const, form, text, ...PLACE })),
  fc
    .tuple(fc.constantFrom('a+', '[/)]', 'x y', '\\/'), fc.constantFrom('i', 'm', 's'))
    .map(([text, flags]) => ({ kind: 'text' as const, form: 'regex' as const, text, flags, ...PLACE })),
);

const anyFilterLeaf: fc.Arbitrary<Filter> = fc
  .tuple(
    fc.constantFrom('title' as const, 'project' as const, 'label' as const),
    fc.array(
      anyText.filter((text) => text !== ''),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([name, values]) => ({ kind: 'filter' as const, name, values, intervals: [], ...PLACE }));

/** Trees of any shape and any texts, not simplified. */
export const anyTree: fc.Arbitrary<QueryTree> = fc.letrec<{ tree: QueryTree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    anyTextLeaf,
    anyFilterLeaf,
    fc.record({ kind: fc.constant('not' as const), child: tie('tree') }),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      children: fc.array(tie('tree'), { minLength: 1, maxLength: 4 }),
    }) as fc.Arbitrary<QueryTree>,
  ),
})).tree;
