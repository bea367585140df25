import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { QueryNode, TextNode } from '../../src/query/ast.js';
import { explain } from '../../src/query/explain.js';
import { ftsExpression } from '../../src/query/fts.js';
import { parseQuery } from '../../src/query/parse.js';
import { highlightPattern, termsOf, toSearchText, withoutAccents } from '../../src/query/terms.js';

const NOW = new Date(2026, 1, 16, 12, 0, 0).getTime(); // a Monday, local time

/** A tree as text: words bare, phrases quoted, prefixes starred, operators as (AND a b). */
function show(node: QueryNode): string {
  switch (node.kind) {
    case 'text':
      return node.form === 'phrase' ? `"${node.text}"` : node.form === 'prefix' ? `${node.text}*` : node.text;
    case 'filter':
      return `${node.name}=${node.values.join('|')}`;
    case 'not':
      return `(NOT ${show(node.child)})`;
    default:
      return `(${[node.kind.toUpperCase(), ...node.children.map(show)].join(' ')})`;
  }
}

function treeOf(text: string): string {
  const parsed = parseQuery(text, NOW);
  return parsed.ok
    ? show(parsed.root)
    : `! ${parsed.problem.start}-${parsed.problem.end} ${parsed.problem.message}`;
}

const UNDERSTOOD: readonly (readonly [string, string])[] = [
  ['', '(AND)'],
  ['   ', '(AND)'],
  ['apple', 'apple'],
  ['apple pear', '(AND apple pear)'],
  ['apple AND pear', '(AND apple pear)'],
  ['apple OR pear', '(OR apple pear)'],
  ['a b OR c d', '(OR (AND a b) (AND c d))'],
  ['a (b OR c)', '(AND a (OR b c))'],
  ['-apple', '(NOT apple)'],
  ['NOT apple', '(NOT apple)'],
  ['a -b', '(AND a (NOT b))'],
  ['-(a OR b) c', '(AND (NOT (OR a b)) c)'],
  ['- apple', '! 0-1 there is no letter or digit in this to search for'],
  ['--force', '--force'],
  ['"exact phrase"', '"exact phrase"'],
  ['-"exact phrase"', '(NOT "exact phrase")'],
  ['pre*', 'pre*'],
  ['foo-ba*', 'foo-ba*'],
  ['foo()', 'foo()'],
  ['(foo())', 'foo()'],
  ['foo(bar) baz', '(AND foo(bar) baz)'],
  [')', '! 0-1 there is no letter or digit in this to search for'],
  ['a)', '"a)"'],
  ['say"hi"', 'say"hi"'],
  ["don't", "don't"],
  ['foo-bar', 'foo-bar'],
  ['src/main.ts', 'src/main.ts'],
  ['/usr/local/bin', '/usr/local/bin'],
  ['/usr/local/', '/usr/local/'],
  ['C:\\x\\y', 'C:\\x\\y'],
  ['https://x.y/z?a=b', 'https://x.y/z?a=b'],
  ['ann@example.org', 'ann@example.org'],
  ['100%', '100%'],
  ['12:30', '12:30'],
  ['std::vector', 'std::vector'],
  ['TODO:fix', 'TODO:fix'],
  ['AND', '"AND"'],
  ['OR', '"OR"'],
  ['a OR', '(AND a "OR")'],
  ['OR a', '(AND "OR" a)'],
  ['a AND', '(AND a "AND")'],
  ['(a OR)', '(AND a "OR")'],
  ['or and not', '(AND or and not)'],
  ['role:user', 'role=user'],
  ['ROLE:user', 'role=user'],
  ['-role:user', '(NOT role=user)'],
  ['role:user,assistant x', '(AND role=user|assistant x)'],
  ['project:"my app"', 'project=my app'],
  ['project:my-app', 'project=my-app'],
  ['in:prose,tools x', '(AND in=prose|tools x)'],
  ['has:image', 'has=image'],
  ['title:a after:2026-02-16', '(AND title=a after=2026-02-16)'],
  ['日本語', '日本語'],
];

