import { beforeEach, describe, expect, it } from 'vitest';
import { openSessionLog } from '../../src/storage/open-log.js';
import type { SessionLog } from '../../src/storage/session-storage.js';
import { MinimalStorage } from '../conformance/minimal-storage.js';

const HEADER = '{"type":"session","id":"s"}\n';
const FILE = '/minimal/s.jsonl';

describe('a log of a storage that knows of none', () => {
  let storage: MinimalStorage;
  let log: SessionLog;
  let late: unknown[];

  beforeEach(async () => {
    storage = new MinimalStorage();
    late = [];
    storage.writeTextSync(FILE, HEADER);
    log = openSessionLog(storage, FILE, { onLateFailure: (error) => late.push(error) });
    for (const _ of (await log.load()) ?? []);
    log.markSeen({ bytes: HEADER.length });
  });

  it('F34: tells late of a line that could not be written, and writes the next one when it can', async () => {
    storage.failure = new Error('disk full');
    log.append('{"n":1}\n');
    expect(late).toEqual([]);
    await log.settled();
    expect(late).toEqual([storage.failure]);
    storage.failure = undefined;
    log.append('{"n":2}\n');
    await log.sync();
    expect(await storage.readText(FILE)).toBe(`${HEADER}{"n":2}\n`);
    expect(late.length).toBe(1);
  });

  it('F33: leaves the old file and no temporary one when a rewrite fails', async () => {
    storage.failure = new Error('disk full');
    expect(log.replace([HEADER, '{"n":1}\n'])).toBe(true);
    expect(log.look()).toBe('same');
    await log.settled();
    expect(late).toEqual([storage.failure]);
    expect(storage.listFilesSync('/minimal', '*')).toEqual([FILE]);
    expect(await storage.readText(FILE)).toBe(HEADER);
  });

  it('B28: keeps the order of appends and rewrites that nobody waits for', async () => {
    log.append('{"n":1}\n');
    log.replace([HEADER, '{"n":2}\n']);
    log.append('{"n":3}\n');
    log.append('{"n":4}\n');
    await log.close();
    expect(await storage.readText(FILE)).toBe(`${HEADER}{"n":2}\n{"n":3}\n{"n":4}\n`);
  });

  it('F9: ends a torn line before it appends', async () => {
    storage.writeTextSync(FILE, `${HEADER}{"torn`);
    for (const _ of (await log.load()) ?? []);
    log.markSeen({ bytes: HEADER.length + 6, tornAt: HEADER.length });
    log.append('{"n":1}\n');
    await log.settled();
    const lines = (await storage.readText(FILE)).split('\n').filter((line) => line.trim() !== '');
    expect(lines).toEqual([HEADER.trim(), '{"torn', '{"n":1}']);
  });
});
