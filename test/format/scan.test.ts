import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TypedObject } from '../../src/format/json.js';
import { loadEntries } from '../../src/format/load.js';
import type { Problem } from '../../src/format/problem.js';
import { FileScanner } from '../../src/format/scan.js';

interface Scanned {
  readonly objects: readonly {
    readonly value: TypedObject;
    readonly byteOffset: number;
    readonly byteLength: number;
    readonly line: number;
  }[];
  readonly problems: readonly Problem[];
  readonly endsWithNewline: boolean;
  readonly isTorn: boolean;
}

function scan(bytes: Buffer, chunkBytes: number, maxLineBytes?: number): Scanned {
  const objects: Scanned['objects'][number][] = [];
  const problems: Problem[] = [];
  const scanner = new FileScanner(
    {
      object: (value, byteOffset, byteLength, line) => objects.push({ value, byteOffset, byteLength, line }),
      problem: (problem) => problems.push(problem),
    },
    maxLineBytes,
  );
  // One buffer for every chunk, as readers do: nothing may be kept of it.
  const chunk = Buffer.alloc(chunkBytes);
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const length = bytes.copy(chunk, 0, at, at + chunkBytes);
    scanner.push(chunk.subarray(0, length));
    chunk.fill(0x7b);
  }
  const { endsWithNewline, isTorn } = scanner.finish();
  return { objects, problems, endsWithNewline, isTorn };
}

/** One expectation through every way of reading. */
function expectScan(text: string | Buffer, expected: (scanned: Scanned) => void): void {
  const bytes = Buffer.from(text as string);
  for (const chunkBytes of [1, 2, 3, 4, 5, 6, 7, 64, Math.max(1, bytes.length)])
    expected(scan(bytes, chunkBytes));
}

const entry = (id: string) =>
  `{"type":"custom","id":"${id}","parentId":null,"timestamp":"2026-01-01T00:00:00Z"}`;
const ids = ({ objects }: Scanned) => objects.map(({ value }) => value['id']);
const kinds = ({ problems }: Scanned) =>
  problems.map(({ kind, byteOffset, line }) => `${kind}@${byteOffset}:${line}`);

