import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toLine, toPersistable } from '../../src/format/persistable.js';

const NOTICE = '\n\n[Session persistence truncated large content]';
const inline = () => undefined;
const asReference = (base64: string) => `blob:sha256:${base64.length.toString(16).padStart(64, '0')}`;

const HIGH = '\ud83d';
const LOW = '\ude00';

describe('F36: strings', () => {
  it('leaves a string of 500,000 characters as it is', () => {
    const text = 'a'.repeat(500_000);
    expect(toPersistable({ text }, inline).text).toBe(text);
  });

  it('cuts a string of 500,001 characters to 500,000 with the notice as its own paragraph', () => {
    const { text } = toPersistable({ text: 'a'.repeat(500_001) }, inline);
    expect(text).toHaveLength(500_000);
    expect(text).toBe('a'.repeat(500_000 - NOTICE.length) + NOTICE);
  });

  it('cuts before a surrogate pair that the limit would split, and after one that ends on it', () => {
    const limit = 500_000 - NOTICE.length;
    const split = toPersistable(
      { text: `${'a'.repeat(limit - 1)}${HIGH}${LOW}${'b'.repeat(1000)}` },
      inline,
    ).text;
    expect(split).toBe('a'.repeat(limit - 1) + NOTICE);
    const whole = toPersistable(
      { text: `${'a'.repeat(limit - 2)}${HIGH}${LOW}${'b'.repeat(1000)}` },
      inline,
    ).text;
    expect(whole).toBe('a'.repeat(limit - 2) + HIGH + LOW + NOTICE);
  });

  it('clears a signature that is too long and keeps one that is not', () => {
    const block = {
      type: 'thinking',
      thinking: 'hm',
      thinkingSignature: 's'.repeat(500_001),
      thoughtSignature: 's'.repeat(600_000),
      textSignature: 's'.repeat(500_000),
    };
    const written = toPersistable(block, inline);
    expect(written.thinkingSignature).toBe('');
    expect(written.thoughtSignature).toBe('');
    expect(written.textSignature).toBe('s'.repeat(500_000));
  });

  it('counts the lines of content again after a cut, and only then', () => {
    const cut = toPersistable({ content: 'x\n'.repeat(300_000), lineCount: 300_001 }, inline);
    expect(cut.lineCount).toBe(cut.content.split('\n').length);
    expect(cut.lineCount).toBeLessThan(250_010);
    const whole = { content: 'x\ny', lineCount: 77, partialJson: '{' };
    expect(toPersistable(whole, inline)).toEqual({ content: 'x\ny', lineCount: 77 });
  });

  it('does not change the entry in memory', () => {
    const entry = { message: { content: [{ type: 'text', text: 'a'.repeat(500_001), partialJson: '{' }] } };
    toPersistable(entry, inline);
    expect(entry.message.content[0]?.text).toHaveLength(500_001);
    expect(entry.message.content[0]?.partialJson).toBe('{');
  });

  it('gives the same object back where nothing needs to be done', () => {
    const entry = { type: 'message', message: { content: [{ type: 'text', text: 'hi' }] } };
    expect(toPersistable(entry, inline)).toBe(entry);
  });
});

describe('F36: transient fields', () => {
  it('drops partialJson and jsonlEvents at any depth, and no other scratch field (B82)', () => {
    const entry = {
      message: { content: [{ type: 'toolCall', partialJson: '{', partialArgs: '{', streamIndex: 3 }] },
      details: { jsonlEvents: ['a'], kept: 1 },
    };
    expect(JSON.parse(toLine(entry, inline))).toEqual({
      message: { content: [{ type: 'toolCall', partialArgs: '{', streamIndex: 3 }] },
      details: { kept: 1 },
    });
  });
});

describe('F36: images', () => {
  const image = (length: number) => ({ type: 'image', data: 'A'.repeat(length), mimeType: 'image/png' });

  it('makes a reference of 1,024 characters of base64, and keeps 1,023 inline', () => {
    const written = toPersistable({ content: [image(1024), image(1023)] }, asReference);
    expect(written.content[0]).toEqual({
      type: 'image',
      data: asReference('A'.repeat(1024)),
      mimeType: 'image/png',
    });
    expect(written.content[1]).toEqual(image(1023));
  });

  it('finds images of content arrays at any depth and leaves those of other arrays', () => {
    const written = toPersistable(
      { details: { results: [{ content: [image(2000)] }], images: [image(2000)] } },
      asReference,
    );
    expect(written.details.results[0]?.content[0]?.data).toBe(asReference('A'.repeat(2000)));
    expect(written.details.images[0]?.data).toBe('A'.repeat(2000));
  });

  it('does not store a reference again', () => {
    const reference = `blob:sha256:${'a'.repeat(64)}`;
    const padded = { content: [{ ...image(0), data: reference, note: 'n'.repeat(2000) }] };
    expect(toPersistable(padded, () => 'never asked')).toBe(padded);
  });

  it('omp #9901: keeps an image whole that the blob store cannot take, however long', () => {
    const written = toPersistable({ content: [image(600_000)] }, inline);
    expect(written.content[0]?.data).toBe('A'.repeat(600_000));
  });

  it('keeps the order of the keys', () => {
    const block = {
      zebra: 1,
      type: 'image',
      data: 'A'.repeat(1024),
      mimeType: 'image/png',
      partialJson: 'x',
    };
    const line = toLine({ content: [block] }, asReference);
    expect(Object.keys(JSON.parse(line).content[0])).toEqual(['zebra', 'type', 'data', 'mimeType']);
  });
});

describe('toLine', () => {
  it('B17, B18: is one line whatever the text, and comes back the same', () => {
    const text = '\n\r\n\u2028\u2029\u0085\u000b\u0000 \ud800 \udc00 \ufffd "\\';
    const line = toLine({ type: 'message', message: { role: 'user', content: text } }, inline);
    expect(line.indexOf('\n')).toBe(line.length - 1);
    expect(JSON.parse(Buffer.from(line, 'utf8').toString('utf8')).message.content).toBe(text);
  });

  it('F10: keeps a key called __proto__', () => {
    const entry = JSON.parse('{"type":"custom","__proto__":{"a":1},"partialJson":"drop"}');
    expect(toLine(entry, inline)).toBe('{"type":"custom","__proto__":{"a":1}}\n');
  });

  it('equals the slow way for any JSON value', () => {
    const key = fc.oneof(
      fc.constantFrom('content', 'partialJson', 'jsonlEvents', 'lineCount', 'data', 'type', '__proto__'),
      fc.string(),
    );
    const leaf = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.constantFrom('image', '"partialJson"', 'A'.repeat(1023), 'A'.repeat(1024)),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('value')),
        fc.dictionary(key, tie('value')),
        tie('image'),
      ),
      image: fc.record({
        type: fc.constant('image'),
        data: fc.constantFrom('A'.repeat(1023), 'A'.repeat(1500)),
      }),
    }));
    fc.assert(
      fc.property(fc.dictionary(key, value), (entry) => {
        const plain = JSON.parse(JSON.stringify(entry));
        expect(toLine(plain, asReference)).toBe(`${JSON.stringify(toPersistable(plain, asReference))}\n`);
      }),
      { numRuns: 500 },
    );
  });
});
