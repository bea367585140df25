import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveBlobRefs } from '../../src/format/blob-refs.js';
import { blobHashOf, ContentReader, type EntryContent } from '../../src/format/content.js';
import type { JsonObject } from '../../src/format/json.js';
import type { FileEntry } from '../../src/format/types.js';

type Part = 'prose' | 'thinking' | 'tools';
/** Gives the string for a place, of which the documentation says that it is found in `part`. */
type Place = (part: Part | 'nowhere') => string;

const BASE64 = 'QUJD'.repeat(300);
const HASH = '0123456789abcdef'.repeat(4);

const blocks = (at: Place, part: Part): unknown[] => [
  { type: 'text', text: at(part), textSignature: at('nowhere') },
  at(part),
  { type: 'image', data: at('nowhere'), mimeType: 'image/png' },
  { type: 'text', text: at(part) },
];

const deep = (at: Place, part: Part): JsonObject => ({
  a: [at(part), [[{ b: at(part), c: null, d: true }]]],
  e: {
    f: { g: at(part), id: at(part), type: at(part), usage: at(part) },
    thoughtSignature: at('nowhere'),
    textSignature: [at('nowhere')],
  },
  h: { type: 'image', data: at('nowhere'), mimeType: 'image/png' },
});

const body = (role: string, fields: (at: Place) => JsonObject) => (at: Place) => ({
  type: 'message',
  message: { role, timestamp: 7, ...fields(at) },
});

const ENTRIES: readonly [string, (at: Place) => JsonObject][] = [
  ['user, a string', body('user', (at) => ({ content: at('prose') }))],
  ...['user', 'developer', 'system', 'custom', 'hookMessage'].map(
    (role): [string, (at: Place) => JsonObject] => [
      role,
      body(role, (at) => ({ content: blocks(at, 'prose'), details: deep(at, 'tools') })),
    ],
  ),
  ['content that is one block', body('user', (at) => ({ content: { type: 'text', text: at('prose') } }))],
  [
    'assistant',
    body('assistant', (at) => ({
      provider: at('nowhere'),
      model: at('nowhere'),
      responseId: at('nowhere'),
      errorMessage: at('prose'),
      content: [
        { type: 'text', text: at('prose'), textSignature: at('nowhere') },
        { type: 'thinking', thinking: at('thinking'), thinkingSignature: at('nowhere') },
        {
          type: 'toolCall',
          id: at('nowhere'),
          name: at('tools'),
          arguments: deep(at, 'tools'),
          thoughtSignature: at('nowhere'),
        },
        { type: 'toolCall', id: at('nowhere'), name: 'n', arguments: at('tools') },
        { type: 'somethingNew', id: at('nowhere'), says: at('prose') },
        { type: 'thinking', thinking: at('thinking') },
        { type: 'text', text: at('prose') },
      ],
    })),
  ],
  [
    'tool result',
    body('toolResult', (at) => ({
      toolCallId: at('nowhere'),
      content: [
        { type: 'text', text: at('tools') },
        { type: 'image', data: at('nowhere') },
        { type: 'new', x: at('tools') },
        at('tools'),
      ],
      details: { ...deep(at, 'tools'), usage: { note: at('nowhere') } },
      isError: false,
    })),
  ],
  ['tool result, a string', body('toolResult', (at) => ({ content: at('tools'), details: at('tools') }))],
  ['tool result, one block', body('toolResult', (at) => ({ content: { type: 'text', text: at('tools') } }))],
  [
    'bash',
    body('bashExecution', (at) => ({
      command: at('tools'),
      output: at('tools'),
      exitCode: 1,
      fullOutputPath: at('tools'),
    })),
  ],
  ['python', body('pythonExecution', (at) => ({ code: at('tools'), output: at('tools') }))],
  [
    'files',
    body('fileMention', (at) => ({ files: [{ path: at('tools'), content: at('tools') }, at('tools')] })),
  ],
  [
    'branch summary message',
    body('branchSummary', (at) => ({ summary: at('prose'), fromId: at('nowhere') })),
  ],
  [
    'compaction summary message',
    body('compactionSummary', (at) => ({ summary: at('prose'), shortSummary: at('prose') })),
  ],
  ['another role', body('oracle', (at) => ({ content: blocks(at, 'prose'), other: deep(at, 'tools') }))],
  ['no role', (at) => ({ type: 'message', message: { content: at('prose'), other: at('tools') } })],
  [
    'custom message',
    (at) => ({
      type: 'custom_message',
      customType: 't',
      content: blocks(at, 'prose'),
      details: deep(at, 'tools'),
    }),
  ],
  [
    'custom message, a string',
    (at) => ({ type: 'custom_message', customType: 't', content: at('prose'), display: true }),
  ],
  [
    'compaction',
    (at) => ({
      type: 'compaction',
      summary: at('prose'),
      shortSummary: at('prose'),
      firstKeptEntryId: at('nowhere'),
      details: deep(at, 'tools'),
      preserveData: deep(at, 'tools'),
    }),
  ],
  [
    'branch summary',
    (at) => ({
      type: 'branch_summary',
      summary: at('prose'),
      fromId: at('nowhere'),
      details: deep(at, 'tools'),
    }),
  ],
  ['label', (at) => ({ type: 'label', targetId: at('nowhere'), label: at('prose') })],
  ['pi title', (at) => ({ type: 'session_info', name: at('prose') })],
  ['omp title', (at) => ({ type: 'title_change', title: at('prose') })],
  ['header', (at) => ({ type: 'session', title: at('prose'), cwd: at('nowhere') })],
  [
    'session_init',
    (at) => ({
      type: 'session_init',
      task: at('prose'),
      systemPrompt: at('tools'),
      tools: [at('tools')],
      outputSchema: deep(at, 'tools'),
    }),
  ],
  ['model change', (at) => ({ type: 'model_change', model: at('nowhere'), role: at('nowhere') })],
  ['thinking level', (at) => ({ type: 'thinking_level_change', thinkingLevel: at('nowhere') })],
  ['leaf', (at) => ({ type: 'leaf', targetId: at('nowhere') })],
  ['mode change', (at) => ({ type: 'mode_change', mode: at('tools'), data: deep(at, 'tools') })],
  ['rules', (at) => ({ type: 'ttsr_injection', injectedRules: [at('tools'), at('tools')] })],
  [
    'custom',
    (at) => ({ type: 'custom', customType: at('tools'), data: deep(at, 'tools'), payload: at('tools') }),
  ],
  ['an unknown type', (at) => ({ type: 'future', targetId: at('nowhere'), ...deep(at, 'tools') })],
];

