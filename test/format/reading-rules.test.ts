import { describe, expect, it } from 'vitest';
import { loadEntries } from '../../src/format/load.js';
import { losesBytesOnRewrite } from '../../src/format/problem.js';
import { readTitle } from '../../src/format/spellings.js';
import { places, scanEveryWay } from './every-way.js';

const HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/x"}';
const A =
  '{"type":"custom","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","customType":"t"}';
const B =
  '{"type":"custom","id":"b","parentId":"aa","timestamp":"2026-01-01T00:00:02.000Z","customType":"t"}';
/** Of a version 1 file: no id, no parent. */
const V1 =
  '{"type":"message","timestamp":"2025-11-01T00:00:00.000Z","message":{"role":"user","content":"v"}}';
const PART = '{"type":"text","text":"within an entry"}';
/** Bytes of `A` and of `B`. */
const N = A.length;

interface Case {
  readonly file: string | Buffer;
  /** JSON of the objects, in order. */
  readonly objects: readonly string[];
  /** `kind@byteOffset+byteLength:line` */
  readonly problems: readonly string[];
  readonly isTorn?: boolean;
}

describe('lines, however they are cut into chunks', () => {
  it.each<[string, Case]>([
    ['F6: one object a line', { file: `${A}\n${B}\n`, objects: [A, B], problems: [] }],
    ['F7: nothing at all', { file: '', objects: [], problems: [] }],
    [
      'F7: blank lines are noted once, at the first',
      { file: `\n${A}\n \t\n\n${B}\n`, objects: [A, B], problems: ['blank-lines@0+0:1'] },
    ],
    ['F7: a byte order mark', { file: `\ufeff${A}\n`, objects: [A], problems: ['byte-order-mark@0+3:1'] }],
    [
      'F7: a byte order mark and nothing else',
      { file: '\ufeff', objects: [], problems: ['byte-order-mark@0+3:1', 'blank-lines@0+3:1'] },
    ],
    [
      'F7: a byte order mark in the middle, where two files were joined',
      { file: `${A}\n\ufeff${B}\n`, objects: [A, B], problems: [`unparsable@${N + 1}+3:2`] },
    ],
    ['F7: CRLF', { file: `${A}\r\n${B}\r\n`, objects: [A, B], problems: [`carriage-returns@${N}+1:1`] }],
    [
      'F7: a lone CR ends no line: two objects apart by it are glued',
      { file: `${A}\r${B}\n`, objects: [A, B], problems: [`glued@0+${2 * N + 1}:1`] },
    ],
    [
      'F7: a lone CR between two tokens is a blank',
      { file: A.replace(',', ',\r'), objects: [A], problems: [] },
    ],
    [
      'F7: a raw CR or VT within a string is not JSON, and ends no line',
      {
        file: `{"type":"x","t":"a\rb"}\n{"type":"x","t":"a\vb"}\n${A}\n`,
        objects: [A],
        problems: ['unparsable@0+22:1', 'unparsable@23+22:2'],
      },
    ],
    [
      'F7: U+2028, U+2029 and U+0085 within a string end no line and come back unchanged',
      {
        file: '{"type":"x","t":"1\u20282\u20293\u00854"}\n',
        objects: ['{"type":"x","t":"1\u20282\u20293\u00854"}'],
        problems: [],
      },
    ],
    [
      'F7: escapes come back as the same text: CR, VT, NUL, a lone surrogate',
      {
        file: '{"type":"x","t":"\\r\\u000b\\u0000\\ud800."}\n',
        objects: ['{"type":"x","t":"\\r\\u000b\\u0000\\ud800."}'],
        problems: [],
      },
    ],
    [
      'F7: a `__proto__` key is a key like others',
      {
        file: '{"__proto__":{"type":"y"},"type":"x"}\n',
        objects: ['{"__proto__":{"type":"y"},"type":"x"}'],
        problems: [],
      },
    ],
    [
      'F7: an object whose type comes with `__proto__` only has none',
      { file: '{"__proto__":{"type":"y"}}\n', objects: [], problems: ['not-an-entry@0+26:1'] },
    ],
    [
      'F7: a line is an entry when it is an object with a string type',
      {
        file: `7\n"x"\nnull\n[{"type":"x"}]\n{}\n{"type":null}\n${A}\n`,
        objects: [A],
        problems: [
          'not-an-entry@0+1:1',
          'not-an-entry@2+3:2',
          'not-an-entry@6+4:3',
          'not-an-entry@11+14:4',
          'not-an-entry@26+2:5',
          'not-an-entry@29+13:6',
        ],
      },
    ],
    [
      'copilot-cli #2649: an entry over several lines is reported line by line, and what follows is read',
      {
        file: `{"type":"x","t":"one\ntwo\nthree"}\n${A}\n`,
        objects: [A],
        problems: ['unparsable@0+20:1', 'unparsable@21+3:2', 'unparsable@25+7:3'],
      },
    ],
    [
      'F7: bytes that are no UTF-8 are read with U+FFFD, and reported',
      {
        file: Buffer.concat([
          Buffer.from('{"type":"x","t":"'),
          Buffer.from([0xff]),
          Buffer.from(`"}\n${A}\n`),
        ]),
        objects: ['{"type":"x","t":"\ufffd"}', A],
        problems: ['invalid-utf8@0+20:1'],
      },
    ],
    [
      'F7: U+FFFD that was written as such is no problem',
      { file: '{"type":"x","t":"\ufffd"}\n', objects: ['{"type":"x","t":"\ufffd"}'], problems: [] },
    ],
    [
      'F9: a last line without a newline is complete if it parses',
      { file: `${A}\n${B}`, objects: [A, B], problems: [] },
    ],
    [
      'F9: that holds for JSON that is no entry, too',
      { file: `${A}\n[1]`, objects: [A], problems: [`not-an-entry@${N + 1}+3:2`] },
    ],
    [
      'F9: a last line cut off is torn',
      { file: `${A}\n${B.slice(0, 40)}`, objects: [A], problems: [`torn@${N + 1}+40:2`], isTorn: true },
    ],
    [
      'F9: one that was cut off within a character, too',
      {
        file: Buffer.from(`${A}\n{"type":"x","t":"ü`).subarray(0, -1),
        objects: [A],
        problems: [`torn@${N + 1}+18:2`],
        isTorn: true,
      },
    ],
    [
      'F9: cut off behind a glued entry, only the part is torn',
      { file: `${A}${B.slice(0, 40)}`, objects: [A], problems: [`torn@${N}+40:1`], isTorn: true },
    ],
    [
      'F9: a file that ends in NUL bytes, as after a power cut',
      { file: `${A}\n\0\0\0\0`, objects: [A], problems: [`torn@${N + 1}+4:2`], isTorn: true },
    ],
    [
      'a lost newline: each object is an entry',
      { file: `${A}${B}\n${A}\n`, objects: [A, B, A], problems: [`glued@0+${2 * N}:1`] },
    ],
    [
      'a lost newline, blanks between the objects',
      {
        file: `${A} \t${B}\r\n`,
        objects: [A, B],
        problems: [`glued@0+${2 * N + 2}:1`, `carriage-returns@${2 * N + 2}+1:1`],
      },
    ],
    [
      'a lost newline: braces and quotes within strings end nothing',
      {
        file: `{"type":"x","t":"}{\\"}\\\\"}${A}\n`,
        objects: ['{"type":"x","t":"}{\\"}\\\\"}', A],
        problems: [`glued@0+${26 + N}:1`],
      },
    ],
    [
      'F15: glued objects with bytes that are no UTF-8 are reported for them',
      {
        file: Buffer.concat([Buffer.from(`${A}{"type":"x","t":"`), Buffer.from([0xff]), Buffer.from('"}\n')]),
        objects: [A, '{"type":"x","t":"\ufffd"}'],
        problems: [`glued@0+${N + 20}:1`, `invalid-utf8@${N}+20:1`],
      },
    ],
    ['NUL bytes alone', { file: `\0\0\0\n${A}\n`, objects: [A], problems: ['nul-bytes@0+3:1'] }],
    ['NUL bytes before an entry', { file: `\0\0\0${A}\n`, objects: [A], problems: ['nul-bytes@0+3:1'] }],
    [
      'NUL bytes before an entry of version 1, which has no id',
      { file: `\0\0\0${V1}\n`, objects: [V1], problems: ['nul-bytes@0+3:1'] },
    ],
    [
      'NUL bytes before, between and behind entries',
      {
        file: `\0\0${A}\0${B}${A}\0\0\n${B}\n`,
        objects: [A, B, A, B],
        problems: [
          `glued@0+${3 * N + 5}:1`,
          'nul-bytes@0+2:1',
          `nul-bytes@${N + 2}+1:1`,
          `nul-bytes@${3 * N + 3}+2:1`,
        ],
      },
    ],
    [
      'NUL bytes over the head of an entry: what is left of it is no entry',
      {
        file: `\0\0\0${PART},${PART}]}}\n${A}\n`,
        objects: [A],
        problems: [`unparsable@0+${3 + 2 * PART.length + 4}:1`],
      },
    ],
    [
      'half a line, then an entry',
      { file: `${A.slice(0, 30)}${B}\n`, objects: [B], problems: ['unparsable@0+30:1'] },
    ],
    [
      'half a line, then an entry of version 1',
      { file: `${V1.slice(0, 30)}${V1}\n`, objects: [V1], problems: ['unparsable@0+30:1'] },
    ],
    [
      'half a line, then several entries',
      {
        file: `${A.slice(0, 30)}${B}${A}\n`,
        objects: [B, A],
        problems: [`glued@0+${30 + 2 * N}:1`, 'unparsable@0+30:1'],
      },
    ],
    [
      'half a line within a string, then an entry',
      { file: `{"type":"x","t":"half${B}\n`, objects: [B], problems: ['unparsable@0+21:1'] },
    ],
    [
      'a broken escape: the objects within the entry are no entries',
      {
        file: `{"type":"message","message":{"content":["\\*",${PART},${PART}]}}\n${A}\n`,
        objects: [A],
        problems: [`unparsable@0+${47 + 2 * PART.length + 2}:1`],
      },
    ],
    [
      'JSON with spaces and in any order of keys: only the value decides',
      {
        file: '{ "id" : "a" , "t":"\\"type\\":\\"session\\"", "type" : "x" }\n',
        objects: ['{"id":"a","t":"\\"type\\":\\"session\\"","type":"x"}'],
        problems: [],
      },
    ],
  ])('%s', (_, { file, objects, problems, isTorn = false }) => {
    const scanned = scanEveryWay(file);
    expect(scanned.objects.map(({ value }) => JSON.stringify(value))).toEqual(objects);
    expect(places(scanned.problems)).toEqual(problems);
    expect(scanned.end.isTorn).toBe(isTorn);
  });

  it('F7: a problem says nothing of the text', () => {
    const { problems } = scanEveryWay(
      `{"type":"x","secret":swordfish}\nswordfish\n{"swordfish":1}\n{"swordfish`,
    );
    expect(problems).toHaveLength(4);
    expect(problems.map(({ message }) => message).join('\n')).not.toContain('swordfish');
  });

  it('F15: what a rewrite would lose or change is told from what it would keep', () => {
    const { problems } = scanEveryWay(
      Buffer.concat([
        Buffer.from(`\ufeff${A}${B}\r\n\n\0\nnot json\n[1]\n{"type":"x","t":"\\ud800"}\n`),
        Buffer.from('{"\xff":1', 'latin1'),
        Buffer.from(',"type":"x"}\n{"half'),
      ]),
    );
    expect(problems.filter(losesBytesOnRewrite).map(({ kind }) => kind)).toEqual([
      'nul-bytes',
      'unparsable',
      'not-an-entry',
      'invalid-utf8',
      'torn',
    ]);
    expect(
      problems
        .filter((problem) => !losesBytesOnRewrite(problem))
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual(['blank-lines', 'byte-order-mark', 'carriage-returns', 'glued']);
  });
});

/** Lines of the family's agents that we do not write; each is carried as it is. */
const CARRIED: readonly [string, string][] = [
  [
    'pi: model_change of provider and modelId',
    '{"type":"model_change","id":"m","parentId":null,"timestamp":"t","provider":"p","modelId":"m"}',
  ],
  [
    'omp: a model with its level',
    '{"type":"model_change","id":"m","parentId":null,"timestamp":"t","model":"p/m:high"}',
  ],
  [
    'thinking_level_change: configured, level null',
    '{"type":"thinking_level_change","id":"m","parentId":null,"timestamp":"t","thinkingLevel":null,"configured":"auto"}',
  ],
  ['pi: session_info', '{"type":"session_info","id":"m","parentId":null,"timestamp":"t","name":"N"}'],
  ['omp: title_change', '{"type":"title_change","title":"T","previousTitle":"P","source":"user"}'],
  [
    'compaction: fromHook, tokensAfter, an index in a v3 file',
    '{"type":"compaction","id":"m","parentId":null,"timestamp":"t","summary":"s","firstKeptEntryIndex":2,"fromHook":true,"tokensAfter":3,"method":"x"}',
  ],
  [
    'omp: model_usage',
    '{"type":"model_usage","id":"m","purpose":"title","provider":"p","model":"m","usage":{"input":1}}',
  ],
  [
    'prime-agent: child_usage_attributed',
    '{"type":"child_usage_attributed","id":"m","parentId":null,"timestamp":"t","childUsage":{"input":1}}',
  ],
  ['pi: leaf without id, parent or time', '{"type":"leaf","targetId":"a"}'],
  ['omp: reset_boundary', '{"type":"reset_boundary","id":"m","parentId":null,"timestamp":"t"}'],
  ['another type', '{"type":"credential_pin","provider":"p"}'],
  ['an entry without an id', '{"type":"custom","customType":"t"}'],
  [
    'an id of 40 hex digits, no parentId',
    `{"type":"custom","id":"${'0a'.repeat(20)}","customType":"t","payload":1}`,
  ],
  ['a label that is null', '{"type":"label","id":"m","parentId":null,"targetId":"a","label":null}'],
  ['content null', '{"type":"message","id":"m","parentId":null,"message":{"role":"user","content":null}}'],
  ['a message that is null', '{"type":"message","id":"m","parentId":null,"message":null}'],
  ['another role', '{"type":"message","id":"m","parentId":null,"message":{"role":"oracle","content":"x"}}'],
  [
    'times as ms, in 2099, absent',
    '{"type":"custom","id":"m","parentId":null,"timestamp":4070908800000,"customType":"t"}',
  ],
  ['a second header', '{"type":"session","version":3,"id":"other","timestamp":"t","cwd":"/y"}'],
  [
    'keys in another order, unknown ones between',
    '{"z":0,"timestamp":"t","parentId":null,"__proto__":1,"id":"m","more":{"b":1,"a":2},"type":"custom"}',
  ],
];

describe('spellings in a file', () => {
  it.each(CARRIED)('F10: carried as it is: %s', (_, line) => {
    const loaded = loadEntries([Buffer.from(`${HEADER}\n${A}\n${line}\n`)]);
    expect(loaded.kind).toBe('session');
    expect(loaded.problems).toEqual([]);
    expect(loaded.entries.map((entry) => JSON.stringify(entry))).toEqual([HEADER, A, line]);
  });

  it('F10: a duplicate id: both entries stay, in file order', () => {
    expect(loadEntries([Buffer.from(`${HEADER}\n${A}\n${A}\n`)]).entries).toHaveLength(3);
  });

  it.each([
    [
      'padded to 256 bytes',
      `{"type":"title","v":1,"title":"T","source":"user","updatedAt":"t","pad":"${' '.repeat(182)}"}`,
    ],
    ['short, without pad', '{"type":"title","v":1,"title":"T","updatedAt":"t"}'],
    ['its keys in another order', '{"title":"T","updatedAt":"t","type":"title"}'],
    ['without a title', '{"type":"title","v":1,"title":""}'],
  ])('omp: a title slot before the header, %s, is no entry', (_, slot) => {
    const loaded = loadEntries([Buffer.from(`${slot}\n${HEADER}\n${A}\n`)]);
    expect(loaded.kind).toBe('session');
    expect(loaded.titleSlot?.place).toEqual({ byteOffset: 0, byteLength: slot.length });
    expect(JSON.stringify(loaded.titleSlot?.value)).toBe(slot);
    expect(loaded.entries.map((entry) => JSON.stringify(entry))).toEqual([HEADER, A]);
  });

  it('a title slot with a parent is an entry: the file has no header', () => {
    const loaded = loadEntries([
      Buffer.from(`{"type":"title","title":"T","id":"t","parentId":null}\n${HEADER}\n`),
    ]);
    expect([loaded.kind, loaded.titleSlot, loaded.entries]).toEqual(['headerless', undefined, []]);
  });

  it('title_change and session_info: an empty or missing title clears', () => {
    const read = (entry: Record<string, unknown>) => readTitle(entry)?.title;
    expect(read({ type: 'title_change', title: 'T', previousTitle: 'P' })).toBe('T');
    expect(read({ type: 'title_change' })).toBe('');
    expect(read({ type: 'session_info', name: '' })).toBe('');
    expect(read({ type: 'session_info', name: null })).toBe('');
    expect(read({ type: 'title', title: 'slot' })).toBeUndefined();
  });
});
