import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { QueryTree } from '../../src/query/ast.js';
import { explain } from '../../src/query/explain.js';
import { FILTER_NAMES } from '../../src/query/filters.js';
import { parseQuery } from '../../src/query/parse.js';
import { printQuery } from '../../src/query/print.js';
import { simplify } from '../../src/query/simplify.js';
import { matches } from '../../src/query/tree-queries.js';
import { anyQuery, anyTree } from './generators.js';

const CONTEXT = { now: new Date('2026-02-16T12:00:00Z'), timeZone: 'Europe/Berlin' };

/** A tree with its structure in view: w(ord), p(hrase), b(eginning), s(ubstring), r(egex), filters as name=a|b. */
function show(node: QueryTree): string {
  switch (node.kind) {
    case 'text': {
      const letter = { word: 'w', phrase: 'p', prefix: 'b', substring: 's', regex: 'r' }[node.form];
      return `${letter}<${node.text}>${node.flags ?? ''}`;
    }
    case 'filter':
      return `${node.name}=${node.values.join('|')}`;
    case 'not':
      return `not(${show(node.child)})`;
    default:
      return `${node.kind}(${node.children.map(show).join(' ')})`;
  }
}

function treeOf(text: string): string {
  const parsed = parseQuery(text, CONTEXT);
  if (parsed.ok) return show(parsed.query.root);
  const { start, end, message } = parsed.problem;
  return `! ${start}-${end} ${message}`;
}

function hintOf(text: string): string {
  const parsed = parseQuery(text, CONTEXT);
  return parsed.ok ? '(understood)' : parsed.problem.hint;
}

