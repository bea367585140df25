import {
  appendFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freshDump, openIndex } from '../support/index.js';
import { dumpIndex } from '../support/index-dump.js';
import { assistant, header, jsonl, temporaryFolder, user, write } from '../support/tree.js';

describe('sync', () => {
  it('takes in a new file, a grown one and a deleted one', async () => {
    const root = temporaryFolder();
    const a = write(join(root, 'p', 'a.jsonl'), jsonl(header('a'), user('u1', null, 'hello')));
    const index = await openIndex([root]);
    expect((await index.sync()).files).toEqual(counts({ seen: 1, indexed: 1 }));
    appendFileSync(a, jsonl(assistant('a1', 'u1', 'there')));
    write(join(root, 'p', 'b.jsonl'), jsonl(header('b'), user('u2', null, 'second')));
    expect((await index.sync()).files).toEqual(counts({ seen: 2, indexed: 2 }));
    expect(index.list().sessions.map(({ id, entryCount }) => [id, entryCount])).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
    rmSync(a);
    expect((await index.sync()).files).toEqual(counts({ seen: 1, unchanged: 1, removed: 1 }));
    expect(index.list().sessions.map(({ id }) => id)).toEqual(['b']);
  });

  it('rule 3: writes nothing when nothing changed', async () => {
    const root = temporaryFolder();
    write(join(root, 'a.jsonl'), jsonl(header('a'), user('u1', null, 'hello')));
    const index = await openIndex([root]);
    await index.sync();
    const before = filesBeside(index.dbPath);
    const watcher = new Database(index.dbPath, { readonly: true });
    const version = watcher.pragma('data_version', { simple: true });
    expect((await index.sync()).files).toEqual(counts({ seen: 1, unchanged: 1 }));
    expect(watcher.pragma('data_version', { simple: true })).toBe(version);
    watcher.close();
    expect(filesBeside(index.dbPath)).toEqual(before);
  });

  it('rule 2: an edit that keeps size and mtime is seen by its ctime', async () => {
    const root = temporaryFolder();
    const path = write(join(root, 'a.jsonl'), jsonl(header('a'), user('u1', null, 'apple')));
    const { mtime, atime } = statSync(path);
    const index = await openIndex([root]);
    await index.sync();
    writeFileSync(path, jsonl(header('a'), user('u1', null, 'grape')));
    utimesSync(path, atime, mtime);
    await index.sync();
    expect(index.list().sessions[0]?.firstMessage).toBe('grape');
  });

  it('a file under two roots, one within the other, is one session', async () => {
    const root = temporaryFolder();
    write(join(root, 'in', 'a.jsonl'), jsonl(header('a'), user('u1', null, 'hello')));
    const index = await openIndex([root, join(root, 'in')]);
    await index.sync();
    expect(index.list().sessions.map(({ id, root: of }) => [id, of])).toEqual([['a', join(root, 'in')]]);
  });

  it('a query answers for its roots only, whatever else the database holds', async () => {
    const one = temporaryFolder();
    const two = temporaryFolder();
    write(join(one, 'a.jsonl'), jsonl(header('a'), user('u1', null, 'hello')));
    write(join(two, 'b.jsonl'), jsonl(header('b'), user('u2', null, 'hello')));
    const first = await openIndex([one]);
    await first.sync();
    const second = await openIndex([two], { dbPath: first.dbPath });
    await second.sync();
    expect(second.list().sessions.map(({ id }) => id)).toEqual(['b']);
    expect(first.list().sessions.map(({ id }) => id)).toEqual(['a']);
  });

  it('rule 2: after any edits, the index equals one built from nothing, table by table and word by word', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(edit, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
        async (rounds) => {
          const root = temporaryFolder();
          const index = await openIndex([root]);
          for (const edits of rounds) {
            for (const apply of edits) applyEdit(root, apply);
            await index.sync();
          }
          expect(dumpIndex(index.dbPath)).toEqual(await freshDump([root]));
          expect((await index.verify()).differences).toEqual([]);
        },
      ),
      { numRuns: 25 },
    );
  }, 60_000);
});