const REFUSED: readonly (readonly [string, string])[] = [
  ['"open', '! 0-1 this quotation mark is never closed'],
  ['a "open', '! 2-3 this quotation mark is never closed'],
  ['(a', '! 0-1 this parenthesis is never closed'],
  ['a (b OR (c)', '! 2-3 this parenthesis is never closed'],
  ['()', '! 0-1 there is nothing in these parentheses'],
  ['%%', '! 0-2 there is no letter or digit in this to search for'],
  ['a ->', '! 2-4 there is no letter or digit in this to search for'],
  ['""', '! 0-2 there is no letter or digit in this to search for'],
  ['role:', '! 0-5 role: needs a value'],
  ['x role:""', '! 2-9 role: needs a value'],
  ['roel:user', '! 0-9 there is no filter "roel:"'],
  ['projct:x', '! 0-8 there is no filter "projct:"'],
  ['in:nowhere', '! 3-10 in: does not know "nowhere"'],
  ['is:blue', '! 3-7 is: does not know "blue"'],
  ['after:2026-02-30', '! 6-16 "2026-02-30" is no date'],
  ['on:someday', '! 3-10 "someday" is no date'],
  ['/a.b/', '! 0-5 regular expressions cannot be searched for'],
  ['*end', '! 0-4 words cannot be searched for by their end'],
  ['*part*', '! 0-6 parts of words cannot be searched for'],
  ['is:active', '! 3-9 is:active is not answered here'],
  ['has:branch', '! 4-10 has:branch is not answered here'],
  ['file:main.ts', '! 0-12 the filter "file:" is not answered here'],
];

describe('parseQuery, given a number: what the full-text index answers', () => {
  it.each(UNDERSTOOD)('%j is %s', (text, tree) => {
    expect(treeOf(text)).toBe(tree);
  });

  it.each(REFUSED)('%j is answered: %s', (text, problem) => {
    expect(treeOf(text)).toBe(problem);
  });

  it('never throws, and every problem has a place in the text and a way out', () => {
    const pieces = fc.constantFrom(
      '(',
      ')',
      '"',
      '-',
      'OR',
      'AND',
      'NOT',
      ' ',
      ':',
      'role:',
      'after:',
      '*',
      '/',
      'a',
      ',',
      '\\',
      '\0',
      '😀',
      '日',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (query) => {
        const parsed = parseQuery(query, NOW);
        if (parsed.ok) return;
        const { start, end, hint, message } = parsed.problem;
        expect(start).toBeGreaterThanOrEqual(0);
        expect(end).toBeGreaterThan(start);
        expect(end).toBeLessThanOrEqual(query.length);
        expect(hint.length * message.length).toBeGreaterThan(0);
      }),
      { numRuns: 2000 },
    );
  });

  it('shows the place of a problem beneath the query', () => {
    const parsed = parseQuery('a roel:user b', NOW);
    expect(parsed.ok ? '' : explain('a roel:user b', parsed.problem).split('\n').slice(0, 2)).toEqual([
      '  a roel:user b',
      '    ^^^^^^^^^',
    ]);
  });

  it('answers a thousand parentheses without overflowing the stack', () => {
    expect(treeOf(`${'('.repeat(5000)}a${')'.repeat(5000)}`)).toContain('nested too deeply');
    expect(treeOf('-'.repeat(1) + '(-'.repeat(5000))).toContain('!');
  });
});