describe('the language', () => {
  it.each([
    // words and phrases
    ['', 'and()'],
    [' \n\t ', 'and()'],
    ['apple', 'w<apple>'],
    ['apple pear', 'and(w<apple> w<pear>)'],
    ["don't", "w<don't>"],
    ['foo-bar', 'w<foo-bar>'],
    ['src/main.ts', 'w<src/main.ts>'],
    ['/usr/local/bin', 'w</usr/local/bin>'],
    ['/usr/local/', 'w</usr/local/>'],
    ['C:\\x\\y', 'w<C:\\x\\y>'],
    ['https://x.y/z?a=b', 'w<https://x.y/z?a=b>'],
    ['file:///home/a.ts', 'w<file:///home/a.ts>'],
    ['ann@example.org', 'w<ann@example.org>'],
    ['100% done', 'and(w<100%> w<done>)'],
    ['12:30', 'w<12:30>'],
    ['std::vector', 'w<std::vector>'],
    ['session::open', 'w<session::open>'],
    ['TODO:fix', 'w<TODO:fix>'],
    ['TODO:"fix this" now', 'and(w<TODO:"fix this"> w<now>)'],
    ['node:fs', 'w<node:fs>'],
    ['version:1.2', 'w<version:1.2>'],
    ['roel:', 'w<roel:>'],
    ['foo()', 'w<foo()>'],
    ['(foo(bar) baz)', 'and(w<foo(bar)> w<baz>)'],
    ['5" tall', 'and(w<5"> w<tall>)'],
    ['"exact phrase"', 'p<exact phrase>'],
    ['"say ""hi"" now"', 'p<say "hi" now>'],
    ['""', 'p<>'],
    ['%% -> 🎉', 'and(w<%%> w<-\u003e> w<🎉>)'],
    ['日本語 getUserById', 'and(w<日本語> w<getUserById>)'],
    // minus
    ['-apple', 'not(w<apple>)'],
    ['NOT apple', 'not(w<apple>)'],
    ['NOT -apple', 'w<apple>'],
    ['--force', 'w<--force>'],
    ['NOT --force', 'not(w<--force>)'],
    ['- apple', 'and(w<-> w<apple>)'],
    ['-"a b"', 'not(p<a b>)'],
    ['-日本', 'not(w<日本>)'],
    ['-𝐀', 'not(w<𝐀>)'],
    // operators and grouping
    ['apple AND pear', 'and(w<apple> w<pear>)'],
    ['a b OR c d', 'or(and(w<a> w<b>) and(w<c> w<d>))'],
    ['a (b OR c)', 'and(w<a> or(w<b> w<c>))'],
    ['a (b (c d))', 'and(w<a> w<b> w<c> w<d>)'],
    ['-(a OR b)', 'not(or(w<a> w<b>))'],
    ['a a A', 'and(w<a> w<A>)'],
    ['(a b) OR (a b)', 'and(w<a> w<b>)'],
    ['or and not', 'and(w<or> w<and> w<not>)'],
    ['AND', 'p<AND>'],
    ['OR', 'p<OR>'],
    ['a OR', 'and(w<a> p<OR>)'],
    ['OR a', 'and(p<OR> w<a>)'],
    ['a AND AND b', 'and(w<a> p<AND> w<b>)'],
    ['NOT', 'p<NOT>'],
    ['(a OR)', 'and(w<a> p<OR>)'],
    [')', 'p<)>'],
    ['a)', 'p<a)>'],
    ['a:" b', 'and(p<a:"> w<b>)'],
    ['foo(bar baz', 'and(p<foo(bar> w<baz>)'],
    // stars and slashes
    ['pre*', 'b<pre>'],
    ['foo-ba**', 'b<foo-ba>'],
    ['"foo ba"*', 'b<foo ba>'],
    ['*part*', 's<part>'],
    ['**bold**', 's<bold>'],
    ['*"two words"*', 's<two words>'],
    ['*', 'w<*>'],
    ['a*b', 'w<a*b>'],
    ['/a.b/', 'r<a.b>i'],
    ['/a b/ c', 'and(r<a b>i w<c>)'],
    ['/A/s', 'r<A>s'],
    ['/a\\/b[/]c/', 'r<a\\/b[/]c>i'],
    ['-/x+/', 'not(r<x+>i)'],
    ['(/a)/ OR b)', "! 1-5 this is no regular expression: Unmatched ')'"],
    ['//', 'w<//>'],
    ['// note', 'and(w<//> w<note>)'],
    ['/usr/vim', 'w</usr/vim>'],
    // filters
    ['role:user', 'role=user'],
    ['ROLE:User', 'role=user'],
    ['role:tool', 'role=toolResult'],
    ['role:TOOLRESULT,bash', 'role=toolResult|bashExecution'],
    ['role:reviewer', 'role=reviewer'],
    ['role:"usr"', 'role=usr'],
    ['-role:user', 'not(role=user)'],
    ['role:user OR role:assistant', 'role=user|assistant'],
    ['role:user role:assistant', 'and(role=user role=assistant)'],
    ['project:"my app",other', 'project=my app|other'],
    ['project:"a ""b"""', 'project=a "b"'],
    ['title:a:b', 'title=a:b'],
    ['file:main.ts', 'file=main.ts'],
    ['IS:Active has:branch', 'and(is=active has=branch)'],
    ['in:prose,tools x', 'and(in=prose|tools w<x>)'],
    ['(in:prose)', 'in=prose'],
    ['session:8d1f after:2026-02', 'and(session=8d1f after=2026-02)'],
  ])('%j is %s', (text, tree) => {
    expect(treeOf(text)).toBe(tree);
  });

  it.each([
    ['"open', '! 0-1 this quotation mark is never closed', 'Close it with ", or leave it out.'],
    ['a "open', '! 2-3 this quotation mark is never closed', 'Close it with ", or leave it out.'],
    ['project:"my app', '! 8-9 this quotation mark is never closed', 'Close it with ", or leave it out.'],
    ['(a', '! 0-1 this parenthesis is never closed', 'Close it with ")", or leave it out.'],
    ['a (b OR (c)', '! 2-3 this parenthesis is never closed', 'Close it with ")", or leave it out.'],
    ['()', '! 0-1 there is nothing in these parentheses', 'Leave them out, or put words between them.'],
    [
      'x roel:user',
      '! 2-11 there is no filter "roel:"',
      'Did you mean role:user? To search for the text, quote it: "roel:user".',
    ],
    ['befroe:7d', '! 0-9 there is no filter "befroe:"', /^Did you mean before:7d\?/],
    ['role:', '! 0-5 role: needs a value', /^For example role:user, without a blank\./],
    ['role:,', '! 0-6 role: needs a value', /^For example role:user/],
    ['role:user,asistant', '! 10-18 there is no usual role "asistant"', /^Did you mean role:assistant\?/],
    ['role:usr', '! 5-8 there is no usual role "usr"', /^Did you mean role:user\?.*role:"usr"/],
    ['is:blue', '! 3-7 is: does not know "blue"', /It takes active, abandoned, compacted, error, fork\./],
    ['in:prose,nowhere', '! 9-16 in: does not know "nowhere"', /It takes prose, thinking, tools\./],
    ['in:tool', '! 3-7 in: does not know "tool"', /^Did you mean in:tools\?/],
    ['has:flag', '! 4-8 has: does not know "flag"', /It takes image, label, branch\./],
    ['after:2026-02-30', '! 6-16 "2026-02-30" is no date', /^2026-02 has 28 days\./],
    ['after:2026-13', '! 6-13 "2026-13" is no date', /^Months go from 01 to 12\./],
    ['on:2026-2-5', '! 3-11 "2026-2-5" is no date', 'Did you mean 2026-02-05?'],
    ['on:2026/02/16', '! 3-13 "2026/02/16" is no date', 'Did you mean 2026-02-16?'],
    ['on:today,someday', '! 9-16 "someday" is no date', /^Give a date such as/],
    ['on:2026-02-16T25:00', '! 3-19 "2026-02-16T25:00" is no date', /^Give a date such as/],
    [
      'on:7d',
      '! 3-5 on: takes a day, a month or a year, and "7d" is a moment',
      'For all since then, after:7d. For that day, on:2026-02-09.',
    ],
    ['*end', '! 0-4 words cannot be searched for by their end', /\*end\*.*"\*end"/],
    ['/a(/', '! 0-4 this is no regular expression: Unterminated group', /quote it: "\/a\(\/"/],
  ])('%j is answered: %s', (text, problem, hint) => {
    expect(treeOf(text)).toBe(problem);
    if (typeof hint === 'string') expect(hintOf(text)).toBe(hint);
    else expect(hintOf(text)).toMatch(hint);
  });

  it('what a hint says would work does', () => {
    for (const query of [
      'x role:user',
      '"roel:user"',
      'before:7d',
      'role:"usr"',
      'on:2026-02-09',
      '*end*',
      '"/a(/"',
    ])
      expect([query, parseQuery(query, CONTEXT).ok]).toEqual([query, true]);
  });

  it.each(FILTER_NAMES)(
    '%s: is near enough to be asked back when two of its letters are exchanged',
    (name) => {
      const typo = `${name.slice(0, -2)}${name.at(-1)}${name.at(-2)}`;
      const expected = name.length < 4 ? '(understood)' : `Did you mean ${name}:user?`;
      expect(hintOf(`${typo}:user`).slice(0, expected.length)).toBe(expected);
    },
  );

  it('misuse is a TypeError: no such zone, no such time', () => {
    expect(() => parseQuery('a', { now: new Date(0), timeZone: 'Mars/Olympus' })).toThrow(TypeError);
    expect(() => parseQuery('a', { now: new Date(Number.NaN) })).toThrow(TypeError);
  });
});

