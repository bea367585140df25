import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { BlobStore } from '../../src/storage/blob-store.js';
import { tempDirs } from '../support/temp-dir.js';

/** `printf pixels | sha256sum` */
const HASH = '6ec9c2b0eb14010746c8bce8939303b382344b296206612eb8a907a37b2b2f37';
/** `printf '' | sha256sum` */
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const tempDir = tempDirs();

describe('the blob store', () => {
  it('F37: keeps bytes under their SHA-256, privately, and gives them back', async () => {
    const store = new BlobStore(path.join(tempDir(), 'agent', 'blobs'));
    const blob = await store.put(Buffer.from('pixels'));
    expect(blob).toEqual({ hash: HASH, path: path.join(store.dir, HASH), ref: `blob:sha256:${HASH}` });
    expect((await store.get(HASH))?.toString()).toBe('pixels');
    expect(await store.has(HASH)).toBe(true);
    expect((await store.put(new Uint8Array())).hash).toBe(EMPTY);
    expect((await store.get(EMPTY))?.length).toBe(0);
    expect(readdirSync(store.dir).sort()).toEqual([HASH, EMPTY].sort());
    expect([statSync(store.dir).mode & 0o777, statSync(blob.path).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  it('F37: writes a blob once', async () => {
    const store = new BlobStore(tempDir());
    const { path: file } = store.putSync(Buffer.from('pixels'));
    utimesSync(file, 1000, 1000);
    const { ino } = statSync(file);
    await store.put(Buffer.from('pixels'));
    expect([statSync(file).mtimeMs, statSync(file).ino]).toEqual([1_000_000, ino]);
  });

  it('F37: puts right what a crash left half written under the name', async () => {
    const store = new BlobStore(tempDir());
    for (const damaged of ['', 'pix', 'pixelz']) {
      writeFileSync(path.join(store.dir, HASH), damaged);
      store.putSync(Buffer.from('pixels'));
      expect(readFileSync(path.join(store.dir, HASH), 'utf8')).toBe('pixels');
    }
  });

  it('has no blob where there is none, and makes no folder to find out', async () => {
    const store = new BlobStore(path.join(tempDir(), 'none'));
    expect(await store.get(HASH)).toBeNull();
    expect(await store.has(HASH)).toBe(false);
    expect(readdirSync(path.dirname(store.dir))).toEqual([]);
  });

  it.each([
    '',
    '../secret',
    HASH.toUpperCase(),
    HASH.slice(1),
    `${HASH}0`,
    `${HASH}\n`,
    `../${HASH}`,
    `${HASH}/../secret`,
    `blob:sha256:${HASH}`,
    'g'.repeat(64),
  ])('F38: %j is no reference and never becomes a path', async (hash) => {
    const dir = tempDir();
    const store = new BlobStore(path.join(dir, 'blobs'));
    store.putSync(Buffer.from('pixels'));
    for (const name of ['secret', HASH]) writeFileSync(path.join(dir, name), 'secret');
    mkdirSync(path.join(store.dir, 'blob:sha256:'), { recursive: true });
    expect(await store.get(hash)).toBeNull();
    expect(await store.has(hash)).toBe(false);
    expect(store.getSync(hash)).toBeNull();
    expect(store.hasSync(hash)).toBe(false);
  });

  it('tells of every other failure to read', async () => {
    const store = new BlobStore(tempDir());
    mkdirSync(path.join(store.dir, HASH));
    await expect(store.get(HASH)).rejects.toMatchObject({ code: 'EISDIR' });
  });
});