describe('scanning', () => {
  it('F6: one object a line', () => {
    expectScan(`${entry('a')}\n${entry('b')}\n`, (scanned) => {
      expect(ids(scanned)).toEqual(['a', 'b']);
      expect(scanned.objects.map(({ byteOffset, line }) => [byteOffset, line])).toEqual([
        [0, 1],
        [entry('a').length + 1, 2],
      ]);
      expect([scanned.problems, scanned.endsWithNewline, scanned.isTorn]).toEqual([[], true, false]);
    });
  });

  it('F7: blank lines, a BOM and CRLF are skipped, reported once with the first place, and framed out', () => {
    expectScan(`\ufeff${entry('a')}\r\n\r\n  \n${entry('b')}\r\n`, (scanned) => {
      expect(ids(scanned)).toEqual(['a', 'b']);
      expect(scanned.objects[0]).toMatchObject({ byteOffset: 3, byteLength: entry('a').length });
      const first = entry('a').length + 3;
      expect(kinds(scanned)).toEqual([
        'byte-order-mark@0:1',
        `carriage-returns@${first}:1`,
        `blank-lines@${first + 2}:2`,
      ]);
      expect(scanned.problems[2]?.message).toContain('2 lines');
    });
  });

  it('copilot-cli #2012, pi #1911: only \\n ends a line', () => {
    const text = `{"type":"x","id":"a","t":"\u2028 \u2029 \u0085 \u000b"}`.replace('\u000b', '\\u000b');
    expectScan(`${text}\n`, (scanned) =>
      expect(scanned.objects[0]?.value['t']).toBe('\u2028 \u2029 \u0085 \u000b'),
    );
    expectScan(`{"type":"x",\r"id":"a"}\n`, (scanned) => expect(ids(scanned)).toEqual(['a']));
  });

  it('F7, claude-code #50347: lines that do not parse are reported with number and byte, and what follows is read', () => {
    const lines = [
      entry('a'),
      'not json',
      '{"half":',
      '[1]',
      '7',
      '{"id":"no type"}',
      '{"type":7}',
      entry('b'),
    ];
    const offset = (n: number) => lines.slice(0, n).join('\n').length + 1;
    expectScan(`${lines.join('\n')}\n`, (scanned) => {
      expect(ids(scanned)).toEqual(['a', 'b']);
      expect(kinds(scanned)).toEqual([
        `unparsable@${offset(1)}:2`,
        `unparsable@${offset(2)}:3`,
        `not-an-entry@${offset(3)}:4`,
        `not-an-entry@${offset(4)}:5`,
        `not-an-entry@${offset(5)}:6`,
        `not-an-entry@${offset(6)}:7`,
      ]);
    });
  });

  it('F9: a last line without newline counts when it parses, and is torn when it does not', () => {
    expectScan(`${entry('a')}\n${entry('b')}`, (scanned) => {
      expect([ids(scanned), scanned.endsWithNewline, scanned.isTorn]).toEqual([['a', 'b'], false, false]);
    });
    expectScan(`${entry('a')}\n${entry('b').slice(0, -3)}`, (scanned) => {
      expect([ids(scanned), scanned.endsWithNewline, scanned.isTorn]).toEqual([['a'], false, true]);
      expect(kinds(scanned)).toEqual([`torn@${entry('a').length + 1}:2`]);
    });
  });

  it('a lost newline: each object on the line is an entry, and it is reported', () => {
    expectScan(`${entry('a')}${entry('b')} ${entry('c')}\n${entry('d')}\n`, (scanned) => {
      expect(ids(scanned)).toEqual(['a', 'b', 'c', 'd']);
      expect(kinds(scanned)).toEqual(['glued@0:1']);
      expect(scanned.objects.map(({ byteOffset }) => byteOffset).slice(0, 3)).toEqual([
        0,
        entry('a').length,
        2 * entry('a').length + 1,
      ]);
    });
  });

  it('a run of NUL bytes, alone or before an entry, and half a line before one', () => {
    expectScan(
      `${'\0'.repeat(9)}\n${'\0'.repeat(5)}${entry('a')}\n{"type":"message","id":"x","par${entry('b')}\n`,
      (scanned) => {
        expect(ids(scanned)).toEqual(['a', 'b']);
        expect(scanned.problems.map(({ kind }) => kind)).toEqual(['nul-bytes', 'nul-bytes', 'unparsable']);
      },
    );
  });

  it('objects within a damaged entry are no entries', () => {
    const damaged =
      '{"type":"message","id":"x","message":{"content":[{"type":"text","text":"\\*"},{"type":"text","text":"b"}]}}';
    expectScan(`${damaged}\n${entry('a')}\n`, (scanned) => {
      expect(ids(scanned)).toEqual(['a']);
      expect(kinds(scanned)).toEqual(['unparsable@0:1']);
    });
  });

  it('F7: a line over the limit is skipped and reported, and what follows is read', () => {
    const bytes = Buffer.from(`${entry('a')}\n${'x'.repeat(500)}\n${entry('b')}\n${'y'.repeat(500)}`);
    for (const chunkBytes of [1, 7, 100, 5000]) {
      const scanned = scan(bytes, chunkBytes, 200);
      expect(ids(scanned)).toEqual(['a', 'b']);
      expect(kinds(scanned)).toEqual([
        `too-long@${entry('a').length + 1}:2`,
        `too-long@${2 * entry('a').length + 503}:4`,
      ]);
      expect(scanned.isTorn).toBe(true);
    }
  });

  it('every string that JSON can hold comes back the same', () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 });
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.oneof(text, fc.constant('__proto__')), text), { maxLength: 5 }),
        fc.integer({ min: 1, max: 40 }),
        (values, chunkBytes) => {
          const lines = values.map((value) => JSON.stringify({ ...value, type: 'x' }));
          const { objects } = scan(Buffer.from(lines.map((line) => `${line}\n`).join('')), chunkBytes);
          expect(objects.map(({ value }) => JSON.stringify(value))).toEqual(lines);
        },
      ),
    );
  });

  it('any bytes: places frame what was read, nothing overlaps, and chunks make no difference', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        entry('a'),
        entry('b'),
        '\n',
        '\n\n',
        '\r\n',
        '\0\0',
        '{',
        '}',
        '{"type":"x"}',
        '"',
        '\\',
        '\ufeff',
        'ü',
        '😀',
      ),
      fc.string({ unit: 'binary', maxLength: 5 }),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 14 }),
        fc.integer({ min: 1, max: 9 }),
        (pieces, chunkBytes) => {
          const bytes = Buffer.from(pieces.join(''));
          const whole = scan(bytes, Math.max(1, bytes.length));
          expect(scan(bytes, chunkBytes)).toEqual(whole);
          let end = 0;
          for (const { value, byteOffset, byteLength } of whole.objects) {
            expect(byteOffset).toBeGreaterThanOrEqual(end);
            end = byteOffset + byteLength;
            expect(JSON.parse(bytes.toString('utf8', byteOffset, end))).toEqual(value);
          }
          // Whatever a plain reading finds is found.
          const plain = bytes
            .toString('utf8')
            .replace(/^\ufeff/, '')
            .split('\n')
            .flatMap((line) => {
              try {
                const value = JSON.parse(line.replace(/^[\t\r ]+|[\t\r ]+$/g, ''));
                return typeof value?.type === 'string' ? [value] : [];
              } catch {
                return [];
              }
            });
          const found = whole.objects.map(({ value }) => JSON.stringify(value));
          for (const value of plain) expect(found).toContain(JSON.stringify(value));
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('loading', () => {
  const header = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/x"}';
  const load = (text: string) => loadEntries([Buffer.from(text)]);

  it.each([
    ['', 'empty'],
    ['\n\n', 'empty'],
    [`${entry('a')}\n${header}\n`, 'headerless'],
    ['{"type":"session","id":7}\n', 'foreign'],
    ['{"type":"user","uuid":"u","sessionId":"s"}\n', 'foreign'],
    ['{"timestamp":"x","type":"session_meta","payload":{}}\n', 'foreign'],
    [`${header}\n{"type":"agent_start"}\n{"type":"message_start","message":{"role":"user"}}\n`, 'look-alike'],
    ['plain text\n', 'unparsable'],
    ['{"type":"title","v":1,"title":"T"}\n', 'headerless'],
  ])('F8: %j is %s, and loads as []', (text, kind) => {
    const loaded = load(text);
    expect([loaded.kind, loaded.entries]).toEqual([kind, []]);
    expect(loaded.reason).toMatch(/\w/);
  });

  it('F8, omp: a title slot, the header on the second line, a damaged line before it', () => {
    const slot = '{"type":"title","v":1,"title":"T","pad":"  "}';
    const loaded = load(`${slot}\nnot json\n${header}\n${entry('a')}\n`);
    expect(loaded.kind).toBe('session');
    expect(loaded.titleSlot).toMatchObject({
      value: { title: 'T' },
      place: { byteOffset: 0, byteLength: slot.length },
    });
    expect(loaded.entries.map(({ type }) => type)).toEqual(['session', 'custom']);
  });

  it('a header alone is a session; a second one is carried', () => {
    expect(load(`${header}\n`).entries).toHaveLength(1);
    expect(load(`${header}\n${entry('a')}\n${header}\n`).entries.map(({ type }) => type)).toEqual([
      'session',
      'custom',
      'session',
    ]);
  });

  it('F10: unknown fields and the order of keys survive', () => {
    const odd = '{"z":1,"type":"future","id":"f","parentId":null,"a":{"c":1,"b":[]}}';
    expect(load(`${header}\n${odd}\n`).entries.map((value) => JSON.stringify(value))).toEqual([header, odd]);
  });
});