describe('any text at all', () => {
  it('is understood, or answered with a place in it, a reason and a way out', () => {
    fc.assert(
      fc.property(anyQuery, (text) => {
        const parsed = parseQuery(text, CONTEXT);
        if (parsed.ok) return;
        const { start, end, message, hint } = parsed.problem;
        expect(start).toBeGreaterThanOrEqual(0);
        expect(end).toBeGreaterThan(start);
        expect(end).toBeLessThanOrEqual(text.length);
        expect(message.length * hint.length).toBeGreaterThan(0);
        expect(explain(text, parsed.problem).split('\n').slice(0, 2).join('')).toContain('^');
      }),
      { numRuns: 1500 },
    );
  });

  it('is parsed without overflowing the stack', () => {
    expect(treeOf(`${'('.repeat(5000)}a${')'.repeat(5000)}`)).toContain('nested too deeply');
    expect(treeOf('(-'.repeat(5000))).toContain('!');
    expect(treeOf('NOT '.repeat(5000))).toContain('nested too deeply');
    expect(treeOf('a '.repeat(20_000))).toBe('w<a>');
  });
});

/** Positions apart. */
const bare = (node: QueryTree) =>
  JSON.parse(JSON.stringify(node, (key, value) => (key === 'start' || key === 'end' ? undefined : value)));

