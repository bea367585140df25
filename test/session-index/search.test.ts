import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openIndex } from '../support/index.js';
import { assistant, at, header, jsonl, type Line, temporaryFolder, user, write } from '../support/tree.js';

async function indexOf(files: Record<string, readonly unknown[]>) {
  const root = temporaryFolder();
  for (const [name, lines] of Object.entries(files)) write(join(root, name), jsonl(...lines));
  const index = await openIndex([root]);
  await index.sync();
  return { index, root };
}

const ids = (hits: readonly { readonly entryId: string | null }[]) => hits.map(({ entryId }) => entryId);

describe('search', () => {
  it('finds words in prose, thinking, tool calls, results and executions, and says where', async () => {
    const { index } = await indexOf({
      'a.jsonl': [
        header('a', { title: 'aardvark title' }),
        user('u1', null, 'badger question'),
        assistant('a1', 'u1', '', {
          content: [
            { type: 'text', text: 'civet answer' },
            { type: 'thinking', thinking: 'dormouse thought' },
            { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'src/ermine.ts' } },
          ],
        }),
        {
          type: 'message',
          id: 't1',
          parentId: 'a1',
          timestamp: at(3),
          message: {
            role: 'toolResult',
            toolCallId: 'c1',
            toolName: 'read',
            content: [{ type: 'text', text: 'ferret output' }],
            isError: false,
          },
        },
        {
          type: 'message',
          id: 'b1',
          parentId: 't1',
          timestamp: at(4),
          message: { role: 'bashExecution', command: 'gopher --help', output: 'hamster lines' },
        },
        {
          type: 'compaction',
          id: 'k1',
          parentId: 'b1',
          timestamp: at(5),
          summary: 'ibex summary',
          firstKeptEntryId: 'u1',
          tokensBefore: 1,
        },
        { type: 'label', id: 'l1', parentId: 'k1', timestamp: at(6), targetId: 'u1', label: 'jackal mark' },
        { type: 'future_thing', id: 'f1', parentId: 'l1', timestamp: at(7), payload: { deep: ['koala'] } },
      ],
    });
    const found = Object.fromEntries(
      [
        'aardvark',
        'badger',
        'civet',
        'dormouse',
        'ermine',
        'ferret',
        'gopher',
        'hamster',
        'ibex',
        'jackal',
        'koala',
      ].map((word) => {
        const { hits } = index.search(word);
        return [
          word,
          hits.map(({ entryId, part, snippet, matches }) =>
            [entryId, part, matches.map(([start, end]) => snippet.slice(start, end))].flat(2).join(' '),
          ),
        ];
      }),
    );
    expect(found).toEqual({
      aardvark: [' prose aardvark'],
      badger: ['u1 prose badger'],
      civet: ['a1 prose civet'],
      dormouse: ['a1 thinking dormouse'],
      ermine: ['a1 tools ermine'],
      ferret: ['t1 tools ferret'],
      gopher: ['b1 tools gopher'],
      hamster: ['b1 tools hamster'],
      ibex: ['k1 prose ibex'],
      jackal: ['l1 prose jackal'],
      koala: ['f1 tools koala'],
    });
  });

  it('words of one query may stand in different parts of an entry', async () => {
    const { index } = await indexOf({
      'a.jsonl': [
        header('a'),
        assistant('a1', null, '', {
          content: [
            { type: 'text', text: 'civet' },
            { type: 'thinking', thinking: 'dormouse' },
          ],
        }),
        assistant('a2', 'a1', 'civet'),
      ],
    });
    expect(ids(index.search('civet dormouse').hits)).toEqual(['a1']);
    expect(ids(index.search('civet -dormouse').hits)).toEqual(['a2']);
    expect(index.search('civet dormouse in:prose').total).toBe(0);
  });

  it('a copied entry is one hit, under the session that wrote it first, and says where else it stands', async () => {
    const shared = [user('u1', null, 'walrus question'), assistant('a1', 'u1', 'answer')];
    const { index } = await indexOf({
      'p.jsonl': [header('parent', { cwd: '/one' }), ...shared],
      'f.jsonl': [header('fork', { cwd: '/two', timestamp: at(50), parentSession: 'parent' }), ...shared],
    });
    const { total, hits } = index.search('walrus');
    expect(total).toBe(1);
    expect(hits.map(({ sessionId, alsoIn }) => [sessionId, alsoIn])).toEqual([['parent', ['fork']]]);
    const inFork = index.search('walrus project:/two').hits;
    expect(inFork.map(({ sessionId, alsoIn }) => [sessionId, alsoIn])).toEqual([['fork', ['parent']]]);
  });

  it('prose goes before tool output, and the active branch before an abandoned one', async () => {
    const { index } = await indexOf({
      'a.jsonl': [
        header('a'),
        user('u1', null, 'start'),
        {
          type: 'message',
          id: 't1',
          parentId: 'u1',
          timestamp: at(2),
          message: {
            role: 'toolResult',
            toolCallId: 'x',
            toolName: 'grep',
            content: [{ type: 'text', text: 'narwhal here and there' }],
          },
        },
        user('left', 'u1', 'narwhal here and there'),
        user('kept', 't1', 'narwhal here and there'),
      ],
    });
    expect(
      index.search('narwhal').hits.map(({ entryId, onActiveBranch }) => [entryId, onActiveBranch]),
    ).toEqual([
      ['kept', true],
      ['left', false],
      ['t1', true],
    ]);
  });

  it('snippets mark every word, cut at its place in a long text, and count UTF-16 units', async () => {
    const long = `${'😀 filler '.repeat(500)}the Übergröße narwhal stands here ${'more '.repeat(500)}`;
    const { index } = await indexOf({ 'a.jsonl': [header('a'), user('u1', null, long)] });
    const [hit] = index.search('narwhal ubergroße').hits;
    expect(hit?.snippet.length).toBeLessThan(300);
    expect(hit?.matches.map(([start, end]) => hit.snippet.slice(start, end))).toEqual([
      'Übergröße',
      'narwhal',
    ]);
  });

  it('a hit whose file has changed since still stands, without its text', async () => {
    const { index, root } = await indexOf({ 'a.jsonl': [header('a'), user('u1', null, 'narwhal')] });
    writeFileSync(join(root, 'a.jsonl'), 'x'.repeat(2000));
    expect(index.search('narwhal').hits.map(({ entryId, snippet }) => [entryId, snippet])).toEqual([
      ['u1', ''],
    ]);
    rmSync(join(root, 'a.jsonl'));
    expect(index.search('narwhal').hits.map(({ entryId, snippet }) => [entryId, snippet])).toEqual([
      ['u1', ''],
    ]);
  });

  it('an appended entry is found after the next sync, and not after its file is deleted', async () => {
    const { index, root } = await indexOf({ 'a.jsonl': [header('a'), user('u1', null, 'start')] });
    appendFileSync(join(root, 'a.jsonl'), jsonl(user('u2', 'u1', 'narwhal')));
    await index.sync();
    expect(index.search('narwhal').total).toBe(1);
    rmSync(join(root, 'a.jsonl'));
    await index.sync();
    expect(index.search('narwhal').total).toBe(0);
  });

  it('sorts by time, and pages', async () => {
    const lines: Line[] = Array.from({ length: 9 }, (_, n) => ({
      ...user(`u${n}`, null, 'narwhal'),
      timestamp: at((n * 7) % 10),
    }));
    const { index } = await indexOf({ 'a.jsonl': [header('a'), ...lines] });
    const byTime = [...lines]
      .sort((a, b) => ((a.timestamp as string) < (b.timestamp as string) ? -1 : 1))
      .map(({ id }) => id);
    expect(ids(index.search('narwhal', { sort: 'oldest' }).hits)).toEqual(byTime);
    expect(ids(index.search('narwhal', { sort: 'newest', limit: 3, offset: 2 }).hits)).toEqual(
      byTime.toReversed().slice(2, 5),
    );
  });

  it('filters by role, type, project, model, tool, label, session, title and time', async () => {
    const { index } = await indexOf({
      'one.jsonl': [
        header('one', { cwd: '/home/ann/Shop', title: 'Checkout' }),
        user('u1', null, 'narwhal', { timestamp: '2026-01-05T12:00:00Z' }),
        {
          ...assistant('a1', 'u1', 'narwhal', {
            content: [
              { type: 'text', text: 'narwhal' },
              { type: 'toolCall', id: 'c', name: 'grep', arguments: {} },
            ],
          }),
          timestamp: '2026-02-05T12:00:00Z',
        },
        {
          type: 'label',
          id: 'l1',
          parentId: 'a1',
          timestamp: '2026-02-06T12:00:00Z',
          targetId: 'u1',
          label: 'keep this',
        },
      ],
      'two.jsonl': [
        header('two', { cwd: '/home/ann/blog' }),
        { ...user('u2', null, 'narwhal'), timestamp: '2026-03-05T12:00:00Z' },
      ],
    });
    const answers: Record<string, string[]> = {
      'role:user': ['u1', 'u2'],
      'role:assistant': ['a1'],
      'role:user,assistant': ['a1', 'u1', 'u2'],
      '-role:user': ['a1'],
      'type:message': ['a1', 'u1', 'u2'],
      'project:shop': ['a1', 'u1'],
      'project:blog': ['u2'],
      'model:claude-x': ['a1'],
      'provider:anthropic': ['a1'],
      'tool:grep': ['a1'],
      'label:keep': ['u1'],
      'has:label': ['u1'],
      'session:two': ['u2'],
      'title:checkout': ['a1', 'u1'],
      'after:2026-02-01': ['a1', 'u2'],
      'before:2026-02-01': ['u1'],
      'on:2026-02-05': ['a1'],
      'after:2026-02-01 before:2026-03-01': ['a1'],
      '(role:assistant OR project:blog)': ['a1', 'u2'],
    };
    for (const [filter, expected] of Object.entries(answers)) {
      expect([filter, ids(index.search(`narwhal ${filter}`).hits).toSorted()]).toEqual([filter, expected]);
    }
  });

  it('a query that is not understood says where and what would work', async () => {
    const { index } = await indexOf({ 'a.jsonl': [header('a')] });
    expect(() => index.search('"open')).toThrow(
      expect.objectContaining({ code: 'QUERY_SYNTAX', message: 'this quotation mark is never closed' }),
    );
    expect(() => index.search('  ')).toThrow(expect.objectContaining({ code: 'QUERY_SYNTAX' }));
    expect(() => index.list({ query: 'roel:x' })).toThrow(expect.objectContaining({ code: 'QUERY_SYNTAX' }));
  });

  it('equals a naive scan for random texts and queries', async () => {
    const word = fc.constantFrom('ape', 'bee', 'cat', 'apex', 'Cat', 'bee-cat', 'über');
    const text = fc.array(word, { maxLength: 4 }).map((words) => words.join(' '));
    const entries = fc.array(fc.record({ prose: text, thinking: text, tools: text }), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(
        entries,
        fc.array(queryTree(word), { minLength: 5, maxLength: 10 }),
        async (texts, trees) => {
          const lines = texts.map(({ prose, thinking, tools }, n) =>
            assistant(`e${n}`, n === 0 ? null : `e${n - 1}`, '', {
              content: [
                { type: 'text', text: prose },
                { type: 'thinking', thinking },
                { type: 'toolCall', id: `c${n}`, name: 'run', arguments: { x: tools } },
              ],
            }),
          );
          const { index } = await indexOf({ 'a.jsonl': [header('a'), ...lines] });
          for (const tree of trees) {
            const expected = texts.flatMap((parts, n) =>
              holds(tree, Object.values(parts)) ? [`e${n}`] : [],
            );
            const { hits, total } = index.search(written(tree), { limit: 100 });
            expect([written(tree), ids(hits).toSorted(), total]).toEqual([
              written(tree),
              expected.toSorted(),
              expected.length,
            ]);
          }
        },
      ),
      { numRuns: 25 },
    );
  });
});

