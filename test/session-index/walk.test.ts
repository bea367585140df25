import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { walk } from '../../src/session-index/walk.js';
import { openIndex } from '../support/index.js';
import { temporaryFolder, write } from '../support/tree.js';

function found(root: string): string[] {
  return walk([root])
    .files.map(({ path }) => path.slice(root.length + 1))
    .sort();
}

describe('walk', () => {
  it('looks at every *.jsonl at any depth, whatever the folders are called, and at no other ending', () => {
    const root = temporaryFolder();
    const names = [
      'flat.jsonl',
      '--home-a--/a.jsonl',
      '-tmp-x/b.jsonl',
      '3f2a/c.jsonl',
      '--p--/s/run-1/session.jsonl',
    ];
    for (const name of names) write(join(root, name), '');
    for (const name of ['a.jsonl.bak-1', 'b.reset.2', 'c.deleted.3', 'd.json', 'jsonl'])
      write(join(root, name), '');
    mkdirSync(join(root, 'folder.jsonl'));
    expect(found(root)).toEqual([...names].sort());
  });

  it('pi #7497: a linked project folder is listed once, dangling and circular links are nothing', () => {
    const root = temporaryFolder();
    const elsewhere = temporaryFolder();
    write(join(elsewhere, 'a.jsonl'), '');
    symlinkSync(elsewhere, join(root, '--one--'));
    symlinkSync(elsewhere, join(root, '--two--'));
    symlinkSync(root, join(elsewhere, 'up'));
    symlinkSync(join(root, 'nowhere'), join(root, 'dangling.jsonl'));
    symlinkSync(join(root, 'loop'), join(root, 'loop'));
    expect(found(root)).toHaveLength(1);
    expect(found(root)[0]).toMatch(/^--(one|two)--\/a\.jsonl$/);
  });

  it('a file whose name is not UTF-8 is not passed over in silence, and not tried again and again', async () => {
    const root = temporaryFolder();
    writeFileSync(
      Buffer.concat([Buffer.from(join(root, 'a')), Buffer.from([0xff]), Buffer.from('.jsonl')]),
      '',
    );
    const index = await openIndex([root]);
    expect((await index.sync()).files).toMatchObject({ seen: 1, failed: 1 });
    expect(index.problems()).toEqual([
      expect.objectContaining({ message: expect.stringContaining('not UTF-8') }),
    ]);
    expect((await index.sync()).files).toMatchObject({ seen: 1, unchanged: 1, failed: 0 });
    expect((await index.verify()).differences).toEqual([]);
  });

  it('a linked file is known by its own name where it has one here, else by the link', () => {
    const root = temporaryFolder();
    const elsewhere = temporaryFolder();
    write(join(root, 'real.jsonl'), '');
    write(join(elsewhere, 'far.jsonl'), '');
    symlinkSync(join(root, 'real.jsonl'), join(root, 'again.jsonl'));
    symlinkSync(join(elsewhere, 'far.jsonl'), join(root, 'near.jsonl'));
    expect(found(root)).toEqual(['near.jsonl', 'real.jsonl']);
  });
});