function counts(
  some: Partial<Record<'seen' | 'indexed' | 'unchanged' | 'removed' | 'failed' | 'notSessions', number>>,
) {
  return { seen: 0, indexed: 0, unchanged: 0, removed: 0, failed: 0, notSessions: 0, ...some };
}

function filesBeside(dbPath: string) {
  const folder = join(dbPath, '..');
  return readdirSync(folder)
    .filter((name) => !name.endsWith('-shm') && !name.endsWith('-wal'))
    .map((name) => [name, statSync(join(folder, name)).mtimeMs, statSync(join(folder, name)).size]);
}

type Edit =
  | { readonly do: 'write'; readonly file: number; readonly lines: readonly unknown[] }
  | { readonly do: 'append'; readonly file: number; readonly lines: readonly unknown[] }
  | { readonly do: 'append-torn'; readonly file: number }
  | { readonly do: 'delete'; readonly file: number }
  | { readonly do: 'move'; readonly file: number; readonly to: number }
  | { readonly do: 'copy'; readonly file: number; readonly to: number };

const file = fc.nat({ max: 4 });
const id = fc.constantFrom('e1', 'e2', 'e3', 'e4', 'e5', 'e6');
const words = fc.constantFrom('alpha beta', 'gamma', 'delta alpha', 'epsilon zeta eta');
const entry = fc.oneof(
  fc.record({ id, parent: fc.option(id), words }).map(({ id, parent, words }) => user(id, parent, words)),
  fc
    .record({ id, parent: fc.option(id), words })
    .map(({ id, parent, words }) => assistant(id, parent, words)),
  fc
    .record({ id, target: id })
    .map(({ id, target }) => ({ type: 'label', id, parentId: null, targetId: target, label: 'x' })),
  fc.constant({
    type: 'message',
    id: 'e7',
    parentId: 'e1',
    message: {
      role: 'toolResult',
      toolName: 'task',
      content: [],
      details: { results: [{ id: 'f1', usage: { input: 3 } }] },
    },
  }),
);
const sessionLines = fc
  .record({
    id: fc.constantFrom('s1', 's2'),
    parent: fc.constantFrom(undefined, 's1', 'f1.jsonl', '/nowhere/f2.jsonl'),
    entries: fc.array(entry, { maxLength: 5 }),
  })
  .map(({ id, parent, entries }) => [
    header(id, parent === undefined ? {} : { parentSession: parent }),
    ...entries,
  ]);
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ do: fc.constant('write' as const), file, lines: sessionLines }),
  fc.record({
    do: fc.constant('append' as const),
    file,
    lines: fc.array(entry, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ do: fc.constant('append-torn' as const), file }),
  fc.record({ do: fc.constant('delete' as const), file }),
  fc.record({ do: fc.constant('move' as const), file, to: file }),
  fc.record({ do: fc.constant('copy' as const), file, to: file }),
);

/** Files 0 to 2 are sessions, 3 and 4 subagents of file 0. */
function pathOf(root: string, file: number): string {
  return file < 3 ? join(root, `f${file}.jsonl`) : join(root, 'f0', `f${file - 2}.jsonl`);
}

function applyEdit(root: string, edit: Edit): void {
  const path = pathOf(root, edit.file);
  const exists = statSync(path, { throwIfNoEntry: false }) !== undefined;
  if (edit.do === 'write') write(path, jsonl(...edit.lines));
  else if (!exists) return;
  else if (edit.do === 'append') appendFileSync(path, jsonl(...edit.lines));
  else if (edit.do === 'append-torn') appendFileSync(path, '{"type":"message","id":"t');
  else if (edit.do === 'delete') rmSync(path);
  else if (edit.do === 'move') {
    write(join(pathOf(root, edit.to), '..', '.keep'), '');
    renameSync(path, pathOf(root, edit.to));
  } else write(pathOf(root, edit.to), readFileSync(path));
}
