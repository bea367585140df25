import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadEntries } from '../../src/format/load.js';
import { loadEntriesFromFile } from '../../src/session/load-entries.js';
import { findMostRecentSession, getRecentSessions } from '../../src/session/resume.js';
import { SessionManager } from '../../src/session/session-manager.js';
import { makeWorld, type World } from '../support/session-world.js';

/** Real session files, where somebody has them; not part of the project. */
const CORPUS = path.resolve(
  process.env.SESSIONDEX_CORPUS ?? fileURLToPath(new URL('../../../shared/corpus', import.meta.url)),
);
const isThere = existsSync(CORPUS);
const title = isThere
  ? 'real files'
  : `real files (skipped: no folder ${CORPUS}; SESSIONDEX_CORPUS names another)`;

function copyOfCorpus(): { world: World; files: string[] } {
  const world = makeWorld();
  // A copy of what links lead to, never of a link: what is migrated here must not be the files themselves.
  cpSync(realpathSync(CORPUS), world.sessionsRoot, {
    recursive: true,
    dereference: true,
    preserveTimestamps: true,
  });
  const files = readdirSync(world.sessionsRoot, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => path.join(world.sessionsRoot, name));
  return { world, files };
}

function stateOf(files: readonly string[]) {
  return files.map((file) => {
    const digest = createHash('sha256').update(readFileSync(file)).digest('hex');
    return `${file} ${digest} ${statSync(file, { bigint: true }).mtimeNs}`;
  });
}

describe.skipIf(!isThere)(title, () => {
  it('opened, listed and looked through, a current file keeps every byte and its mtime', async () => {
    const { world, files } = copyOfCorpus();
    const before = stateOf(files);
    const current = files.filter((file) => {
      const loaded = loadEntries([readFileSync(file)]);
      return loaded.kind === 'session' && loaded.header?.version === 3;
    });
    expect(current.length).toBeGreaterThan(10);
    for (const file of current) {
      const manager = await SessionManager.open(file, undefined, undefined, world.host);
      expect(manager.getEntries().length).toBeGreaterThanOrEqual(0);
      manager.buildSessionContext();
      manager.getTree();
      manager.getUsageStatistics();
      await manager.close();
    }
    const listed = await SessionManager.listAll(undefined, world.host);
    expect(listed.length).toBeGreaterThanOrEqual(current.length);
    for (const dir of new Set(files.map((file) => path.dirname(file)))) {
      await getRecentSessions(dir, 5, undefined, world.host);
      await findMostRecentSession(dir, undefined, world.host);
    }
    expect(world.host.warnings).toEqual([]);
    expect(stateOf(files)).toEqual(before);
  });

  it('F13: an old file migrates to what a load and a migration in memory give, and then no further', async () => {
    const { world, files } = copyOfCorpus();
    let migrated = 0;
    for (const file of files) {
      const loaded = loadEntries([readFileSync(file)]);
      const version = loaded.header?.version ?? 1;
      if (loaded.kind !== 'session' || version >= 3) continue;
      migrated += 1;
      const manager = await SessionManager.open(file, undefined, undefined, world.host);
      const [header, ...entries] = await loadEntriesFromFile(file);
      expect(header).toEqual({ ...loaded.header, version: 3 });
      expect(entries).toHaveLength(loaded.entries.length - 1);
      expect(entries.filter(({ type }) => type !== 'session').every(({ id }) => typeof id === 'string')).toBe(
        true,
      );
      await manager.close();
      const after = stateOf([file]);
      await (await SessionManager.open(file, undefined, undefined, world.host)).close();
      expect(stateOf([file])).toEqual(after);
    }
    expect(migrated).toBeGreaterThan(0);
  });

  it('F10: a rewrite keeps every entry of every file as it parses', async () => {
    const { world, files } = copyOfCorpus();
    for (const file of files) {
      const before = loadEntries([readFileSync(file)]);
      if (before.kind !== 'session' || before.header?.version !== 3) continue;
      const manager = await SessionManager.open(file, undefined, undefined, world.host);
      await manager.rewriteEntries();
      await manager.close();
      const after = loadEntries([readFileSync(file)]);
      expect(after.entries.length).toBe(before.entries.length);
      expect(after.titleSlot?.value).toEqual(before.titleSlot?.value);
      expect(after.problems).toEqual([]);
    }
  });
});
