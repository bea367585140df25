import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCorpus, type Truth } from '../../scripts/make-corpus/index.mjs';
import { SessionIndex } from '../../src/session-index/session-index.js';

const SPAN = 2 ** 24;

/** Kinds of problems that the generator notes; the rest are harmless and not in its list. */
const NOTED = new Set(['unparsable', 'torn', 'nul-bytes', 'not-an-entry', 'glued']);

describe('a generated corpus of 1,000 sessions, about 120 MB, damage mixed in', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sessiondex-generated-'));
  const root = join(folder, 'corpus', 'sessions');
  let truth: Truth;
  let index: SessionIndex;
  let db: Database.Database;
  const fileIds = new Map<string, number>();

  beforeAll(async () => {
    truth = makeCorpus({
      dir: join(folder, 'corpus'),
      seed: 7,
      sessions: 1000,
      projects: 40,
      bytes: 120e6,
      damage: 0.05,
    });
    index = await SessionIndex.open({ roots: [root], dbPath: join(folder, 'index.db'), workerCount: 2 });
    await index.reindex();
    db = new Database(index.dbPath, { readonly: true });
    for (const { id, path } of db.prepare('SELECT id, path FROM files').all() as {
      id: number;
      path: string;
    }[]) {
      fileIds.set(relative(root, path), id);
    }
  }, 120_000);

  afterAll(() => {
    db.close();
    index.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('has every file as a session or as none, with its reason', () => {
    const { total, sessions } = index.list();
    expect(total).toBe(truth.sessions.length);
    expect(sessions.map(({ path }) => relative(root, path)).toSorted()).toEqual(
      truth.sessions.map(({ path }) => path).toSorted(),
    );
    const foreign = index.problems().filter(({ path }) => !sessions.some((session) => session.path === path));
    expect(
      foreign
        .filter(({ line, byteOffset }) => line === 1 && byteOffset === 0)
        .map(({ path, kind }) => ({ path: relative(root, path), reason: kind }))
        .filter(({ reason }) => !NOTED.has(reason) || reason === 'unparsable'),
    ).toEqual(expect.arrayContaining(truth.notSessions.map(({ path, reason }) => ({ path, reason }))));
  });

  it('list agrees in every field', () => {
    const listed = new Map(index.list().sessions.map((session) => [relative(root, session.path), session]));
    for (const expected of truth.sessions) {
      const actual = listed.get(expected.path);
      expect({
        path: expected.path,
        id: actual?.id,
        project: actual?.project,
        version: actual?.version,
        title: actual?.title,
        firstMessage: actual?.firstMessage,
        createdMs: actual?.createdMs,
        messageCount: actual?.messageCount,
        entryCount: actual?.entryCount,
        branchCount: actual?.branchCount,
        orphanCount: actual?.orphanCount,
        labels: actual?.labels.toSorted(byTarget),
        parentSession: actual?.parentSession,
      }).toEqual({
        path: expected.path,
        id: expected.id,
        project: expected.cwd,
        version: expected.version,
        title: expected.title,
        firstMessage: expected.firstUserMessage,
        createdMs: expected.createdMs,
        messageCount: expected.messageCount,
        entryCount: expected.entryCount,
        branchCount: expected.leafCount,
        orphanCount: expected.orphans,
        labels: expected.labels.toSorted(byTarget),
        parentSession: expected.parentSession,
      });
      if (expected.modifiedMs !== null) expect(actual?.modifiedMs).toBe(expected.modifiedMs);
    }
  });

  it('entries and parents agree, one by one', () => {
    const rows = db.prepare(
      `SELECT e.id, e.entry_id, k.type, k.role, e.timestamp_ms, e.byte_offset, e.byte_length
       FROM entries e JOIN kinds k ON k.id = e.kind_id WHERE e.id > ? AND e.id < ? ORDER BY e.id`,
    );
    const runs = db.prepare(
      'SELECT id, last_seq, parent_seq FROM parents WHERE id > ? AND id < ? ORDER BY id',
    );
    const leaf = db.prepare('SELECT leaf_seq, branch_point_count FROM sessions WHERE id = ?');
    let compared = 0;
    for (const { path, version, entries, leafId, branchPoints } of truth.sessions) {
      const first = (fileIds.get(path) ?? 0) * SPAN;
      const actual = rows.all(first, first + SPAN) as Record<string, unknown>[];
      expect([path, actual.length]).toEqual([path, entries.length]);
      const parents: (number | null)[] = [];
      for (const run of runs.all(first, first + SPAN) as {
        id: number;
        last_seq: number;
        parent_seq: number | null;
      }[]) {
        for (let seq = run.id - first; seq <= run.last_seq; seq += 1) {
          parents[seq - 1] =
            seq === run.id - first ? (run.parent_seq === null ? null : run.parent_seq - 1) : seq - 2;
        }
      }
      entries.forEach((expected, n) => {
        const row = actual[n] ?? {};
        const got = {
          type: row['type'],
          role: row['role'] || null,
          timestampMs: row['timestamp_ms'],
          byteOffset: row['byte_offset'],
          byteLength: row['byte_length'],
          parentIndex: parents[n],
        };
        const { id, ...rest } = expected;
        expect(got).toEqual(rest);
        if (version >= 2) expect(row['entry_id']).toBe(id);
        else expect(row['entry_id']).toMatch(/^[0-9a-f]{8}$/);
        compared += 1;
      });
      const { leaf_seq, branch_point_count } = leaf.get(fileIds.get(path)) as {
        leaf_seq: number;
        branch_point_count: number;
      };
      expect(branch_point_count).toBe(branchPoints);
      if (version >= 2) expect(actual[leaf_seq - 1]?.['entry_id']).toBe(leafId);
    }
    expect(compared).toBeGreaterThan(20_000);
  });

  it('damaged lines agree, with kind, line and byte', () => {
    const found = index
      .problems()
      .filter(({ kind }) => NOTED.has(kind))
      .map(({ path, kind, line, byteOffset }) => ({ path: relative(root, path), kind, line, byteOffset }))
      .filter(({ path }) => !path.startsWith('--others--'));
    const expected = truth.sessions.flatMap(({ path, problems }) =>
      problems.map((problem) => ({ path, ...problem })),
    );
    const order = (a: { path: string; byteOffset: number }, b: { path: string; byteOffset: number }) =>
      a.path < b.path ? -1 : a.path > b.path ? 1 : a.byteOffset - b.byteOffset;
    expect(found.toSorted(order)).toEqual(expected.toSorted(order));
    expect(new Set(expected.map(({ kind }) => kind))).toEqual(NOTED);
  });

  it('planted words are found where they were planted, once, and copies are named', () => {
    expect(truth.planted.length).toBeGreaterThan(80);
    for (const { word, part, original, copies } of truth.planted) {
      const { total, hits } = index.search(word);
      const [hit] = hits;
      const entry = truth.sessions.find(({ path }) => path === original.path)?.entries[
        original.entryIndex ?? -1
      ];
      expect({
        word,
        total,
        part: hit?.part,
        path: hit && relative(root, hit.path),
        byteOffset: entry ? hit?.byteOffset : undefined,
      }).toEqual({
        word,
        total: 1,
        part,
        path: original.path,
        byteOffset: entry?.byteOffset,
      });
      expect(hit?.snippet).toContain(word);
      const idOf = (path: string) => truth.sessions.find((session) => session.path === path)?.id;
      expect(hit?.alsoIn.toSorted()).toEqual([...new Set(copies.map(({ path }) => idOf(path)))].toSorted());
    }
  });

  it('usage agrees to the token and to 1e-9 dollars: in all, by session, by model and by day', () => {
    const sums = `sum(input) AS input, sum(output) AS output, sum(cache_read) AS cacheRead, sum(cache_write) AS cacheWrite, sum(cost_usd) AS cost`;
    const from = `FROM usage u JOIN models m ON m.id = u.model_id WHERE u.is_counted`;
    compareUsage(db.prepare(`SELECT 'all' AS key, ${sums} ${from}`).all() as UsageRow[], {
      all: truth.usage.total,
    });
    compareUsage(
      db
        .prepare(
          `SELECT provider || '/' || model AS key, ${sums} ${from} AND (input + output + cost_usd) > 0 GROUP BY key`,
        )
        .all() as UsageRow[],
      truth.usage.byModel,
    );
    compareUsage(
      db
        .prepare(
          `SELECT date(timestamp_ms / 1000, 'unixepoch') AS key, ${sums} ${from} AND timestamp_ms IS NOT NULL AND (input + output + cost_usd) > 0 GROUP BY key`,
        )
        .all() as UsageRow[],
      truth.usage.byDay,
    );
    const bySession = index
      .list()
      .sessions.map(({ path, usage }) => ({ key: relative(root, path), ...usage, cost: usage.costUsd }));
    compareUsage(bySession, truth.usage.bySession);
  });

  it('verify says ok', async () => {
    const { ok, differences, files } = await index.verify();
    expect([ok, differences, files]).toEqual([true, [], truth.files]);
  }, 120_000);
});

function byTarget(a: { targetId: string }, b: { targetId: string }): number {
  return a.targetId < b.targetId ? -1 : 1;
}

interface UsageRow {
  readonly key: string;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cost: number;
}

function compareUsage(
  rows: readonly UsageRow[],
  expected: Readonly<Record<string, Omit<UsageRow, 'key'>>>,
): void {
  const actual = new Map(rows.map((row) => [row.key, row]));
  for (const [key, { cost, ...tokens }] of Object.entries(expected)) {
    const row = actual.get(key);
    expect({
      key,
      input: row?.input,
      output: row?.output,
      cacheRead: row?.cacheRead,
      cacheWrite: row?.cacheWrite,
    }).toEqual({ key, ...tokens });
    expect(Math.abs((row?.cost ?? Number.NaN) - cost)).toBeLessThan(1e-9);
  }
  expect(rows.length).toBe(Object.keys(expected).length);
}
