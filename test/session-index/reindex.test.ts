import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { IndexPaths } from '../../src/session-index/index-paths.js';
import { IndexReader } from '../../src/session-index/index-reader.js';
import { freshDump, openIndex } from '../support/index.js';
import { dumpIndex } from '../support/index-dump.js';
import { assistant, header, jsonl, temporaryFolder, user, write } from '../support/tree.js';

const CLI = join(import.meta.dirname, '../../dist/cli.js');

function writeSessions(root: string, count: number, word: string): void {
  for (let n = 0; n < count; n += 1) {
    const lines = Array.from({ length: 40 }, (_, i) =>
      assistant(`a${i}`, i === 0 ? null : `a${i - 1}`, `${word} ${n} ${i}`),
    );
    write(
      join(root, `p${n % 7}`, `${n}.jsonl`),
      jsonl(header(`s${n}`), user('u', null, `${word} ${n}`), ...lines),
    );
  }
}

describe('reindex', () => {
  it('gives what a sync gives', async () => {
    const root = temporaryFolder();
    writeSessions(root, 20, 'apple');
    const index = await openIndex([root]);
    await index.sync();
    expect(dumpIndex(index.dbPath)).toEqual(await freshDump([root]));
  });

  it('rule 4: a reader that began before it sees the old index until it ends, rows and text', async () => {
    const root = temporaryFolder();
    writeSessions(root, 5, 'apple');
    const index = await openIndex([root]);
    await index.sync();
    const reader = IndexReader.open(new IndexPaths(index.dbPath));
    writeSessions(root, 5, 'grape');
    let rebuilt: Promise<unknown> | undefined;
    const seen = reader?.rowsAndText(({ db, shards }) => {
      rebuilt = index.reindex();
      const count = (word: string) =>
        shards
          .map(
            (shard) =>
              db
                .prepare(`SELECT count(*) FROM ${shard}.prose WHERE prose MATCH ?`)
                .pluck()
                .get(word) as number,
          )
          .reduce((sum, n) => sum + n, 0);
      return { apple: count('apple'), grape: count('grape') };
    });
    await rebuilt;
    expect(seen).toEqual({ apple: 5 * 41, grape: 0 });
    const after = reader?.rowsAndText(({ db, shards }) =>
      shards.map(
        (shard) =>
          db.prepare(`SELECT count(*) FROM ${shard}.prose WHERE prose MATCH 'grape'`).pluck().get() as number,
      ),
    );
    expect(after?.reduce((sum, n) => sum + n, 0)).toBe(5 * 41);
    reader?.close();
  });

  it('an aborted one leaves the old index and nothing else', async () => {
    const root = temporaryFolder();
    writeSessions(root, 5, 'apple');
    const index = await openIndex([root]);
    await index.sync();
    const before = dumpIndex(index.dbPath);
    const files = readdirSync(join(index.dbPath, '..')).sort();
    writeSessions(root, 5, 'grape');
    const controller = new AbortController();
    controller.abort(new Error('stopped'));
    await expect(index.reindex({ signal: controller.signal })).rejects.toThrow('stopped');
    expect(dumpIndex(index.dbPath)).toEqual(before);
    expect(readdirSync(join(index.dbPath, '..')).sort()).toEqual(files);
  });

  it('an index damaged on purpose is set aside, said in one line and made anew', async () => {
    const root = temporaryFolder();
    writeSessions(root, 5, 'apple');
    const index = await openIndex([root]);
    await index.sync();
    const truth = dumpIndex(index.dbPath);
    index.close();
    const damaged = Buffer.alloc(4096 * 4, 0xff);
    readFileSync(index.dbPath).copy(damaged, 0, 0, 100);
    writeFileSync(index.dbPath, damaged);
    const notices: string[] = [];
    await index.sync({ onNotice: (message) => notices.push(message) });
    expect(notices).toEqual([expect.stringContaining('made anew')]);
    expect(dumpIndex(index.dbPath)).toEqual(truth);
    const names = readdirSync(join(index.dbPath, '..'));
    expect(names.filter((name) => name.includes('.damaged-') && !/-(wal|shm)$/.test(name))).toHaveLength(1);
  });

  it('another program’s database and a text file are left alone', async () => {
    const root = temporaryFolder();
    writeSessions(root, 1, 'apple');
    const dbPath = write(join(temporaryFolder(), 'notes.txt'), 'my notes, at least sixteen bytes of them');
    const index = await openIndex([root], { dbPath });
    await expect(index.sync()).rejects.toMatchObject({ code: 'INDEX_FOREIGN' });
    await expect(index.reindex()).rejects.toMatchObject({ code: 'INDEX_FOREIGN' });
    expect(statSync(dbPath).size).toBe(40);
    expect(readdirSync(join(dbPath, '..'))).toEqual(['notes.txt']);
  });

  it.skipIf(!existsSync(CLI))(
    'rule 5: killed at any moment, the old or the new index is there, whole',
    async () => {
      const root = temporaryFolder();
      writeSessions(root, 150, 'apple');
      const index = await openIndex([root]);
      await index.sync();
      const before = dumpIndex(index.dbPath);
      const started = Date.now();
      await finished(run(['reindex', '--root', root, '--db', index.dbPath]));
      // How long it takes differs from run to run: the guess shrinks whenever a child was done before its kill.
      let guessMs = Date.now() - started;
      for (let killed = 0; killed < 8; ) {
        const child = run(['reindex', '--root', root, '--db', index.dbPath]);
        await sleep(guessMs * (0.2 + Math.random() * 0.8));
        if (child.exitCode === null && child.kill('SIGKILL')) killed += 1;
        else guessMs *= 0.8;
        await finished(child);
        const reader = await openIndex([root], { dbPath: index.dbPath });
        expect(reader.list().total).toBe(150);
        expect(dumpIndex(index.dbPath)).toEqual(before);
        reader.close();
      }
      await index.reindex();
      expect(dumpIndex(index.dbPath)).toEqual(before);
      expect(readdirSync(join(index.dbPath, '..')).filter((name) => name.includes('staging'))).toEqual([]);
    },
    120_000,
  );
});

function run(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [CLI, ...args], { stdio: 'ignore' });
}

async function finished(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
