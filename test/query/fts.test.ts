import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { QueryTree, Text } from '../../src/query/ast.js';
import { ftsExpression, toFtsExpression } from '../../src/query/fts.js';
import { parseQuery } from '../../src/query/parse.js';
import { toMatchTerms, toSearchText } from '../../src/query/terms.js';
import { matches } from '../../src/query/tree-queries.js';
import { anyQuery, anyTree } from './generators.js';

const db = new Database(':memory:');
db.exec(`CREATE VIRTUAL TABLE t USING fts5(text, tokenize='unicode61 remove_diacritics 2')`);
const add = db.prepare('INSERT INTO t (rowid, text) VALUES (?, ?)');
const clear = db.prepare('DELETE FROM t');
const find = db.prepare('SELECT rowid FROM t WHERE t MATCH ? ORDER BY rowid').pluck();

function rootOf(text: string): QueryTree {
  const parsed = parseQuery(text, { now: new Date(0), timeZone: 'UTC' });
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return parsed.query.root;
}

describe('an FTS5 expression', () => {
  it.each([
    ['foo', '"foo"'],
    ['foo-bar', '"foo bar"'],
    ['"say ""hi"" now"', '"say hi now"'],
    ['foo-ba*', '"foo ba" *'],
    ['日本', '"日 本"'],
    ['a b', '"a" AND "b"'],
    ['a OR b', '"a" OR "b"'],
    ['a (b OR c)', '"a" AND ("b" OR "c")'],
    ['a b -c -d', '("a" AND "b") NOT ("c" OR "d")'],
    ['a -(b c)', '("a") NOT (("b" AND "c"))'],
    ['NEAR(a b)', '"NEAR a" AND "b"'],
    ['-a', null],
    ['a OR -b', null],
    ['', null],
    ['%%', null],
    ['a %%', null],
    ['a role:user', null],
    ['*part*', null],
    ['/a/', null],
  ])('for %j is %s', (text, expression) => {
    expect(toFtsExpression(rootOf(text))).toBe(expression);
  });

  it('never makes FTS5 fail, whatever was typed', () => {
    fc.assert(
      fc.property(fc.oneof(anyQuery.map(parsedOrNothing), anyTree), (tree) => {
        const expression = tree ? toFtsExpression(tree) : null;
        if (expression !== null) expect(() => find.all(expression)).not.toThrow();
      }),
      { numRuns: 1000 },
    );
  });

  it('is none where nesting is deeper than FTS5 bears, and bears what is wide', () => {
    const nested = (levels: number): QueryTree => {
      let tree = rootOf('x');
      for (let n = 0; n < levels; n += 1) {
        const word = rootOf(`a${n}`);
        tree =
          n % 2 === 0
            ? { kind: 'or', children: [word, tree] }
            : { kind: 'and', children: [word, { kind: 'not', child: tree }] };
      }
      return tree;
    };
    for (const levels of [1, 5, 10, 15, 20]) {
      const expression = toFtsExpression(nested(levels));
      if (levels <= 10) expect([levels, expression === null]).toEqual([levels, false]);
      if (expression !== null) expect(() => find.all(expression)).not.toThrow();
    }
    expect(toFtsExpression(rootOf(`${'(a OR b '.repeat(50)}${')'.repeat(50)}`))).toBeNull();
    const many = Array.from({ length: 2000 }, (_, n) => `w${n}`);
    for (const operator of [' ', ' OR ', ' -']) {
      const expression = toFtsExpression(rootOf(many.join(operator)));
      expect(() => find.all(expression)).not.toThrow();
    }
    expect(() => find.all(ftsExpression(phrase(many.join(' '))))).not.toThrow();
  });
});

function parsedOrNothing(text: string): QueryTree | undefined {
  const parsed = parseQuery(text, { now: new Date(0), timeZone: 'UTC' });
  return parsed.ok ? parsed.query.root : undefined;
}

const phrase = (text: string): Text<'phrase'> => ({ kind: 'text', form: 'phrase', text, start: 0, end: 0 });

describe('what an expression finds', () => {
  it('a text in any text around it', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.string({ unit: 'grapheme', maxLength: 30 }),
    );
    fc.assert(
      fc.property(anyText, fc.boolean(), (text, isPrefix) => {
        fc.pre(!text.includes('\0') && toMatchTerms(text).length > 0);
        add.run(1, toSearchText(`before ${text} after`));
        const found = find.all(ftsExpression({ ...phrase(text), form: isPrefix ? 'prefix' : 'phrase' }));
        clear.run();
        expect(found).toEqual([1]);
      }),
      { numRuns: 1000 },
    );
  });

  it('what a scan of the words finds, for any tree of words, phrases and beginnings', () => {
    const words = ['apple', 'pear', 'plum', 'applet', '日', '本'];
    const anyDocument = fc.array(fc.constantFrom(...words), { maxLength: 6 });
    const anyLeaf = fc
      .tuple(
        fc.constantFrom('word' as const, 'phrase' as const, 'prefix' as const),
        fc.array(fc.constantFrom('apple', 'pear', 'pl', 'app', '日', '本'), { minLength: 1, maxLength: 2 }),
      )
      .map(([form, parts]): QueryTree => ({ kind: 'text', form, text: parts.join('-'), start: 0, end: 0 }));
    const anyWords = fc.letrec<{ tree: QueryTree }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        anyLeaf,
        fc.record({ kind: fc.constant('not' as const), child: tie('tree') }),
        fc.record({
          kind: fc.constantFrom('and' as const, 'or' as const),
          children: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
        }) as fc.Arbitrary<QueryTree>,
      ),
    })).tree;
    let answered = 0;
    fc.assert(
      fc.property(fc.array(anyDocument, { minLength: 1, maxLength: 5 }), anyWords, (documents, tree) => {
        const expression = toFtsExpression(tree);
        if (expression === null) return;
        answered += 1;
        for (const [n, document] of documents.entries()) add.run(n + 1, toSearchText(document.join(' ')));
        const found = find.all(expression);
        clear.run();
        const expected = documents.flatMap((document, n) =>
          matches(tree, { text: (leaf) => stands(leaf, document), filter: () => false }) ? [n + 1] : [],
        );
        expect(found).toEqual(expected);
      }),
      { numRuns: 800 },
    );
    expect(answered).toBeGreaterThan(100);
  });
});

/** Whether the parts of a text stand in a document one after the other, the last of a beginning only begun. */
function stands({ form, text }: Text, document: readonly string[]): boolean {
  const parts = text.split('-');
  return document.some((_, at) =>
    parts.every((part, n) => {
      const word = document[at + n];
      const mayGoOn = form === 'prefix' && n === parts.length - 1;
      return mayGoOn ? word?.startsWith(part) === true : word === part;
    }),
  );
}