describe('dates', () => {
  const day = (month: number, date: number) => new Date(2026, month - 1, date).getTime();
  const DAYS: readonly (readonly [string, number, number])[] = [
    ['2026-02-16', day(2, 16), day(2, 17)],
    ['2026-02', day(2, 1), day(3, 1)],
    ['2026', day(1, 1), new Date(2027, 0, 1).getTime()],
    ['today', day(2, 16), day(2, 17)],
    ['yesterday', day(2, 15), day(2, 16)],
    ['monday', day(2, 9), day(2, 10)],
    ['sun', day(2, 15), day(2, 16)],
    ['now', NOW, NOW],
    ['7d', new Date(2026, 1, 9, 12).getTime(), new Date(2026, 1, 9, 12).getTime()],
    ['12h', NOW - 12 * 3600_000, NOW - 12 * 3600_000],
    ['2w', new Date(2026, 1, 2, 12).getTime(), new Date(2026, 1, 2, 12).getTime()],
    ['3m', new Date(2025, 10, 16, 12).getTime(), new Date(2025, 10, 16, 12).getTime()],
    ['1y', new Date(2025, 1, 16, 12).getTime(), new Date(2025, 1, 16, 12).getTime()],
    ['2026-02-16T10:00:00Z', Date.UTC(2026, 1, 16, 10), Date.UTC(2026, 1, 16, 10, 0, 1)],
  ];

  it.each(DAYS)('after:%s', (text, fromMs, toMs) => {
    const parsed = parseQuery(`after:${text}`, NOW);
    expect(parsed.ok && parsed.root.kind === 'filter' ? parsed.root.intervals : parsed).toEqual([
      { fromMs, toMs },
    ]);
  });
});

describe('terms', () => {
  const db = new Database(':memory:');
  db.exec(
    `CREATE VIRTUAL TABLE t USING fts5(text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2')`,
  );
  const add = db.prepare('INSERT INTO t (rowid, text) VALUES (1, ?)');
  const remove = db.prepare('DELETE FROM t');
  const find = db.prepare('SELECT count(*) FROM t WHERE t MATCH ?').pluck();
  const finds = (text: string, query: TextNode) => {
    add.run(toSearchText(text));
    try {
      return find.get(ftsExpression(query)) === 1;
    } finally {
      remove.run();
    }
  };
  const word = (text: string): TextNode => ({ kind: 'text', form: 'phrase', text, start: 0, end: 0 });

  it('plain text is handed on untouched', () => {
    const text = 'Ünïcode, plain; café — "quotes"';
    expect(toSearchText(text)).toBe(text);
  });

  it.each([
    ['日本語のテキスト', '本語'],
    ['한국어 문장입니다', '문장'],
    ['这是一个测试', '个测'],
    ['สวัสดีครับ', 'วัสดี'],
    ['call getUserById()', 'getuserbyid'],
    ['see src/main.ts:12', 'src/main.ts'],
    ['version 1.2.3 is out', '1.2.3'],
    ['Crème brûlée', 'creme brulee'],
    ['SQLITE_BUSY: locked', 'SQLITE_BUSY'],
    ['mail ann@example.org', 'example.org'],
  ])('in %j, %j is found', (text, part) => {
    expect(finds(text, word(part))).toBe(true);
  });

  it('any text with a letter or digit is found by itself, and no query makes FTS5 fail', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.string({ unit: 'grapheme', maxLength: 30 }),
    );
    fc.assert(
      fc.property(anyText, fc.constantFrom('phrase' as const, 'prefix' as const), (text, form) => {
        const found = finds(`before ${text} after`, { ...word(text), form });
        if (termsOf(text).length > 0 && !text.includes('\0')) expect(found).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['a getUserById b', 'getuserbyid', 'getUserById'],
    ['x Crème brûlée y', 'creme brulee', 'Crème brûlée'],
    ['日本語のテキスト', '本語', '本語'],
    ['foo-bar foobar', 'foo bar', 'foo-bar'],
  ])('in %j, %j is marked', (text, query, marked) => {
    const { index = -1, 0: match = '' } =
      new RegExp(highlightPattern(termsOf(query), false), 'iu').exec(withoutAccents(text)) ?? {};
    expect(text.slice(index, index + match.length)).toBe(marked);
  });
});
