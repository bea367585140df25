import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toMatchTerms, toSearchText } from '../../src/query/terms.js';

const db = new Database(':memory:');
db.exec(`
  CREATE VIRTUAL TABLE t USING fts5(text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2');
  CREATE VIRTUAL TABLE v USING fts5vocab(t, 'instance');
`);
const add = db.prepare('INSERT INTO t (rowid, text) VALUES (?, ?)');
const clear = db.prepare('DELETE FROM t');

/** What FTS5 makes of a text: its tokens in order. */
function tokensOf(text: string): string[] {
  add.run(1, toSearchText(text));
  try {
    return db.prepare('SELECT term FROM v ORDER BY offset').pluck().all() as string[];
  } finally {
    clear.run();
  }
}

/** FTS5 takes a text to its first NUL. */
const anyText = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.string({ unit: 'grapheme', maxLength: 30 }),
    fc
      .array(fc.constantFrom(...'aé\u0301\u0308 日ใ한\u1f914🤔🎉✅_-.₿⏸\u200d\ufe0f\ue000'), {
        maxLength: 12,
      })
      .map((s) => s.join('')),
  )
  .filter((text) => !text.includes('\0'));

describe('the terms of a text', () => {
  it.each([
    ['foo-bar', ['foo', 'bar']],
    ['getUserById', ['getUserById']],
    ['src/a.ts', ['src', 'a', 'ts']],
    ['1.2.3', ['1', '2', '3']],
    ['SQLITE_BUSY', ['SQLITE', 'BUSY']],
    ["don't", ['don', 't']],
    ['ann@example.org', ['ann', 'example', 'org']],
    ['日本語x', ['日', '本', '語', 'x']],
    ['한국어', ['한', '국', '어']],
    ['カタカナ', ['カ', 'タ', 'カ', 'ナ']],
    ['café', ['café']],
    ['done🤔fixed🎉', ['done', 'fixed']],
    ['₿5', ['5']],
    ['%% -> 🎉 🤔 ✅', []],
    ['', []],
  ])('%j are %j', (text, terms) => {
    expect(toMatchTerms(text)).toEqual(terms);
  });

  it('are as many as FTS5 finds in it, and are what FTS5 makes of them', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const terms = toMatchTerms(text);
        const tokens = tokensOf(text);
        expect(terms.length).toBe(tokens.length);
        expect(terms.flatMap(tokensOf)).toEqual(tokens);
      }),
      { numRuns: 1000 },
    );
  });

  it('part at each character of Unicode where FTS5 parts, and nowhere else', () => {
    const insertAll = db.transaction((points: readonly number[]) => {
      for (const point of points) add.run(point, toSearchText(`q${String.fromCodePoint(point)}z`));
    });
    const points: number[] = [];
    // All of the first two planes; of the others, where everything is alike, some.
    for (let point = 1; point <= 0x10ffff; point += point < 0x1_ffff ? 1 : 97) {
      if (point < 0xd800 || point > 0xdfff) points.push(point);
    }
    insertAll(points);
    const counted = db.prepare('SELECT doc, count(*) FROM v GROUP BY doc').raw().all() as [number, number][];
    clear.run();
    const wrong = counted.filter(
      ([point, count]) => toMatchTerms(`q${String.fromCodePoint(point)}z`).length !== count,
    );
    expect(counted.length).toBe(points.length);
    expect(wrong).toEqual([]);
  });
});

describe('the text for the index', () => {
  it.each([
    ['plain ASCII\n\twith "everything" {in: it}\0'],
    ['Ünïcode, café — “quotes” … ┌─┐ → ✓ ✅ Привет Ελληνικά'],
  ])('of %j is the same text', (text) => {
    expect(toSearchText(text)).toBe(text);
  });

  it('is parted right where a long text is worked on in pieces', () => {
    for (const lead of ['', 'a']) {
      const text = `${lead}${'𠀀🤔'.repeat(40_000)}`;
      expect(toMatchTerms(text).filter((term) => term === '𠀀').length).toBe(40_000);
      expect(toSearchText(text)).not.toContain('\ufffd');
    }
  });

  it('has each character of unspaced scripts apart', () => {
    expect(toSearchText('a日本b')).toBe('a 日  本 b');
    for (const run of [
      '漢字',
      'ひら',
      'カナ',
      '한글',
      'ไท',
      'ລາ',
      'ខម',
      'မန',
      'ꧠꧡ',
      'ꩠꩡ',
      '𠀀𠀁',
      '\u{1b002}\u{1b003}',
    ])
      expect([run, toMatchTerms(run).length]).toEqual([run, 2]);
  });
});
