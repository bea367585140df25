import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkLayers, describe as line } from '../scripts/check-layers.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

describe('the layers of src', () => {
  it('import only downwards, use packages only where they belong, and have no cycles', () => {
    expect(checkLayers(path.join(ROOT, 'src')).map(line)).toEqual([]);
  });
});

describe('the layer check', () => {
  let src: string;

  beforeEach(() => {
    src = mkdtempSync(path.join(tmpdir(), 'sessiondex-layers-'));
  });
  afterEach(() => {
    rmSync(src, { recursive: true, force: true });
  });

  function plant(files: Readonly<Record<string, string>>): void {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(src, file)), { recursive: true });
      writeFileSync(path.join(src, file), text);
    }
  }
  const found = () => checkLayers(src).map(line);

  it('is content with downward imports and with packages in their layers', () => {
    plant({
      'errors.ts': 'export class Fault extends Error {}',
      'format/types.ts': "import { Fault } from '../errors.js';\nexport type Entry = Fault;",
      'format/hash.ts':
        "import { createHash, type Hash } from 'node:crypto';\nexport const make: () => Hash = () => createHash('sha1');",
      'session-index/schema.ts': "import { text } from 'drizzle-orm/sqlite-core';\nexport { text };",
      'session-index/find.ts': "import type { Entry } from '../format/types.js';\nexport type Found = Entry;",
      'report/list.ts': "import type { Found } from '../session-index/find.js';\nexport type Row = Found;",
      'cli/main.ts':
        "import { readFileSync } from 'node:fs';\nimport type { Row } from '../report/list.js';\nexport const row: Row | typeof readFileSync = readFileSync;",
    });
    expect(found()).toEqual([]);
  });

  it('reports an upward import, with its file and line', () => {
    plant({
      'format/load.ts': "import { read } from '../storage/read.js';\nexport const load = read;",
      'storage/read.ts': 'export const read = 1;',
    });
    expect(found()).toEqual(['src/format/load.ts:1 format may not import storage (../storage/read.js)']);
  });

  it('reports an upward import of types alone', () => {
    plant({
      'tree/path.ts':
        "export const depth = 1;\nimport type { Manager } from '../session/manager.js';\nexport type Owner = Manager;",
      'session/manager.ts': 'export interface Manager {}',
    });
    expect(found()).toEqual(['src/tree/path.ts:2 tree may not import session (../session/manager.js)']);
  });

  it('reports an upward re-export', () => {
    plant({
      'query/parse.ts': "export { plan } from '../session-index/plan.js';",
      'session-index/plan.ts': 'export const plan = 1;',
    });
    expect(found()).toEqual([
      'src/query/parse.ts:1 query may not import session-index (../session-index/plan.js)',
    ]);
  });

  it('reports an upward dynamic import', () => {
    plant({
      'storage/open.ts': "\n\nexport const open = () => import('../session-index/connect.js');",
      'session-index/connect.ts': 'export const connect = 1;',
    });
    expect(found()).toEqual([
      'src/storage/open.ts:3 storage may not import session-index (../session-index/connect.js)',
    ]);
  });

  it('reports whoever imports the command, the public API included', () => {
    plant({
      'index.ts': "export { run } from './cli/run.js';",
      'report/table.ts': "import type { run } from '../cli/run.js';\nexport type Run = typeof run;",
      'cli/run.ts': 'export const run = 1;',
    });
    expect(found()).toEqual([
      'src/index.ts:1 index.ts may not import cli (./cli/run.js)',
      'src/report/table.ts:1 report may not import cli (../cli/run.js)',
    ]);
  });

  it('reports a report that takes more than types from the index', () => {
    plant({
      'report/list.ts':
        "import { type Found, find } from '../session-index/find.js';\nexport const list: Found = find;",
      'report/lazy.ts':
        "import type { Found } from '../session-index/find.js';\nexport const lazy: Promise<{ find: Found }> = import('../session-index/find.js');",
      'session-index/find.ts': 'export const find = 1;\nexport type Found = number;',
    });
    expect(new Set(found().map((text) => text.replace(/:\d+/, '')))).toEqual(
      new Set([
        'src/report/lazy.ts report may import only types of session-index (../session-index/find.js)',
        'src/report/list.ts report may import only types of session-index (../session-index/find.js)',
      ]),
    );
  });

  it('reports a package outside its layer, and one that is in no layer', () => {
    plant({
      'query/plan.ts': "import { sql } from 'kysely';\nexport { sql };",
      'session/open.ts': "import Database from 'better-sqlite3';\nexport const open = Database;",
      'cli/left.ts':
        "import { pad } from 'left-pad/lib/pad.js';\nimport { a } from '@scope/name/deep';\nexport { a, pad };",
    });
    expect(found()).toEqual([
      'src/cli/left.ts:1 left-pad is no package of the table',
      'src/cli/left.ts:2 @scope/name is no package of the table',
      'src/query/plan.ts:1 query may not use the package kysely',
      'src/session/open.ts:1 session may not use the package better-sqlite3',
    ]);
  });

  it('reports a Node module outside its layer, however it is spelled', () => {
    plant({
      'session/read.ts': "import { readFileSync } from 'fs';\nexport { readFileSync };",
      'session/write.ts': "import { writeFile } from 'node:fs/promises';\nexport { writeFile };",
      'tree/clock.ts': "import { performance } from 'node:perf_hooks';\nexport { performance };",
      'format/ids.ts':
        "import { createHash, randomBytes } from 'node:crypto';\nexport { createHash, randomBytes };",
    });
    expect(found()).toEqual([
      'src/format/ids.ts:1 format may use only createHash, hash, Hash of node:crypto, not randomBytes',
      'src/session/read.ts:1 session may not use node:fs',
      'src/session/write.ts:1 session may not use node:fs',
      'src/tree/clock.ts:1 tree may not use node:perf_hooks',
    ]);
  });

  it('reports a cycle inside a layer once, as the chain that closes it', () => {
    plant({
      'tree/a.ts': "import { b } from './b.js';\nexport const a = () => b;",
      'tree/b.ts': "import { c } from './deep/c.js';\nexport const b = () => c;",
      'tree/deep/c.ts': "import { a } from '../a.js';\nexport const c = () => a;",
      'tree/leaf.ts': "import { a } from './a.js';\nexport const leaf = a;",
    });
    expect(found()).toEqual([
      'src/tree/deep/c.ts:1 closes an import cycle: tree/a.ts -> tree/b.ts -> tree/deep/c.ts -> tree/a.ts',
    ]);
  });

  it('reports a folder that is in no table and an import that leaves src', () => {
    plant({
      'helpers/text.ts': "import { a } from '../format/a.js';\nexport { a };",
      'cli/version.ts': "import { version } from '../../package.js';\nexport { version };",
      'format/a.ts': 'export const a = 1;',
    });
    expect(found()).toEqual([
      'src/cli/version.ts:1 cli imports ../../package.js, which is outside src',
      'src/helpers/text.ts:1 helpers is no layer of the table',
    ]);
  });
});

describe('package.json', () => {
  it('asks for the Node versions that the scripts accept', async () => {
    const { engines } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
    const source = readFileSync(path.join(ROOT, 'scripts/node-version.mjs'), 'utf8');
    expect(source).toContain(`NODE_RANGE = '${engines.node}'`);
  });
});
