import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openIndex } from '../support/index.js';
import { assistant, header, jsonl, temporaryFolder, user, write } from '../support/tree.js';

describe('the schema', () => {
  it('has views with the documented names, for other programs', async () => {
    const root = temporaryFolder();
    const path = write(
      `${root}/a.jsonl`,
      jsonl(
        header('a', { title: 'T' }),
        user('u1', null, 'hi'),
        assistant('a1', 'u1', 'yes', {
          content: [{ type: 'toolCall', id: 'c1', name: 'read', arguments: {} }],
        }),
        { type: 'label', id: 'l1', parentId: 'a1', targetId: 'u1', label: 'start' },
        { type: 'model_change', id: 'm1', parentId: 'l1', provider: 'p', modelId: 'q' },
      ),
    );
    const index = await openIndex([root]);
    await index.sync();
    const db = new Database(index.dbPath, { readonly: true });
    const row = (view: string) => db.prepare(`SELECT * FROM ${view}`).get() as Record<string, unknown>;
    expect(row('v_sessions')).toMatchObject({
      session_id: 'a',
      path,
      title: 'T',
      message_count: 2,
      cost_usd: 0.03,
    });
    expect(row('v_entries')).toMatchObject({ seq: 1, entry_id: 'u1', type: 'message', role: 'user' });
    expect(row('v_messages')).toMatchObject({ seq: 1, entry_id: 'u1', role: 'user' });
    expect(row('v_usage')).toMatchObject({
      seq: 2,
      provider: 'anthropic',
      model: 'claude-x',
      input: 10,
      is_counted: 1,
    });
    expect(row('v_model_changes')).toMatchObject({ seq: 4, kind: 'model', role: 'default', value: 'p/q' });
    expect(row('v_tool_calls')).toMatchObject({ seq: 2, entry_id: 'a1', name: 'read', outcome: 'none' });
    expect(row('v_labels')).toMatchObject({
      seq: 3,
      target_id: 'u1',
      target_seq: 1,
      label: 'start',
      is_current: 1,
    });
    db.close();
  });

  it('is private: 0600 files in a 0700 folder', async () => {
    const { statSync, readdirSync } = await import('node:fs');
    const root = temporaryFolder();
    write(`${root}/a.jsonl`, jsonl(header('a')));
    const folder = `${temporaryFolder()}/deep/er`;
    const index = await openIndex([root], { dbPath: `${folder}/index.db` });
    await index.sync();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const modes = readdirSync(folder).map((name) => statSync(`${folder}/${name}`).mode & 0o777);
    expect(modes.length).toBeGreaterThan(3);
    expect(new Set(modes)).toEqual(new Set([0o600]));
  });

  it('rule 8: an index of a newer program is left alone, with a clear message', async () => {
    const root = temporaryFolder();
    write(`${root}/a.jsonl`, jsonl(header('a')));
    const index = await openIndex([root]);
    await index.sync();
    index.close();
    const db = new Database(index.dbPath);
    db.pragma('user_version = 999');
    db.close();
    await expect(index.sync()).rejects.toMatchObject({ code: 'INDEX_TOO_NEW' });
    await expect(index.reindex()).rejects.toMatchObject({ code: 'INDEX_TOO_NEW' });
    expect(() => index.list()).toThrow('newer sessiondex');
  });

  it('rule 8: an index whose rows were derived by other rules is made anew', async () => {
    const root = temporaryFolder();
    write(`${root}/a.jsonl`, jsonl(header('a', { title: 'right' })));
    const index = await openIndex([root]);
    await index.sync();
    index.close();
    const db = new Database(index.dbPath);
    db.exec("UPDATE index_state SET derivation = 0; UPDATE sessions SET title = 'as derived before'");
    db.close();
    await index.sync();
    expect(index.list().sessions[0]?.title).toBe('right');
  });
});
