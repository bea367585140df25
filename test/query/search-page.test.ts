import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { INDEX_ANSWERS } from '../../src/query/answers.js';
import { parseQuery } from '../../src/query/parse.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/search.md'), 'utf8');
const CONTEXT = { now: new Date('2026-02-16T12:00:00Z') };

const blocks = [...page.matchAll(/```query\n([\s\S]*?)```/g)].map(([, block = '']) =>
  block.trim().split('\n'),
);

describe('the page on the search language', () => {
  it('has queries, and each of them is understood', () => {
    const queries = blocks.flat();
    expect(queries.length).toBeGreaterThan(10);
    for (const query of queries)
      expect([query, parseQuery(query, CONTEXT)]).toMatchObject([query, { ok: true }]);
  });

  it('names every value that the index answers of the filters that take a list', () => {
    for (const [name, values] of Object.entries(INDEX_ANSWERS.filters)) {
      if (typeof values === 'string') continue;
      for (const value of values) {
        const isNamed =
          page.includes(`\`${name}:${value}\``) || (name === 'in' && page.includes(`\`${value}\``));
        expect([name, value, isNamed]).toEqual([name, value, true]);
      }
    }
  });

  it('gives the answer to its query that is not understood', () => {
    const parsed = parseQuery('roel:user', CONTEXT);
    const { message = '', hint = '' } = parsed.ok ? {} : parsed.problem;
    expect(page).toContain(`sessiondex: ${message}\n  roel:user\n  ^^^^^^^^^\n${hint}\n`);
  });
});
