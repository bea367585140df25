import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { Loader } from '../../src/format/load.js';
import { FileScanner } from '../../src/format/scan.js';
import { places, scanEveryWay, scanInChunks } from './every-way.js';

const entry = (id: string, text = '') =>
  JSON.stringify({ type: 'custom', id, parentId: null, customType: text });

/** Collects what nothing refers to any more, in this and in the last turn of the event loop. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  await new Promise((resolve) => setImmediate(resolve));
  gc();
}

describe('lines over the limit', () => {
  const a = entry('a');
  const b = entry('b');

  it('F7: a line of exactly the limit is read; one byte more is skipped, reported, and what follows is read', () => {
    const fits = scanEveryWay(`${a}\n${b}\n`, a.length);
    expect(fits.objects.map(({ value }) => value['id'])).toEqual(['a', 'b']);
    const long = entry('a', '.');
    const cut = scanEveryWay(`${b}\n${long}\n${a}\n`, a.length);
    expect(cut.objects.map(({ value }) => value['id'])).toEqual(['b', 'a']);
    expect(cut.objects.map(({ line }) => line)).toEqual([1, 3]);
    expect(places(cut.problems)).toEqual([`too-long@${b.length + 1}+${long.length}:2`]);
    expect(cut.end).toMatchObject({ lines: 3, isTorn: false, endsWithNewline: true });
  });

  it('F7, F9: over the limit at the end of a file without a newline', () => {
    const cut = scanEveryWay(`${a}\n${'x'.repeat(3 * a.length)}`, a.length);
    expect(cut.objects.map(({ value }) => value['id'])).toEqual(['a']);
    expect(places(cut.problems)).toEqual([`too-long@${a.length + 1}+${3 * a.length}:2`]);
    expect(cut.end).toMatchObject({ lines: 2, isTorn: true, endsWithNewline: false });
  });

  it('F7: several in a row, blank lines and short ones between them', () => {
    const long = 'x'.repeat(a.length + 1);
    const cut = scanEveryWay(`${long}\n${long}\n\n${a}\n${long}\n${b}`, a.length);
    expect(cut.objects.map(({ value, line }) => [value['id'], line])).toEqual([
      ['a', 4],
      ['b', 6],
    ]);
    expect(cut.problems.map(({ kind, line }) => `${kind}:${line}`)).toEqual([
      'too-long:1',
      'too-long:2',
      'too-long:5',
      'blank-lines:3',
    ]);
  });
});

describe('long and deep lines', () => {
  it('F7: a line of some MB in small chunks comes back whole', () => {
    const text = 'ü😀'.repeat(700_000);
    const line = JSON.stringify({ type: 'custom', text });
    const bytes = Buffer.from(`${line}\n${entry('next')}\n`);
    const { objects, problems } = scanInChunks(bytes, [65_536]);
    expect(objects.map(({ byteLength }) => byteLength)).toEqual([
      Buffer.byteLength(line),
      entry('next').length,
    ]);
    expect(objects[0]?.value['text'] === text).toBe(true);
    expect(problems).toEqual([]);
  });

  it('F7: 200,000 levels are an entry, alone or glued to another', () => {
    const deep = `{"type":"x","deep":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    const { objects, problems } = scanInChunks(Buffer.from(`${deep}\n${deep}${entry('a')}\n`), [10_000]);
    expect(objects.map(({ value, line }) => [value.type, line])).toEqual([
      ['x', 1],
      ['x', 2],
      ['custom', 2],
    ]);
    expect(problems.map(({ kind }) => kind)).toEqual(['glued']);
  });

  it('F7: a damaged line full of what could start an entry is given up, not tried for ever', () => {
    const hopeless = `{"a":"\\*${'{"type":"x","id":"'.repeat(20_000)}`;
    const { objects, problems } = scanInChunks(Buffer.from(`${hopeless}}\n${entry('a')}\n`), [1 << 20]);
    expect(objects.map(({ value }) => value['id'])).toEqual(['a']);
    expect(places(problems)).toEqual([`unparsable@0+${hopeless.length + 1}:1`]);
  });
});

describe('memory', () => {
  it('F7: nothing is kept of an object, a line or a chunk that was handed on', async () => {
    const given: WeakRef<object>[] = [];
    const scanner = new FileScanner({ object: (value) => given.push(new WeakRef(value)), problem: () => {} });
    const text = Buffer.from(
      Array.from({ length: 200 }, (_, i) => `${entry(String(i), 'x'.repeat(200))}\n`).join(''),
    );
    const reused = Buffer.alloc(100);
    const pushAll = () => {
      for (let at = 0; at < text.length; at += 100) {
        const length = text.copy(reused, 0, at, at + 100);
        scanner.push(reused.subarray(0, length));
      }
    };
    pushAll();
    await collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    for (let round = 0; round < 100; round += 1) pushAll();
    await collectGarbage();
    expect(given).toHaveLength(20_200);
    expect(given.filter((reference) => reference.deref() !== undefined).length).toBeLessThan(50);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
    expect(scanner.finish().lines).toBe(20_200);
  });

  it('F7: a huge line costs its memory only until the next line begins', async () => {
    const scanner = new FileScanner({ object: () => {}, problem: () => {} });
    const chunk = Buffer.alloc(1 << 20, 'x');
    await collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    for (let i = 0; i < 40; i += 1) scanner.push(chunk);
    scanner.push(Buffer.from('\n{"type":"x"'));
    await collectGarbage();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 << 20);
    expect(scanner.finish().isTorn).toBe(true);
  });

  it('F7: harmless oddities are reported once a file, however many there are', () => {
    const loader = new Loader();
    for (let i = 0; i < 1000; i += 1) loader.push(Buffer.from('\r\n{"type":"x"}\r\n'));
    expect(
      loader.finish().problems.map(({ kind, line, message }) => [kind, line, /\d+ lines/.exec(message)?.[0]]),
    ).toEqual([
      ['blank-lines', 1, '1000 lines'],
      ['carriage-returns', 2, '1000 lines'],
    ]);
  });
});