const read = (entry: JsonObject): EntryContent => new ContentReader().read(entry);

/** Where a text is found. */
function partsWith(content: EntryContent, text: string): string[] {
  return (['prose', 'thinking', 'tools'] as const).filter((part) => content[part].includes(text));
}

describe('content', () => {
  const filler = fc.string({
    unit: fc.constantFrom('a', ' ', '\n', 'ü', '😀', '{', '"', '\ud800'),
    maxLength: 8,
  });
  const around = fc.tuple(filler, filler);

  it.each(ENTRIES)(
    '%s: a text at any place is found where the documentation says, and nowhere else',
    (_, build) => {
      let placeCount = 0;
      build(() => {
        placeCount += 1;
        return '';
      });
      const marker = fc.integer({ min: 1e8, max: 1e9 - 1 }).map((number) => `Mark${number}`);
      fc.assert(
        fc.property(
          fc.nat({ max: placeCount - 1 }),
          marker,
          around,
          filler,
          (chosen, mark, [before, after], other) => {
            let place = 0;
            let expected: string[] = [];
            const entry = build((part) => {
              const isChosen = place === chosen;
              place += 1;
              if (!isChosen) return other;
              expected = part === 'nowhere' ? [] : [part];
              return before + mark + after;
            });
            const content = read({ id: 'i', parentId: 'p', timestamp: 't', ...entry });
            expect(partsWith(content, mark)).toEqual(expected);
            if (expected.length > 0) expect(partsWith(content, before + mark + after)).toEqual(expected);
            expect(partsWith(read({ ...entry, id: mark, parentId: mark, timestamp: mark }), mark)).toEqual(
              expected,
            );
          },
        ),
        { numRuns: 60 },
      );
    },
  );

  it('every text of an entry is there once, on lines of its own', () => {
    for (const [, build] of ENTRIES) {
      const texts: Record<Part, string[]> = { prose: [], thinking: [], tools: [] };
      let count = 0;
      const entry = build((part) => {
        count += 1;
        const text = `t${count}.`;
        if (part !== 'nowhere') texts[part].push(text);
        return text;
      });
      const content = read(entry);
      for (const part of ['prose', 'thinking', 'tools'] as const) {
        const found = content[part].split('\n').filter((line) => /^t\d+\.$/.test(line));
        expect([...found].sort()).toEqual([...texts[part]].sort());
      }
    }
  });

  it('what one entry says is not in what the next one says', () => {
    const reader = new ContentReader();
    const first = reader.read(
      body('user', () => ({
        content: [
          { type: 'text', text: 'one' },
          { type: 'image', data: 'x' },
        ],
      }))(String),
    );
    const second = reader.read({ type: 'label', label: 'two' });
    expect([first.prose, first.images.length]).toEqual(['one', 1]);
    expect(second).toEqual({ prose: 'two', thinking: '', tools: '', images: [], toolCalls: [] });
  });

  it.each([
    ['base64', BASE64],
    ['base64 for URLs', BASE64.replaceAll('Q', '-').replaceAll('J', '_')],
    ['hex digits', '0af3'.repeat(300)],
    ['a data URL', `data:image/png;base64,${BASE64}`],
    ['a data URL with parameters', `data:text/plain;charset=utf-8;base64,${BASE64}==`],
  ])('encoded data is no text: %s', (_, data) => {
    const call = { type: 'toolCall', id: 'c', name: 'n', arguments: { data } };
    expect(read({ type: 'message', message: { role: 'assistant', content: [call] } }).tools).toBe('n');
    expect(read({ type: 'custom', data: { data } }).tools).toBe('');
  });

  it.each([
    ['a long text', 'word '.repeat(300)],
    ['a long path', `/${'dir.d/'.repeat(300)}`],
    ['what is too short to be a file', 'QUJD'.repeat(10)],
    ['a data URL that is not base64', `data:text/plain,${'a'.repeat(2000)}`],
  ])('text is no encoded data: %s', (_, data) => {
    expect(read({ type: 'custom', data: { data } }).tools).toBe(data);
  });

  it('a `__proto__` key is read like others', () => {
    const entry = JSON.parse(
      '{"type":"custom","__proto__":{"x":"inside"},"data":{"__proto__":["deeper"]}}',
    ) as JsonObject;
    expect(read(entry).tools.split('\n').sort()).toEqual(['deeper', 'inside']);
  });

  it.each(['content', 'details'] as const)('200,000 levels of %s do not overflow the stack', (field) => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"x":', '}'],
    ] as const) {
      const value = JSON.parse(`${open.repeat(200_000)}"bottom"${close.repeat(200_000)}`) as unknown;
      expect(read({ type: 'message', message: { role: 'toolResult', [field]: value } }).tools).toBe('bottom');
      const entry = { type: 'message', message: { role: 'user', [field]: value } } as unknown as FileEntry;
      expect(() => resolveBlobRefs([entry], () => undefined)).not.toThrow();
    }
  });
});

