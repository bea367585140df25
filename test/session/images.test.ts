import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { SessionManager } from '../../src/session/session-manager.js';
import { assistant, entry, header, jsonl, message, user } from '../support/entries.js';
import { makeWorld, readSession } from '../support/session-world.js';

/** Base64 of exactly so many characters, without padding. */
function image(chars: number, fill = 7) {
  const data = Buffer.alloc((chars / 4) * 3, fill).toString('base64');
  expect(data).toHaveLength(chars);
  return { type: 'image' as const, data, mimeType: 'image/png' };
}

const hashOf = (base64: string) => createHash('sha256').update(Buffer.from(base64, 'base64')).digest('hex');

async function begin() {
  const world = makeWorld();
  const file = world.write('s/a.jsonl', jsonl([header(), message('root', null, user('root'))]));
  const open = () => SessionManager.open(file, undefined, undefined, world.host);
  return { world, file, open, manager: await open(), blobs: path.join(world.agentDir, 'blobs') };
}

const contentOf = (found: unknown) => (found as { message: { content: { data: string }[] } }).message.content;

describe('F36, F37: images', () => {
  it('of 1,024 characters become blobs under their SHA-256, of 1,020 stay in the file', async () => {
    const { manager, file, blobs } = await begin();
    const big = image(1024);
    const small = image(1020);
    const id = manager.appendMessage({ role: 'user', content: [big, small] });
    const written = contentOf(readSession(file).entries[1]);
    expect(written[0]).toEqual({ ...big, data: `blob:sha256:${hashOf(big.data)}` });
    expect(written[1]).toEqual(small);
    expect(readFileSync(path.join(blobs, hashOf(big.data)))).toEqual(Buffer.from(big.data, 'base64'));
    expect(contentOf(manager.getEntry(id))[0]).toBe(big);
    expect(readdirSync(blobs)).toHaveLength(1);
  });

  it('are shared by all sessions and written once', async () => {
    const { manager, world, blobs } = await begin();
    const big = image(4096);
    manager.appendMessage({ role: 'user', content: [big] });
    const { mtimeNs } = statSync(path.join(blobs, hashOf(big.data)), { bigint: true });
    const other = SessionManager.create('/q', undefined, undefined, world.host);
    other.appendMessage(assistant('', { content: [big] }));
    await manager.rewriteEntries();
    expect(readdirSync(blobs)).toHaveLength(1);
    expect(statSync(path.join(blobs, hashOf(big.data)), { bigint: true }).mtimeNs).toBe(mtimeNs);
  });

  it('omp #9901: text that is no plain base64 stays in the file and comes back the same', async () => {
    const { manager, open } = await begin();
    const odd = { ...image(1024), data: `data:image/png;base64,${'-_'.repeat(300_000)}` };
    const id = manager.appendMessage({ role: 'user', content: [odd] });
    await manager.close();
    expect(contentOf((await open()).getEntry(id))[0]).toEqual(odd);
  });
});

describe('F17, F38: on load', () => {
  it('references of messages and custom messages are base64 again, and a rewrite puts them back', async () => {
    const { manager, file, open } = await begin();
    const big = image(2048);
    const ids = [
      manager.appendMessage({ role: 'user', content: [big] }),
      manager.appendCustomMessageEntry('x', [big], true, { nested: [{ content: [big] }] }),
    ];
    await manager.close();
    const before = readFileSync(file);
    const again = await open();
    for (const id of ids) expect(again.getEntry(id)).toEqual(manager.getEntry(id));
    await again.rewriteEntries();
    expect(readFileSync(file)).toEqual(before);
  });

  it('a missing blob leaves the reference, with one warning', async () => {
    const { manager, world, open, blobs, file } = await begin();
    const big = image(2048);
    manager.appendMessage({ role: 'user', content: [big, big] });
    await manager.close();
    const before = readFileSync(file);
    rmSync(blobs, { recursive: true });
    const again = await open();
    expect(contentOf(again.getLeafEntry()).map(({ data }) => data)).toEqual(
      Array(2).fill(`blob:sha256:${hashOf(big.data)}`),
    );
    expect(world.host.warnings).toEqual([expect.stringContaining(hashOf(big.data))]);
    await again.rewriteEntries();
    expect(readFileSync(file)).toEqual(before);
  });

  it('a reference that is no hash is never a path', async () => {
    const world = makeWorld();
    world.write('agent/secret', 'secret');
    const references = ['../secret', `${'A'.repeat(64)}`, '', `${'a'.repeat(64)}/../../secret`];
    const blocks = references.map((hash) => ({ type: 'image', data: `blob:sha256:${hash}`, mimeType: 'x' }));
    const file = world.write(
      's/a.jsonl',
      jsonl([header(), entry('message', 'm', null, { message: { role: 'user', content: blocks } })]),
    );
    const manager = await SessionManager.open(file, undefined, undefined, world.host);
    expect(contentOf(manager.getLeafEntry())).toEqual(blocks);
    expect(world.host.warnings).toEqual([]);
  });

  it('forks and branches share the blobs', async () => {
    const { manager, world } = await begin();
    const big = image(2048);
    const id = manager.appendMessage({ role: 'user', content: [big] });
    for (const file of [(await manager.fork())?.newSessionFile, manager.createBranchedSession(id)]) {
      expect(readFileSync(file as string, 'utf8')).not.toContain(big.data);
      const copy = await SessionManager.open(file as string, undefined, undefined, world.host);
      expect(contentOf(copy.getEntry(id))[0]).toEqual(big);
    }
  });
});

describe('F36: long strings', () => {
  it('are whole in memory, and cut on disk with the notice at the end', async () => {
    const { manager, file } = await begin();
    const text = '😀'.repeat(300_000);
    const id = manager.appendMessage(user(text));
    expect(manager.getEntry(id)?.message).toEqual(user(text));
    const written = readSession(file).entries[1]?.message as { content: string };
    expect(written.content.length).toBeLessThanOrEqual(500_000);
    expect(written.content).toMatch(/^(😀)+\n\n\[Session persistence truncated large content\]$/u);
  });

  it('every other string comes back the same, up to 500,000 characters', async () => {
    const { manager, open } = await begin();
    const texts = ['\ud800', '\udc00x', '\u2028\u2029', '\0', '\ufeff', 'a'.repeat(500_000), '"\\\n\t'];
    const ids = texts.map((text) => manager.appendMessage(user(text)));
    await manager.close();
    const again = await open();
    expect(ids.map((id) => again.getEntry(id)?.message)).toEqual(texts.map(user));
    const key = manager.appendCustomEntry('x', JSON.parse('{"__proto__":{"polluted":true},"constructor":1}'));
    expect(JSON.stringify((await open()).getEntry(key)?.data)).toBe(
      '{"__proto__":{"polluted":true},"constructor":1}',
    );
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
