import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openIndex } from '../support/index.js';
import { assistant, at, header, jsonl, temporaryFolder, user, write } from '../support/tree.js';

/** One answer costs 0.03 dollars and 10 input tokens (`assistant`). */
const COST = 0.03;

async function costs(root: string): Promise<Record<string, number>> {
  const index = await openIndex([root]);
  await index.sync();
  return Object.fromEntries(
    index.list().sessions.map(({ path, usage }) => [path.slice(root.length + 1), usage.costUsd]),
  );
}

const shared = [user('u1', null, 'question'), assistant('a1', 'u1', 'answer')];

describe('rule 7: copies', () => {
  it('a copied entry counts once, under the session that wrote it first', async () => {
    const root = temporaryFolder();
    write(join(root, 'z-parent.jsonl'), jsonl(header('p'), ...shared));
    write(
      join(root, 'a-fork.jsonl'),
      jsonl(header('f', { timestamp: at(60), parentSession: 'p' }), ...shared, assistant('a2', 'a1', 'more')),
    );
    expect(await costs(root)).toEqual({ 'z-parent.jsonl': COST, 'a-fork.jsonl': COST });
  });

  it('the parent goes first even when the fork’s header says an earlier time', async () => {
    const root = temporaryFolder();
    write(join(root, 'parent.jsonl'), jsonl(header('p', { timestamp: at(100) }), ...shared));
    write(
      join(root, 'fork.jsonl'),
      jsonl(header('f', { parentSession: join(root, 'parent.jsonl') }), ...shared),
    );
    expect(await costs(root)).toEqual({ 'parent.jsonl': COST, 'fork.jsonl': 0 });
  });

  it('another spelling of the JSON is still a copy; another text or time is not', async () => {
    const root = temporaryFolder();
    write(join(root, 'parent.jsonl'), jsonl(header('p'), ...shared));
    const spaced = shared.map((line) =>
      JSON.stringify(Object.fromEntries(Object.entries(line).reverse()), null, 1).replaceAll('\n', ' '),
    );
    write(join(root, 'spaced.jsonl'), `${jsonl(header('s', { timestamp: at(1) }))}${spaced.join('\n')}\n`);
    write(
      join(root, 'other-text.jsonl'),
      jsonl(header('t', { timestamp: at(2) }), assistant('a1', 'u1', 'answer!')),
    );
    write(
      join(root, 'other-time.jsonl'),
      jsonl(header('u', { timestamp: at(3) }), { ...assistant('a1', 'u1', 'answer'), timestamp: at(9) }),
    );
    expect(await costs(root)).toEqual({
      'parent.jsonl': COST,
      'spaced.jsonl': 0,
      'other-text.jsonl': COST,
      'other-time.jsonl': COST,
    });
  });

  it('when the original is deleted, the copy counts', async () => {
    const root = temporaryFolder();
    const { rmSync } = await import('node:fs');
    const parent = write(join(root, 'parent.jsonl'), jsonl(header('p'), ...shared));
    write(join(root, 'fork.jsonl'), jsonl(header('f', { timestamp: at(60), parentSession: 'p' }), ...shared));
    const index = await openIndex([root]);
    await index.sync();
    rmSync(parent);
    await index.sync();
    expect(index.list().sessions.map(({ id, usage }) => [id, usage.costUsd])).toEqual([['f', COST]]);
  });

  it('a task’s rolled-up usage counts only where the subagent’s own session is not indexed', async () => {
    const root = temporaryFolder();
    const task = (...ids: string[]) => ({
      type: 'message',
      id: 't1',
      parentId: null,
      timestamp: at(5),
      message: {
        role: 'toolResult',
        toolName: 'task',
        toolCallId: 'c',
        content: [],
        details: { results: ids.map((id) => ({ id, usage: { input: 1, output: 0, cost: { total: 0.5 } } })) },
      },
    });
    write(join(root, 'main.jsonl'), jsonl(header('m'), task('Here', 'Gone')));
    write(join(root, 'main', 'Here.jsonl'), jsonl(header('sub'), assistant('s1', null, 'sub')));
    expect(await costs(root)).toEqual({ 'main.jsonl': 0.5, 'main/Here.jsonl': COST });
  });
});

describe('lineage', () => {
  it('ctx #856: a parent by id, by path, by branchedFrom and by a moved file’s name; missing and self are none', async () => {
    const root = temporaryFolder();
    write(join(root, 'now', '2026_p.jsonl'), jsonl(header('p')));
    const children: Record<string, unknown> = {
      id: { parentSession: 'p' },
      path: { parentSession: join(root, 'now', '2026_p.jsonl') },
      moved: { parentSession: '/before/2026_p.jsonl' },
      renamed: { parentSession: 'C:\\before\\2025_p.jsonl' },
      branched: { version: undefined, branchedFrom: join(root, 'now', '2026_p.jsonl') },
      missing: { parentSession: '/nowhere/x.jsonl' },
      self: { parentSession: 'self' },
    };
    for (const [id, more] of Object.entries(children)) {
      write(join(root, `${id}.jsonl`), jsonl(header(id, { timestamp: at(9), ...(more as object) })));
    }
    const index = await openIndex([root]);
    await index.sync();
    const db = new Database(index.dbPath, { readonly: true });
    const rows = db
      .prepare(
        `SELECT s.session_id AS child, p.session_id AS parent FROM sessions s
         LEFT JOIN sessions p ON p.id = s.parent_file_id WHERE s.session_id <> 'p'`,
      )
      .all() as { child: string; parent: string | null }[];
    db.close();
    expect(Object.fromEntries(rows.map(({ child, parent }) => [child, parent]))).toEqual({
      id: 'p',
      path: 'p',
      moved: 'p',
      renamed: 'p',
      branched: 'p',
      missing: null,
      self: null,
    });
  });
});
