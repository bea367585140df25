import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectPlacesFrame, places, scanInChunks } from './every-way.js';
import { slowScan } from './slow-scan.js';

const text = fc.string({
  unit: fc.constantFrom('a', '{', '}', '"', '\\', 'ü', '😀', '\u2028', '\u0085'),
  maxLength: 6,
});

/** Entries with and without ids (version 1), and a content block, which is none. */
const object = fc
  .oneof(
    fc.record({
      type: fc.constant('custom'),
      id: text,
      parentId: fc.constant(null),
      timestamp: fc.constant('2026-01-01T00:00:00Z'),
      customType: text,
    }),
    fc.record({
      type: fc.constant('message'),
      message: fc.record({ role: fc.constant('user'), content: text }),
    }),
    fc.record({ type: fc.constant('text'), text }),
  )
  .map((value) => JSON.stringify(value));

const pretty = object.map((json) => json.replace(/^\{"type":/, '{ "type" : '));
const blanks = fc.constantFrom('', '', '', ' ', '\t', '\r', '  ');
const nuls = fc.integer({ min: 1, max: 4 }).map((length) => '\0'.repeat(length));
const half = fc.tuple(object, fc.nat()).map(([json, at]) => json.slice(0, 1 + (at % (json.length - 1))));
const tail = fc.tuple(object, fc.nat()).map(([json, at]) => json.slice(1 + (at % (json.length - 1))));
const junk = fc.constantFrom(
  'not json',
  '[1]',
  '7',
  'null',
  '{}',
  '{"type":7}',
  '{"id":"a"}',
  '"',
  '{',
  '\ufeff',
  '{"a":"\\*"}',
);

const line = fc.oneof(
  { weight: 5, arbitrary: object },
  { weight: 1, arbitrary: pretty },
  { weight: 2, arbitrary: blanks },
  { weight: 1, arbitrary: junk },
  { weight: 1, arbitrary: half },
  {
    weight: 4,
    arbitrary: fc
      .array(
        fc.oneof({ weight: 4, arbitrary: object }, { weight: 2, arbitrary: nuls }, blanks, half, tail, junk),
        {
          minLength: 1,
          maxLength: 4,
        },
      )
      .map((pieces) => pieces.join('')),
  },
);

const file = fc
  .tuple(
    fc.constantFrom('', '', '\ufeff'),
    fc.array(fc.tuple(line, blanks, fc.constantFrom('\n', '\n', '\r\n')), { maxLength: 6 }),
    fc.oneof(fc.constant(''), line),
  )
  .map(([mark, lines, last]) => Buffer.from(`${mark}${lines.flat().join('')}${last}`));

const chunkSizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 6 });

describe('scanning against a slow scan', () => {
  it('F6, F7, F9: the same objects, places, problems and lines for any file, however it is cut', () => {
    fc.assert(
      fc.property(file, chunkSizes, (bytes, sizes) => {
        const expected = slowScan(bytes);
        const scanned = scanInChunks(bytes, sizes);
        expect(scanned.objects).toStrictEqual(expected.objects);
        expect(places(scanned.problems)).toStrictEqual(expected.problems);
        expect(scanned.end).toStrictEqual({
          bytes: bytes.length,
          lines: expected.lines,
          endsWithNewline: bytes.length === 0 || bytes[bytes.length - 1] === 0x0a,
          isTorn: expected.problems.some((problem) => problem.startsWith('torn')),
        });
        expectPlacesFrame(bytes, scanned);
      }),
      { numRuns: 1500 },
    );
  });

  it('F15: what is neither in an object, nor blank, nor in a lossy problem does not exist', () => {
    fc.assert(
      fc.property(file, (bytes) => {
        const { objects, problems } = scanInChunks(bytes, [bytes.length + 1]);
        const left = Buffer.from(bytes);
        const harmless = ['glued', 'blank-lines', 'carriage-returns'];
        for (const { byteOffset, byteLength } of objects) left.fill(' ', byteOffset, byteOffset + byteLength);
        for (const { kind, byteOffset, byteLength } of problems)
          if (!harmless.includes(kind)) left.fill(' ', byteOffset, byteOffset + byteLength);
        expect(left.toString('latin1').trim()).toBe('');
      }),
      { numRuns: 300 },
    );
  });
});
