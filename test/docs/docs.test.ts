import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands/registry.js';
import { ERROR_CODES } from '../../src/errors.js';
import { INDEX_ANSWERS } from '../../src/query/answers.js';
import { parseQuery } from '../../src/query/parse.js';

const read = (name: string) => readFileSync(join(import.meta.dirname, '../..', name), 'utf8');

describe('the documentation', () => {
  it('explains every error code, and no other', () => {
    const documented = [...read('docs/errors.md').matchAll(/^\| `([A-Z_]+)`/gm)].map(([, code]) => code);
    expect(documented.toSorted()).toEqual([...ERROR_CODES].toSorted());
  });

  it('has only queries that are understood', () => {
    const [, block = ''] = /```query\n([\s\S]*?)```/.exec(read('docs/search.md')) ?? [];
    const queries = block.trim().split('\n');
    expect(queries.length).toBeGreaterThan(5);
    for (const query of queries) expect([query, parseQuery(query, 0).ok]).toEqual([query, true]);
  });

  it('explains every filter', () => {
    const page = read('docs/search.md');
    for (const name of Object.keys(INDEX_ANSWERS.filters))
      expect([name, page.includes(`\`${name}:`)]).toEqual([name, true]);
  });

  it('names every command in the README', () => {
    const readme = read('README.md');
    for (const { name } of COMMANDS) expect([name, readme.includes(`| \`${name}`)]).toEqual([name, true]);
  });
});
