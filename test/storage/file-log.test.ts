import * as nodeFs from 'node:fs';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { FileSessionStorage } from '../../src/storage/file-storage.js';
import type { SessionLog } from '../../src/storage/session-storage.js';
import type { StorageFs } from '../../src/storage/storage-fs.js';
import { LEASE_MS } from '../../src/storage/write-lease.js';
import { FaultyFs } from '../faults/faulty-fs.js';
import { quickTime } from '../support/quick-time.js';
import { tempDirs } from '../support/temp-dir.js';

const HEADER = '{"type":"session","id":"s"}\n';
const line = (n: number) => `{"n":${n}}\n`;
const tempDir = tempDirs();

describe('the log of a session file', () => {
  let dir: string;
  let file: string;
  let faulty: FaultyFs;
  let storage: FileSessionStorage;
  let log: SessionLog;

  beforeEach(() => {
    dir = tempDir();
    file = path.join(dir, 's.jsonl');
    faulty = new FaultyFs();
    storage = new FileSessionStorage({ fs: faulty.fs, time: quickTime() });
    log = storage.openLog(file);
  });

  const text = () => readFileSync(file, 'utf8');

  async function start(content: string): Promise<void> {
    writeFileSync(file, content);
    await load(log);
  }
  async function load(of: SessionLog): Promise<void> {
    let bytes = 0;
    for (const piece of (await of.load()) ?? []) bytes += piece.length;
    of.markSeen({ bytes });
  }

  describe('that cannot be written', () => {
    it('B84: reads, and says why it does not write; when it may again, it does', async () => {
      await start(HEADER);
      faulty.watch((call) =>
        call.name === 'openSync' || call.name === 'symlinkSync' ? 'EACCES' : undefined,
      );
      // Only opening to write is refused.
      const isRead = new Proxy(faulty.fs, {
        get: (target, name) =>
          name === 'openSync'
            ? (at: string, flags: unknown, mode?: number) =>
                flags === 'r' ? nodeFs.openSync(at, 'r') : target.openSync(at, flags as string, mode)
            : Reflect.get(target, name),
      }) as StorageFs;
      const readOnly = new FileSessionStorage({ fs: isRead, time: quickTime() }).openLog(file);
      await load(readOnly);
      expect(readOnly.look()).toBe('same');
      for (const write of [
        () => readOnly.append(line(1)),
        () => readOnly.replace([HEADER]),
        () => readOnly.overwrite(0, HEADER),
        () => readOnly.keepBackup(),
      ])
        expect(write).toThrow(expect.objectContaining({ code: 'EACCES' }));
      expect(text()).toBe(HEADER);
      expect(readdirSync(dir)).toEqual(['s.jsonl']);
      faulty.heal();
      readOnly.append(line(1));
      expect(text()).toBe(HEADER + line(1));
    });

    it('F9, F34: half a line that could not be taken back is ended by the next append', async () => {
      await start(HEADER);
      faulty.watch(({ name }) =>
        name === 'writeSync' ? 'short write' : name === 'ftruncateSync' ? 'EIO' : undefined,
      );
      expect(() => log.append(line(1))).toThrow(expect.objectContaining({ code: 'ENOSPC' }));
      expect(text()).toBe(`${HEADER}{"n"`);
      faulty.heal();
      log.append(line(1));
      expect(text()).toBe(`${HEADER}{"n"\n${line(1)}`);
    });

    it('F34: a short write that nobody else stands behind is taken back, what others wrote stays', async () => {
      await start(HEADER);
      const foreign = '{"foreign":true}\n';
      let isArmed = true;
      const fs = new Proxy(faulty.fs, {
        get: (target, name) =>
          name === 'writeSync' && isArmed
            ? (fd: number, bytes: Buffer, offset: number, length: number) => {
                isArmed = false;
                target.writeSync(fd, bytes, offset, 3);
                appendFileSync(file, foreign);
                throw Object.assign(new Error(`ENOSPC after 3 of ${length}`), { code: 'ENOSPC' });
              }
            : Reflect.get(target, name),
      }) as StorageFs;
      const broken = new FileSessionStorage({ fs, time: quickTime() }).openLog(file);
      await load(broken);
      expect(() => broken.append(line(1))).toThrow(expect.objectContaining({ code: 'ENOSPC' }));
      expect(text()).toContain(foreign.trim());
      broken.append(line(1));
      expect(text().endsWith(`\n${line(1)}`)).toBe(true);
      expect(text()).toContain(foreign.trim());
    });

    it('F32: a sync that failed is not forgotten', async () => {
      await start(HEADER);
      log.append(line(1));
      faulty.watch(({ name }) => (name === 'fsync' ? 'EIO' : undefined));
      await expect(log.sync()).rejects.toMatchObject({ code: 'EIO' });
      faulty.watch();
      await log.sync();
      expect(faulty.calls.map(({ name }) => name)).toContain('fsync');
      faulty.watch();
      await log.sync();
      expect(faulty.calls).toEqual([]);
    });
  });

  describe('whose file is not what it was', () => {
    it('says so when the file is gone, at the append and at the sync', async () => {
      await start(HEADER);
      log.append(line(1));
      unlinkSync(file);
      expect(() => log.append(line(2))).toThrow(expect.objectContaining({ code: 'ENOENT', path: file }));
      await expect(log.sync()).rejects.toMatchObject({ code: 'ENOENT' });
      expect(existsSync(file)).toBe(false);
      expect(log.replace([HEADER, line(1), line(2)])).toBe(true);
      await log.sync();
      expect(text()).toBe(HEADER + line(1) + line(2));
    });

    it('F35: a file that was emptied and filled anew is another one, whatever its size', async () => {
      await start(HEADER + line(1));
      writeFileSync(file, HEADER + line(2) + line(3) + line(4));
      expect(log.look()).toBe('replaced');
      expect(log.replace([HEADER])).toBe(false);
    });

    it('F35: a line that was glued to what another process left torn is written again', async () => {
      await start(HEADER);
      let isArmed = true;
      const fs = new Proxy(faulty.fs, {
        get: (target, name) =>
          name === 'writeSync' && isArmed
            ? (fd: number, bytes: Buffer, offset: number, length: number) => {
                isArmed = false;
                appendFileSync(file, '{"type":"mess');
                return target.writeSync(fd, bytes, offset, length);
              }
            : Reflect.get(target, name),
      }) as StorageFs;
      const writer = new FileSessionStorage({ fs, time: quickTime() }).openLog(file);
      await load(writer);
      writer.append(line(1));
      writer.append(line(2));
      expect(text().split('\n').slice(1)).toEqual(['{"type":"mess{"n":1}', '{"n":1}', '{"n":2}', '']);
      expect(writer.look()).toBe('grown');
      expect(writer.seen?.bytes).toBe(HEADER.length);
    });

    it('F35: an append that was held up while the file was replaced goes to the new one', async () => {
      await start(HEADER);
      const other = storage.openLog(file);
      await load(other);
      let skipped = 0;
      let isArmed = true;
      const fs = new Proxy(faulty.fs, {
        get: (target, name) =>
          name === 'writeSync' && isArmed
            ? (fd: number, bytes: Buffer, offset: number, length: number) => {
                isArmed = false;
                skipped += LEASE_MS + 1; // the other's wait takes as long for everybody
                expect(other.replace([HEADER, line(7)])).toBe(true);
                return target.writeSync(fd, bytes, offset, length);
              }
            : Reflect.get(target, name),
      }) as StorageFs;
      const time = {
        now: () => performance.now() + skipped,
        pause: (ms: number) => {
          skipped += ms;
        },
      };
      const writer = new FileSessionStorage({ fs, time }).openLog(file);
      await load(writer);
      writer.append(line(1));
      expect(text()).toBe(HEADER + line(7) + line(1));
      expect(writer.look()).toBe('replaced');
    });

    it('F35: a rewrite takes in what was appended by others that had looked before it took the lock', async () => {
      await start(HEADER);
      const frozen = { now: () => 0, pause: () => {} };
      const writer = new FileSessionStorage({ time: frozen }).openLog(file);
      await load(writer);
      writer.append(line(1));
      expect(writer.look()).toBe('same'); // from here on it may append for as long as its clock stands still
      const moments: number[] = [];
      let now = 100;
      const rewriter = new FileSessionStorage({
        time: {
          now: () => now,
          pause: (ms) => {
            now += ms;
            moments.push(now);
            if (moments.length === 1) writer.append(line(2));
          },
        },
      }).openLog(file);
      await load(rewriter);
      expect(rewriter.replace([HEADER, line(1)])).toBe(true);
      expect(moments.at(-1)).toBeGreaterThanOrEqual(100 + LEASE_MS);
      expect(text()).toBe(HEADER + line(1) + line(2));
    });

    it('F33: the new file is written, synced and closed before it is renamed, and the folder synced after', async () => {
      await start(HEADER);
      faulty.watch();
      expect(log.replace([HEADER, line(1)])).toBe(true);
      const steps = faulty.calls
        .filter(({ name }) => ['writeSync', 'fsyncSync', 'renameSync'].includes(name))
        .map(
          ({ name, path: at }) => `${name} ${at.includes('.tmp-') ? 'temp' : path.relative(dir, at) || '.'}`,
        );
      expect(steps).toEqual([
        'writeSync temp',
        'fsyncSync temp',
        'fsyncSync temp',
        'renameSync temp',
        'fsyncSync .',
      ]);
      const closed = faulty.calls.findIndex(
        ({ name, path: at }) => name === 'closeSync' && at.includes('.tmp-'),
      );
      expect(closed).toBeGreaterThan(0);
      expect(closed).toBeLessThan(faulty.calls.findIndex(({ name }) => name === 'renameSync'));
    });

    it('F35: what programs append that know nothing of the lock is kept until the rename', async () => {
      await start(HEADER);
      const fs = new Proxy(faulty.fs, {
        get: (target, name) =>
          name === 'renameSync'
            ? (from: string, to: string) => {
                appendFileSync(file, '{"stray":true}\n');
                target.renameSync(from, to);
              }
            : Reflect.get(target, name),
      }) as StorageFs;
      const writer = new FileSessionStorage({ fs, time: quickTime() }).openLog(file);
      await load(writer);
      expect(writer.replace([HEADER, line(1)])).toBe(true);
      expect(text()).toBe(`${HEADER}${line(1)}{"stray":true}\n`);
      expect(writer.look()).toBe('grown');
    });

    it('gives up a replacement when the file turns into another one while it is prepared', async () => {
      await start(HEADER);
      function* lines() {
        yield HEADER;
        writeFileSync(`${file}.new`, HEADER + line(9));
        renameSync(`${file}.new`, file);
        yield line(1);
      }
      expect(log.replace(lines())).toBe(false);
      expect(text()).toBe(HEADER + line(9));
      expect(readdirSync(dir)).toEqual(['s.jsonl']);
    });
  });

  describe('and the rename', () => {
    it.each(['EPERM', 'EBUSY', 'EACCES'] as const)('B08: a %s that passes is waited for', async (code) => {
      await start(HEADER);
      let refusals = 2;
      faulty.watch(({ name }) => {
        if (name !== 'renameSync' || refusals === 0) return undefined;
        refusals -= 1;
        return code;
      });
      expect(log.replace([HEADER, line(1)])).toBe(true);
      expect(faulty.failed).toBe(2);
      expect(text()).toBe(HEADER + line(1));
      expect(readdirSync(dir)).toEqual(['s.jsonl']);
      log.append(line(2));
      expect(text()).toBe(HEADER + line(1) + line(2));
    });

    it('B08: one that never succeeds leaves the old file, no other, and one error', async () => {
      await start(HEADER);
      faulty.watch(({ name }) => (name === 'renameSync' ? 'EPERM' : undefined));
      expect(() => log.replace([HEADER, line(1)])).toThrow(expect.objectContaining({ code: 'EPERM' }));
      expect(text()).toBe(HEADER);
      expect(readdirSync(dir)).toEqual(['s.jsonl']);
      faulty.heal();
      expect(log.look()).toBe('same');
      expect(log.replace([HEADER, line(1)])).toBe(true);
      expect(text()).toBe(HEADER + line(1));
    });

    it('to another device is a copy first', async () => {
      await start(HEADER);
      faulty.watch(({ name, path: from }) => (name === 'renameSync' && from === file ? 'EXDEV' : undefined));
      const moved = path.join(dir, 'far', 'm.jsonl');
      await log.rename(moved);
      expect(faulty.failed).toBe(1);
      faulty.heal();
      expect(existsSync(file)).toBe(false);
      expect(log.look()).toBe('same');
      log.append(line(1));
      expect(readFileSync(moved, 'utf8')).toBe(HEADER + line(1));
    });

    it('on a file system without links still makes a file only where there is none', async () => {
      faulty.watch(({ name }) => (name === 'linkSync' || name === 'symlinkSync' ? 'EPERM' : undefined));
      expect(log.create([HEADER])).toBe(true);
      expect(storage.openLog(file).create([line(1)])).toBe(false);
      expect(log.replace([HEADER, line(2)])).toBe(true);
      log.append(line(3));
      expect(text()).toBe(HEADER + line(2) + line(3));
      expect(readdirSync(dir)).toEqual(['s.jsonl']);
    });
  });

  describe('leaves things as they are', () => {
    it('reading changes no byte and no time, and makes no file', async () => {
      await start(HEADER + line(1));
      utimesSync(file, 1000, 2000);
      const before = statSync(file, { bigint: true });
      await load(log);
      expect(log.look()).toBe('same');
      for (const _ of log.read(0));
      await log.sync();
      await log.close();
      const after = statSync(file, { bigint: true });
      expect([after.mtimeNs, after.ctimeNs, after.ino]).toEqual([before.mtimeNs, before.ctimeNs, before.ino]);
      expect(readdirSync(dir)).toEqual(['s.jsonl']);
    });

    it('new files are 0600 in new folders of 0700, whatever the umask lets through', () => {
      const deep = path.join(dir, 'a', 'b', 'n.jsonl');
      const made = storage.openLog(deep);
      made.create([HEADER]);
      storage.writeTextSync(path.join(dir, 'a', 'text'), 'x');
      void storage.openWriter(path.join(dir, 'a', 'w.jsonl')).close();
      const modes = [deep, 'a/text', 'a/w.jsonl', 'a', 'a/b'].map(
        (name) => statSync(path.resolve(dir, name)).mode & 0o777,
      );
      expect(modes).toEqual([0o600, 0o600, 0o600, 0o700, 0o700]);
    });

    it('a rewrite and a backup keep the permissions that the user gave', async () => {
      await start(HEADER);
      chmodSync(file, 0o664);
      expect(log.replace([HEADER, line(1)])).toBe(true);
      storage.writeTextSync(file, text());
      await load(log);
      const copy = log.keepBackup() ?? '';
      expect([file, copy].map((name) => statSync(name).mode & 0o777)).toEqual([0o664, 0o664]);
    });

    it('a link to a session stays a link, and both names keep one lock', async () => {
      mkdirSync(path.join(dir, 'real'));
      const real = path.join(dir, 'real', 'r.jsonl');
      writeFileSync(real, HEADER);
      symlinkSync(real, file);
      const other = storage.openLog(real);
      await load(log);
      await load(other);
      expect(log.replace([HEADER, line(1)])).toBe(true);
      log.append(line(2));
      expect(lstatSync(file).isSymbolicLink()).toBe(true);
      expect(readFileSync(real, 'utf8')).toBe(HEADER + line(1) + line(2));
      expect(other.look()).toBe('replaced');
      symlinkSync(deadOwner(real), `${real}.rewrite-lock`);
      log.append(line(3));
      expect(existsSync(`${real}.rewrite-lock`)).toBe(false);
    });

    it('a second name of a session (a hard link) does not keep it from growing', async () => {
      await start(HEADER);
      linkSync(file, path.join(dir, 'snapshot'));
      log.append(line(1));
      expect(log.look()).toBe('same');
      expect(text()).toBe(HEADER + line(1));
    });
  });

  describe('and what killed processes left (B10, B25)', () => {
    it('a lock whose owner is gone is taken over, by an append and by a rewrite', async () => {
      await start(HEADER);
      symlinkSync(deadOwner(file), `${file}.rewrite-lock`);
      log.append(line(1));
      symlinkSync(deadOwner(file), `${file}.rewrite-lock`);
      expect(log.replace([HEADER, line(1), line(2)])).toBe(true);
      expect(text()).toBe(HEADER + line(1) + line(2));
      expect(readdirSync(dir)).toEqual(['s.jsonl']);
    });

    it('a lock whose owner has the number of a process that started later is taken over', async () => {
      await start(HEADER);
      symlinkSync(ownToken(file).replace(/^(\d+)-\w+-/, '$1-1-'), `${file}.rewrite-lock`);
      log.append(line(1));
      expect(text()).toBe(HEADER + line(1));
    });

    it('a live owner is waited for, and named when it does not finish', async () => {
      await start(HEADER);
      const held = liveOwner(file);
      symlinkSync(held, `${file}.rewrite-lock`);
      expect(log.look()).toBe('same');
      expect(() => log.append(line(1))).toThrow(
        expect.objectContaining({ code: 'FILE_IO', message: expect.stringContaining(`${process.ppid}`) }),
      );
      expect(() => log.replace([HEADER, line(1)])).toThrow(expect.objectContaining({ code: 'FILE_IO' }));
      expect(text()).toBe(HEADER);
      expect(readdirSync(dir).sort()).toEqual(['s.jsonl', 's.jsonl.rewrite-lock']);
      unlinkSync(`${file}.rewrite-lock`);
      log.append(line(1));
      expect(text()).toBe(HEADER + line(1));
    });

    it('a lock of another machine is left alone until it is old', async () => {
      await start(HEADER);
      symlinkSync('1-1-ffffffff-0', `${file}.rewrite-lock`);
      expect(() => log.append(line(1))).toThrow(expect.objectContaining({ code: 'FILE_IO' }));
      nodeFs.lutimesSync(`${file}.rewrite-lock`, 1000, 1000);
      log.append(line(1));
      expect(text()).toBe(HEADER + line(1));
    });

    it('temporary files of the dead go with the next rewrite; those of the living and of others stay', async () => {
      await start(HEADER);
      const dead = `s.jsonl.tmp-${deadOwner(file)}-0123abcd`;
      const deadBackup = `s.jsonl.bak-2026.tmp-${deadOwner(file)}-0123abcd`;
      const live = `s.jsonl.tmp-${liveOwner(file)}-0123abcd`;
      const foreign = 's.jsonl.tmp-1-1-ffffffff-0-0123abcd';
      const another = `t.jsonl.tmp-${deadOwner(file)}-0123abcd`;
      const backup = 's.jsonl.bak-2026-01-01T00-00-00-000Z';
      for (const name of [dead, deadBackup, live, foreign, another, backup])
        writeFileSync(path.join(dir, name), 'x');
      expect(storage.listFilesSync(dir, '*.jsonl')).toEqual([file]);
      expect(log.replace([HEADER])).toBe(true);
      expect(readdirSync(dir).sort()).toEqual(['s.jsonl', backup, live, foreign, another].sort());
    });
  });
});

/** The token that this process writes: seen on a lock while it is held. */
function ownToken(file: string): string {
  let token = '';
  const fs = new Proxy(nodeFs, {
    get: (target, name) =>
      name === 'symlinkSync'
        ? (target_: string, at: string) => {
            token = target_;
            nodeFs.symlinkSync(target_, at);
          }
        : Reflect.get(target, name),
  }) as StorageFs;
  const probe = new FileSessionStorage({ fs, time: quickTime() }).openLog(`${file}-probe`);
  probe.create([HEADER]);
  unlinkSync(`${file}-probe`);
  return token;
}

/** As a process of this machine that has ended would have written it. */
function deadOwner(file: string): string {
  return ownToken(file).replace(/^\d+/, '99999999');
}

/** As the process that runs this one would. */
function liveOwner(file: string): string {
  const stat = readFileSync(`/proc/${process.ppid}/stat`, 'latin1');
  const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return ownToken(file).replace(/^\d+-\w+-/, `${process.ppid}-${start}-`);
}