function rootOf(text: string): QueryTree | undefined {
  const parsed = parseQuery(text, CONTEXT);
  return parsed.ok ? parsed.query.root : undefined;
}

describe('the canonical text', () => {
  it('of what was understood is understood as the same, and is its own canonical text', () => {
    fc.assert(
      fc.property(anyQuery, (text) => {
        const root = rootOf(text);
        if (!root) return;
        const again = rootOf(printQuery(root));
        expect(again && bare(again)).toEqual(bare(root));
        expect(again && printQuery(again)).toBe(printQuery(root));
      }),
      { numRuns: 1500 },
    );
  });

  it('of any simplified tree, whatever its texts, is understood as that tree', () => {
    fc.assert(
      fc.property(anyTree, (tree) => {
        const simple = simplify(tree);
        const again = rootOf(printQuery(simple));
        expect(again && bare(again)).toEqual(bare(simple));
      }),
      { numRuns: 800 },
    );
  });

  it.each([
    ['a AND (b OR c)', 'a (b OR c)'],
    ['NOT (a b)', '-(a b)'],
    ['(a b) OR c', 'a b OR c'],
    ['NOT --force', 'NOT --force'],
    ['NOT %x', 'NOT %x'],
    ['AND', '"AND"'],
    ['Role:Tool', 'role:toolResult'],
    ['project:"plain"', 'project:plain'],
    ['project:"a,b"', 'project:"a,b"'],
    ['"foo"*', 'foo*'],
    ['"role:x"*', '"role:x"*'],
    ['/a/i', '/a/'],
  ])('of %j is %j', (text, canonical) => {
    expect(printQuery(rootOf(text) as QueryTree)).toBe(canonical);
  });
});

describe('simplifying', () => {
  it('changes no answer, and nothing the second time', () => {
    fc.assert(
      fc.property(anyTree, fc.func(fc.boolean()), (tree, holds) => {
        const world = {
          text: (leaf: { form: string; text: string }) => holds(leaf.form, leaf.text),
          filter: (leaf: { name: string; values: readonly string[] }) =>
            leaf.values.some((value) => holds(leaf.name, value)),
        };
        const simple = simplify(tree);
        expect(matches(simple, world)).toBe(matches(tree, world));
        expect(simplify(simple)).toEqual(simple);
      }),
      { numRuns: 800 },
    );
  });
});

describe('explain', () => {
  const linesOf = (text: string, start: number, end: number) =>
    explain(text, { start, end, message: 'm', hint: 'Do this.' }).split('\n');

  it('marks the place beneath the query, in one line, and says what would work', () => {
    expect(linesOf('a\n"b', 2, 3)).toEqual(['  a "b', '    ^', 'Do this.']);
  });

  it('counts characters as a terminal shows them', () => {
    expect(linesOf('日本 "b', 3, 4)[1]).toBe('       ^');
    expect(linesOf('e\u0301 "b', 3, 4)[1]).toBe('    ^');
    expect(linesOf('😀 "b', 3, 4)[1]).toBe('     ^');
  });

  it('shows nothing that a terminal would obey', () => {
    expect(linesOf('\u001b[2J\u202e "b', 6, 7)[0]).toBe('  \ufffd[2J\ufffd "b');
  });

  it('shows the neighbourhood of a problem in a long query', () => {
    const [query = '', mark = ''] = linesOf(`${'x '.repeat(1000)}"b${' y'.repeat(1000)}`, 2000, 2001);
    expect(query.length).toBeLessThan(140);
    expect(query[mark.indexOf('^')]).toBe('"');
  });
});