type Tree =
  | { readonly op: 'word' | 'prefix' | 'phrase'; readonly words: readonly string[] }
  | { readonly op: 'and' | 'or'; readonly parts: readonly Tree[] }
  | { readonly op: 'not'; readonly but: Tree; readonly not: Tree };

function queryTree(word: fc.Arbitrary<string>): fc.Arbitrary<Tree> {
  const leaf: fc.Arbitrary<Tree> = fc.oneof(
    word.map((one): Tree => ({ op: 'word', words: [one] })),
    word.map((one): Tree => ({ op: 'prefix', words: [one.slice(0, 2)] })),
    fc.array(word, { minLength: 2, maxLength: 2 }).map((words): Tree => ({ op: 'phrase', words })),
  );
  return fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      leaf,
      fc.array(tie('tree'), { minLength: 2, maxLength: 3 }).map((parts): Tree => ({ op: 'and', parts })),
      fc.array(tie('tree'), { minLength: 2, maxLength: 3 }).map((parts): Tree => ({ op: 'or', parts })),
      fc.record({ but: leaf, not: tie('tree') }).map(({ but, not }): Tree => ({ op: 'not', but, not })),
    ),
  })).tree;
}

function written(tree: Tree): string {
  switch (tree.op) {
    case 'word':
      return tree.words[0] as string;
    case 'prefix':
      return `${tree.words[0]}*`;
    case 'phrase':
      return `"${tree.words.join(' ')}"`;
    case 'and':
      return `(${tree.parts.map(written).join(' ')})`;
    case 'or':
      return `(${tree.parts.map(written).join(' OR ')})`;
    case 'not':
      return `(${written(tree.but)} -${tree.not.op === 'word' || tree.not.op === 'phrase' ? written(tree.not) : `(${written(tree.not)})`})`;
  }
}

/** Words as the documented rules see them: letters and digits, in lower case, without accents. */
function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .replaceAll('ü', 'u')
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
}

/** Whether the tree holds for an entry, each part of which is a text of its own. */
function holds(tree: Tree, parts: readonly string[]): boolean {
  switch (tree.op) {
    case 'and':
      return tree.parts.every((part) => holds(part, parts));
    case 'or':
      return tree.parts.some((part) => holds(part, parts));
    case 'not':
      return holds(tree.but, parts) && !holds(tree.not, parts);
    default: {
      const wanted = wordsOf(tree.words.join(' '));
      return parts.some((part) => standsIn(wordsOf(part), wanted, tree.op === 'prefix'));
    }
  }
}

function standsIn(words: readonly string[], wanted: readonly string[], isPrefix: boolean): boolean {
  return words.some((_, at) =>
    wanted.every((word, n) => {
      const there = words[at + n] ?? '';
      return isPrefix && n === wanted.length - 1 ? there.startsWith(word) : there === word;
    }),
  );
}
