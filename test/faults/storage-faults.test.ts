import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { BlobStore } from '../../src/storage/blob-store.js';
import { FileSessionStorage } from '../../src/storage/file-storage.js';
import type { SessionLog } from '../../src/storage/session-storage.js';
import { quickTime } from '../support/quick-time.js';
import { tempDirs } from '../support/temp-dir.js';
import { type FaultKind, FaultyFs } from './faulty-fs.js';

const NAME = 's.jsonl';
const HEADER = '{"type":"session","id":"s"}\n';
const SLOT = '{"type":"title","title":"a"}\n';
/** As wide, and unlike the other from the first key on: half of it is not half of that. */
const NEXT_SLOT = '{"title":"b","type":"title"}\n';
const OLD = `${SLOT}${HEADER}{"n":0}\n`;
const LINE = '{"n":1}\n';
const BACKUP = `${NAME}.bak-2026-01-02T03-04-05-006Z`;
/** `printf pixels | sha256sum` */
const PIXELS_HASH = '6ec9c2b0eb14010746c8bce8939303b382344b296206612eb8a907a37b2b2f37';
const KINDS: readonly FaultKind[] = ['EIO', 'ENOSPC', 'EACCES', 'EPERM', 'short write'];

type Contents = Readonly<Record<string, string>>;

interface World {
  readonly dir: string;
  readonly file: string;
  readonly storage: FileSessionStorage;
  readonly log: SessionLog;
  readonly blobs: BlobStore;
}

interface Operation {
  readonly name: string;
  /** Of the folder before it. */
  readonly before: Contents;
  act(world: World): unknown;
  /** What may be there when it has failed, besides what was there before. */
  readonly halfway?: readonly Contents[];
  readonly after: Contents;
  /** How many calls of the file system it makes at the least: fewer, and the test would not test what it says. */
  readonly leastCalls: number;
}

const old = { [NAME]: OLD };

const OPERATIONS: readonly Operation[] = [
  {
    name: 'append',
    before: old,
    act: ({ log }) => log.append(LINE),
    after: { [NAME]: OLD + LINE },
    leastCalls: 8,
  },
  {
    name: 'append and sync',
    before: old,
    act: async ({ log }) => {
      log.append(LINE);
      await log.sync();
    },
    halfway: [{ [NAME]: OLD + LINE }],
    after: { [NAME]: OLD + LINE },
    leastCalls: 10,
  },
  {
    name: 'replace',
    before: old,
    act: ({ log }) => expect(log.replace([HEADER, LINE])).toBe(true),
    halfway: [{ [NAME]: HEADER + LINE }],
    after: { [NAME]: HEADER + LINE },
    leastCalls: 20,
  },
  {
    name: 'create',
    before: {},
    act: ({ log }) => expect(log.create([HEADER, LINE])).toBe(true),
    halfway: [{ [NAME]: HEADER + LINE }],
    after: { [NAME]: HEADER + LINE },
    leastCalls: 15,
  },
  {
    name: 'overwrite',
    before: old,
    act: ({ log }) => expect(log.overwrite(0, NEXT_SLOT)).toBe(true),
    halfway: [{ [NAME]: OLD.replace(SLOT, NEXT_SLOT) }],
    after: { [NAME]: OLD.replace(SLOT, NEXT_SLOT) },
    leastCalls: 12,
  },
  {
    name: 'keepBackup',
    before: old,
    act: ({ log }) => log.keepBackup(),
    halfway: [{ ...old, [BACKUP]: OLD }],
    after: { ...old, [BACKUP]: OLD },
    leastCalls: 12,
  },
  {
    name: 'rename',
    before: old,
    act: async ({ log, dir }) => await log.rename(path.join(dir, 'to', 'moved.jsonl')),
    halfway: [{ 'to/moved.jsonl': OLD }],
    after: { 'to/moved.jsonl': OLD },
    leastCalls: 15,
  },
  {
    name: 'writeTextSync',
    before: old,
    act: ({ storage, file }) => storage.writeTextSync(file, 'text'),
    halfway: [{ [NAME]: 'text' }],
    after: { [NAME]: 'text' },
    leastCalls: 12,
  },
  {
    name: 'BlobStore.put',
    before: {},
    act: ({ blobs }) => blobs.putSync(Buffer.from('pixels')),
    halfway: [{ [`blobs/${PIXELS_HASH}`]: 'pixels' }],
    after: { [`blobs/${PIXELS_HASH}`]: 'pixels' },
    leastCalls: 12,
  },
];

