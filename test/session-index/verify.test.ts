import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openIndex } from '../support/index.js';
import { dumpIndex } from '../support/index-dump.js';
import { assistant, header, jsonl, temporaryFolder, user, write } from '../support/tree.js';

/** A session with a row in every table. */
function fullSession(id: string): string {
  return jsonl(
    header(id, { parentSession: 'none' }),
    user('u1', null, 'please look'),
    assistant('a1', 'u1', 'I look', {
      content: [
        { type: 'thinking', thinking: 'ponder deeply' },
        { type: 'text', text: 'I look' },
        { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'src/main.ts' } },
        { type: 'image', data: `blob:sha256:${'a'.repeat(64)}`, mimeType: 'image/png' },
      ],
    }),
    user('u2', 'u1', 'a branch'),
    user('u3', 'gone', 'an orphan'),
    { type: 'label', id: 'l1', parentId: 'u3', targetId: 'u1', label: 'start' },
    { type: 'model_change', id: 'm1', parentId: 'l1', model: 'x/y' },
    'not an entry',
  );
}

/** One alteration of each table, and where it must be named. */
const ALTERATIONS: readonly (readonly [sql: string, field: string])[] = [
  ["UPDATE files SET checksum = checksum + 1 WHERE path LIKE '%a.jsonl'", 'files.checksum'],
  ["UPDATE sessions SET title = 'x'", 'sessions.title'],
  ['UPDATE sessions SET cost_usd = cost_usd + 1e-9', 'sessions.cost_usd'],
  ["UPDATE entries SET byte_offset = byte_offset + 1 WHERE entry_id = 'a1'", 'entries.byte_offset'],
  ["UPDATE entries SET entry_id = 'zz' WHERE entry_id = 'a1'", 'entries.entry_id'],
  ["DELETE FROM entries WHERE entry_id = 'a1'", 'entries'],
  ['UPDATE parents SET parent_seq = 2 WHERE parent_seq IS NOT NULL', 'parents.parent_seq'],
  ["UPDATE orphans SET parent_id = 'x'", 'orphans.parent_id'],
  ["UPDATE labels SET label = 'x'", 'labels.label'],
  ["UPDATE blob_refs SET hash = replace(hash, 'a', 'b')", 'blob_refs.hash'],
  ["UPDATE models SET provider = 'x'", 'models.provider'],
  ['UPDATE usage SET output = output + 1', 'usage.output'],
  ["UPDATE model_changes SET value = 'x'", 'model_changes.value'],
  ["UPDATE tool_calls SET name = 'x'", 'tool_calls.name'],
  ["UPDATE kinds SET role = 'x' WHERE role = 'user'", 'kinds.role'],
  ['UPDATE problems SET line = line + 1', 'problems.line'],
  ['INSERT INTO copies (id, original_id) SELECT id, id FROM entries LIMIT 1', 'copies'],
  ['INSERT INTO labels SELECT id + 1, target_id, target_seq, label, is_current FROM labels', 'labels'],
];

describe('verify', () => {
  it.each(ALTERATIONS)('names what differs after: %s', async (sql, field) => {
    const { index } = await indexed();
    const db = new Database(index.dbPath);
    expect(db.prepare(sql).run().changes).toBeGreaterThan(0);
    db.close();
    const { ok, differences } = await index.verify();
    expect(ok).toBe(false);
    expect(differences.map((difference) => difference.field)).toContain(field);
  });

  it.each(['prose', 'thinking', 'tools'])(
    'names a word that is missing from %s, and one that is too many',
    async (table) => {
      const { index, root } = await indexed();
      const shard = shardWith(index.dbPath, table);
      const id = shard.prepare(`SELECT id FROM ${table}_docsize LIMIT 1`).pluck().get();
      shard.prepare(`DELETE FROM ${table} WHERE rowid = ?`).run(id);
      shard.prepare(`INSERT INTO ${table} (rowid, text) VALUES (?, 'intruder')`).run(id);
      shard.close();
      const { differences } = await index.verify();
      const fields = differences.map(({ field }) => field);
      expect(fields).toContain(`${table}: intruder`);
      expect(fields.filter((field) => field?.startsWith(`${table}: `)).length).toBeGreaterThan(1);
      expect(differences.every(({ path }) => path === join(root, 'a.jsonl'))).toBe(true);
    },
  );

  it('is content with an untouched index, and changes no byte of it', async () => {
    const { index } = await indexed();
    const db = new Database(index.dbPath, { readonly: true });
    const version = db.pragma('data_version', { simple: true });
    expect(await index.verify()).toMatchObject({
      ok: true,
      files: 2,
      entries: 6,
      differences: [],
      isCut: false,
    });
    expect(db.pragma('data_version', { simple: true })).toBe(version);
    db.close();
  });

  it('names a file that was changed, added or removed since', async () => {
    const { index, root } = await indexed();
    write(join(root, 'a.jsonl'), jsonl(header('a'), user('u1', null, 'other')));
    write(join(root, 'new.jsonl'), jsonl(header('n')));
    const { differences } = await index.verify();
    const files = differences.filter(({ kind }) => kind === 'file').map(({ path, actual }) => [path, actual]);
    expect(files).toEqual([
      [join(root, 'new.jsonl'), 'not indexed'],
      [join(root, 'a.jsonl'), 'indexed before its last change'],
    ]);
  });

  it('names a difference after any one byte of the index is altered, unless every answer is still the same', async () => {
    const { index } = await indexed();
    index.close();
    const truth = dumpIndex(index.dbPath);
    const names = readdirSync(join(index.dbPath, '..')).filter(
      (name) => !/-(lock|wal|shm)$|lock$/.test(name),
    );
    let named = 0;
    for (const name of names) {
      const path = join(index.dbPath, '..', name);
      const whole = readFileSync(path);
      for (let at = 100; at < whole.length; at += 4001) {
        const altered = Buffer.from(whole);
        altered[at] = (altered[at] ?? 0) ^ 0x11;
        writeFileSync(path, altered);
        const { ok } = await index.verify();
        if (ok) expect(dumpIndex(index.dbPath)).toEqual(truth);
        else named += 1;
        index.close();
        writeFileSync(path, whole);
      }
    }
    expect(named).toBeGreaterThan(4);
  });

  it('lists at most the differences asked for, and says that there are more', async () => {
    const { index } = await indexed();
    const db = new Database(index.dbPath);
    db.exec('UPDATE entries SET byte_length = byte_length + 1');
    db.close();
    const { differences, isCut } = await index.verify({ limit: 2 });
    expect([differences.length, isCut]).toEqual([2, true]);
  });
});

async function indexed() {
  const root = temporaryFolder();
  write(join(root, 'a.jsonl'), fullSession('a'));
  write(join(root, 'foreign.jsonl'), '{"other":1}\n');
  const index = await openIndex([root]);
  await index.sync();
  return { index, root };
}

function shardWith(dbPath: string, table: string): Database.Database {
  const db = new Database(dbPath, { readonly: true });
  const names = db.prepare('SELECT file_name FROM shards').pluck().all() as string[];
  db.close();
  for (const name of names) {
    const shard = new Database(join(dbPath, '..', name));
    if (shard.prepare(`SELECT count(*) FROM ${table}_docsize`).pluck().get() !== 0) return shard;
    shard.close();
  }
  throw new Error(`no shard has text in ${table}`);
}