describe('blob references', () => {
  it('F38: exactly 64 lower-case hex digits are one, whatever else is tried', () => {
    expect(blobHashOf(`blob:sha256:${HASH}`)).toBe(HASH);
    const unit = fc.constantFrom('0', 'a', 'f', 'A', 'g', '/', '.', '\n', '\0', ' ');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 70 }), (text) => {
        const isHash =
          text.length === 64 && [...text].every((character) => '0123456789abcdef'.includes(character));
        expect(blobHashOf(`blob:sha256:${text}`)).toBe(isHash ? text : undefined);
      }),
      {
        examples: [
          [HASH],
          [`${HASH}\n`],
          [HASH.toUpperCase()],
          [`../${HASH.slice(3)}`],
          [` ${HASH}`],
          [HASH.slice(1)],
        ],
      },
    );
    for (const other of [`blob:sha1:${HASH}`, `Blob:sha256:${HASH}`, ` blob:sha256:${HASH}`, HASH])
      expect(blobHashOf(other)).toBeUndefined();
  });

  it('F38: images are told with their hash or their size, at any depth of an entry', () => {
    const image = { type: 'image', data: `blob:sha256:${HASH}`, mimeType: 'image/png' };
    const inline = { type: 'image', data: 'QUJD', mediaType: 'image/gif' };
    const broken = { type: 'image', data: 'blob:sha256:../../x' };
    const content = read({
      type: 'message',
      message: { role: 'toolResult', content: [image, inline], details: { deep: [[{ broken }]] } },
    });
    expect(content.images).toEqual([
      { hash: HASH, mediaType: 'image/png', inlineChars: 0 },
      { hash: undefined, mediaType: 'image/gif', inlineChars: 4 },
      { hash: undefined, mediaType: '', inlineChars: 19 },
    ]);
  });

  it('F38: references resolve in image blocks of message and custom_message; a missing or odd one stays', () => {
    const image = (hash: string) => ({ type: 'image', data: `blob:sha256:${hash}` });
    const other = 'f'.repeat(64);
    const make = (data: string) =>
      [
        {
          type: 'message',
          message: { role: 'user', content: [{ type: 'image', data }, image(other), image('../x')] },
        },
        {
          type: 'custom_message',
          content: [{ type: 'image', data }],
          details: { a: [{ type: 'image', data }] },
        },
        { type: 'custom', data: image(HASH) },
        {
          type: 'message',
          message: { role: 'user', content: [{ type: 'text', text: `blob:sha256:${HASH}` }] },
        },
        { type: 'message', message: null },
      ] as unknown as FileEntry[];
    const asked: string[] = [];
    const entries = make(`blob:sha256:${HASH}`);
    resolveBlobRefs(entries, (hash) => {
      asked.push(hash);
      return hash === HASH ? 'QUJD' : undefined;
    });
    expect(entries).toEqual(make('QUJD'));
    expect([...new Set(asked)].sort()).toEqual([HASH, other]);
  });
});