const tempDir = tempDirs();

async function makeWorld(faulty: FaultyFs, dir: string, before: Contents): Promise<World> {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir);
  for (const [name, content] of Object.entries(before)) writeFileSync(path.join(dir, name), content);
  const time = quickTime();
  const host = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 6) };
  const storage = new FileSessionStorage({ fs: faulty.fs, time, host });
  const file = path.join(dir, NAME);
  const log = storage.openLog(file);
  for (const _ of (await log.load()) ?? []);
  if (before[NAME] !== undefined) log.markSeen({ bytes: before[NAME].length });
  return { dir, file, storage, log, blobs: new BlobStore(path.join(dir, 'blobs'), { fs: faulty.fs, time }) };
}

/** Every file of a folder with what is in it; a lock shows as a name with nothing in it. */
function contentsOf(dir: string): Contents {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const file = path.join(entry.parentPath, entry.name);
    found[path.relative(dir, file)] = entry.isSymbolicLink() ? '' : readFileSync(file, 'utf8');
  }
  return found;
}

async function errorOf(act: () => unknown): Promise<unknown> {
  try {
    await act();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('each call of the file system that fails', () => {
  for (const { name, before, act, halfway = [], after, leastCalls } of OPERATIONS) {
    it(`in ${name}: all or nothing, one error, no temporary file, and the next attempt succeeds (F33)`, async () => {
      const faulty = new FaultyFs();
      const dir = path.join(tempDir(), 'world');
      const rehearsal = await makeWorld(faulty, dir, before);
      faulty.watch();
      await act(rehearsal);
      const calls = faulty.calls.length;
      await rehearsal.log.close();
      faulty.heal();
      expect(calls).toBeGreaterThanOrEqual(leastCalls);

      let faults = 0;
      let errors = 0;
      for (const kind of KINDS) {
        for (let index = 0; index < calls; index += 1) {
          const world = await makeWorld(faulty, dir, before);
          faulty.watch((_, at) => (at === index ? kind : undefined));
          const error = await errorOf(() => act(world));
          const call = faulty.calls[index];
          const where = `${kind} at call ${index}, ${call?.name} ${call?.path}`;
          if (faulty.failed > 0) faults += 1;
          faulty.heal();
          const found = contentsOf(dir);
          if (error === undefined) expect(found, where).toEqual(after);
          else {
            errors += 1;
            expect(error, where).toMatchObject({ code: kind === 'short write' ? 'ENOSPC' : kind });
            expect([before, ...halfway], where).toContainEqual(found);
          }
          await recover(world, act, after, where);
          await world.log.close();
        }
      }
      // Every call can fail in four ways, and every write can be short; most of them are nothing one could live with.
      expect(faults).toBeGreaterThanOrEqual(calls * 4);
      expect(errors).toBeGreaterThan(calls);
    });
  }
});

/** What had been done is not done again; what had not can be done now. */
async function recover(world: World, act: Operation['act'], after: Contents, where: string): Promise<void> {
  const isDone = JSON.stringify(contentsOf(world.dir)) === JSON.stringify(after);
  if (!isDone) {
    expect(await errorOf(() => act(world)), where).toBeUndefined();
    expect(contentsOf(world.dir), where).toEqual(after);
  }
}
