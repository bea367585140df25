import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openSessionLog } from '../../src/storage/open-log.js';
import type { SessionLog, SessionStorage, StorageSupports } from '../../src/storage/session-storage.js';
import { describeWriterTraits, type StorageUnderTest } from './writer-traits.js';

const NOTHING: StorageSupports = {
  durable: false,
  atomicReplace: false,
  appendCheck: false,
  syncAppend: false,
  privateFiles: false,
};

const HEADER = '{"type":"session","id":"s"}\n';
const line = (n: number) => `{"n":${n}}\n`;

/** What every storage must do; which parts apply beyond the family's members, its `supports` says. */
export function describeStorage(name: string, make: () => StorageUnderTest): void {
  describe(`the storage contract, by ${name}`, () => {
    let storage: SessionStorage;
    let dir: string;
    let supports: StorageSupports;
    const at = (...parts: string[]) => path.join(dir, ...parts);

    beforeEach(() => {
      ({ storage, dir } = make());
      supports = storage.supports ?? NOTHING;
    });

    it('gives back what was written, at once and as a promise', async () => {
      storage.writeTextSync(at('a.jsonl'), 'eins\n');
      expect(await storage.readText(at('a.jsonl'))).toBe('eins\n');
      await storage.writeText(at('a.jsonl'), 'zwei — 😀\n');
      expect(await storage.readText(at('a.jsonl'))).toBe('zwei — 😀\n');
      expect(storage.statSync(at('a.jsonl')).size).toBe(14);
      expect(storage.statSync(at('a.jsonl')).mtime).toBeInstanceOf(Date);
    });

    it('knows what is there and what is not', async () => {
      expect(storage.existsSync(at('a'))).toBe(false);
      expect(await storage.exists(at('a'))).toBe(false);
      storage.writeTextSync(at('a'), '');
      expect(storage.existsSync(at('a'))).toBe(true);
      expect(await storage.exists(at('a'))).toBe(true);
      storage.ensureDirSync(at('d', 'e'));
      storage.ensureDirSync(at('d', 'e'));
      expect(storage.existsSync(at('d', 'e'))).toBe(true);
    });

    it('says ENOENT for what is not there (F8)', async () => {
      const code = { code: 'ENOENT' };
      await expect(storage.readText(at('a'))).rejects.toMatchObject(code);
      await expect(storage.readTextPrefix(at('a'), 10)).rejects.toMatchObject(code);
      await expect(storage.unlink(at('a'))).rejects.toMatchObject(code);
      await expect(storage.rename(at('a'), at('b'))).rejects.toMatchObject(code);
      expect(() => storage.statSync(at('a'))).toThrow(expect.objectContaining(code));
    });

    it('reads a prefix of bytes that never ends in half a character', async () => {
      storage.writeTextSync(at('a'), 'aä€😀z'); // 1 + 2 + 3 + 4 + 1 bytes
      const prefixes = await Promise.all(
        Array.from({ length: 13 }, (_, bytes) => storage.readTextPrefix(at('a'), bytes)),
      );
      expect(prefixes).toEqual([
        '',
        'a',
        'a',
        'aä',
        'aä',
        'aä',
        'aä€',
        'aä€',
        'aä€',
        'aä€',
        'aä€😀',
        'aä€😀z',
        'aä€😀z',
      ]);
    });

    it('moves a file onto another one, and removes it', async () => {
      storage.writeTextSync(at('a'), 'new');
      storage.writeTextSync(at('b'), 'old');
      await storage.rename(at('a'), at('b'));
      expect(await storage.readText(at('b'))).toBe('new');
      expect(storage.existsSync(at('a'))).toBe(false);
      await storage.unlink(at('b'));
      expect(storage.existsSync(at('b'))).toBe(false);
    });

    it('lists the files of a folder by a pattern, sorted, and nothing for no folder', () => {
      storage.ensureDirSync(at('p', 'q'));
      for (const name of ['b.jsonl', 'a.jsonl', 'a.jsonl.bak-1', 'c.json', 'p/d.jsonl', 'p/q/e.jsonl'])
        storage.writeTextSync(at(...name.split('/')), name);
      expect(storage.listFilesSync(dir, '*.jsonl')).toEqual([at('a.jsonl'), at('b.jsonl')]);
      expect(storage.listFilesSync(dir, '*/*.jsonl')).toEqual([at('p', 'd.jsonl')]);
      expect(storage.listFilesSync(dir, '?.json')).toEqual([at('c.json')]);
      expect(storage.listFilesSync(dir, '**/*.jsonl')).toEqual(
        [at('a.jsonl'), at('b.jsonl'), at('p', 'd.jsonl'), at('p', 'q', 'e.jsonl')].sort(),
      );
      expect(storage.listFilesSync(at('nowhere'), '*.jsonl')).toEqual([]);
    });

    describeWriterTraits(make);

    describe('a log', () => {
      let file: string;
      let log: SessionLog;
      let failures: unknown[];

      beforeEach(() => {
        file = at('session.jsonl');
        failures = [];
        log = openSessionLog(storage, file, { onLateFailure: (error) => failures.push(error) });
      });

      const text = async () => {
        await log.settled();
        return await storage.readText(file);
      };
      async function load(from: SessionLog = log): Promise<string | undefined> {
        const pieces = await from.load();
        if (pieces === undefined) return undefined;
        const bytes = Buffer.concat(Array.from(pieces, (piece) => Buffer.from(piece)));
        from.markSeen({ bytes: bytes.length });
        return bytes.toString('utf8');
      }
      const grown = () => {
        const pieces = Array.from(log.read(log.seen?.bytes ?? 0), (piece) => Buffer.from(piece));
        const bytes = Buffer.concat(pieces);
        log.markSeen({ bytes: (log.seen?.bytes ?? 0) + bytes.length });
        return bytes.toString('utf8');
      };

      it('of no file loads nothing, looks missing and makes none', async () => {
        expect(await load()).toBeUndefined();
        expect(log.look()).toBe('missing');
        expect(() => log.append(line(1))).toThrow(expect.objectContaining({ code: 'ENOENT' }));
        await log.close();
        expect(storage.existsSync(file)).toBe(false);
      });

      it('makes the file whole, and only where there is none', async () => {
        expect(log.create([HEADER, line(1)])).toBe(true);
        expect(await text()).toBe(HEADER + line(1));
        expect(log.look()).toBe('same');
        const other = openSessionLog(storage, file);
        expect(other.create([line(9)])).toBe(false);
        expect(await text()).toBe(HEADER + line(1));
        expect(failures).toEqual([]);
      });

      it('appends lines behind what it loaded', async () => {
        storage.writeTextSync(file, HEADER);
        expect(await load()).toBe(HEADER);
        log.append(line(1));
        log.append(line(2));
        expect(await text()).toBe(HEADER + line(1) + line(2));
        expect(log.seen?.bytes).toBe(HEADER.length + 16);
        expect(log.look()).toBe('same');
        await log.sync();
        await log.close();
        log.append(line(3));
        expect(await text()).toBe(HEADER + line(1) + line(2) + line(3));
      });

      it('F9: starts on a new line behind a torn one, and behind a complete one without its newline', async () => {
        storage.writeTextSync(file, `${HEADER}{"n":0}`);
        await load();
        log.append(line(1));
        expect((await text()).split('\n').filter((part) => part.trim() !== '')).toEqual([
          HEADER.trim(),
          '{"n":0}',
          '{"n":1}',
        ]);
      });

      it('replaces the file by other lines', async () => {
        storage.writeTextSync(file, HEADER + line(1));
        await load();
        expect(log.replace([HEADER, line(2), line(3)])).toBe(true);
        expect(await text()).toBe(HEADER + line(2) + line(3));
        expect(log.look()).toBe('same');
        log.append(line(4));
        expect(await text()).toBe(HEADER + line(2) + line(3) + line(4));
        expect(storage.listFilesSync(dir, '*')).toEqual([file]);
      });

      it('makes the file again where it is missing', async () => {
        storage.writeTextSync(file, HEADER);
        await load();
        await storage.unlink(file);
        expect(log.look()).toBe('missing');
        expect(() => log.append(line(1))).toThrow(expect.objectContaining({ code: 'ENOENT' }));
        expect(log.replace([HEADER, line(1)])).toBe(true);
        expect(await text()).toBe(HEADER + line(1));
      });

      it('F15: keeps the bytes beside the file, under a name that no session has, never the same twice', async () => {
        expect(log.keepBackup()).toBeUndefined();
        storage.writeTextSync(file, 'not a session');
        await load();
        const first = log.keepBackup() ?? '';
        await log.settled();
        const second = log.keepBackup() ?? '';
        await log.settled();
        expect(second).not.toBe(first);
        for (const copy of [first, second]) {
          expect(path.basename(copy)).toMatch(
            /^session\.jsonl\.bak-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z(-2)?$/,
          );
          expect(await storage.readText(copy)).toBe('not a session');
        }
        expect(storage.listFilesSync(dir, '*.jsonl')).toEqual([file]);
      });

      it('moves with its file, and onto no other', async () => {
        storage.writeTextSync(file, HEADER);
        storage.writeTextSync(at('taken.jsonl'), 'taken');
        await load();
        await expect(log.rename(at('taken.jsonl'))).rejects.toMatchObject({ code: 'EEXIST' });
        expect(log.path).toBe(file);
        await log.rename(at('far', 'moved.jsonl'));
        expect(log.path).toBe(at('far', 'moved.jsonl'));
        expect(log.look()).toBe('same');
        log.append(line(1));
        await log.settled();
        expect(await storage.readText(at('far', 'moved.jsonl'))).toBe(HEADER + line(1));
        expect(storage.existsSync(file)).toBe(false);
        expect(await storage.readText(at('taken.jsonl'))).toBe('taken');
      });

      it('refuses what is not one line', async () => {
        log.create([HEADER]);
        for (const wrong of ['', '\n', '{}', '{}\n{}\n', '\n{}\n'])
          expect(() => log.append(wrong)).toThrow(TypeError);
        expect(await text()).toBe(HEADER);
      });

      describe('that notices other writers (F35)', () => {
        beforeEach(({ skip }) => {
          if (!supports.appendCheck) skip();
        });
        const append = async (added: string) => {
          const writer = storage.openWriter(file);
          await writer.writeLine(added);
          await writer.close();
        };

        it('tells growth, and gives what was added', async () => {
          storage.writeTextSync(file, HEADER);
          await load();
          await append('{"foreign":1}');
          expect(log.look()).toBe('grown');
          expect(grown()).toBe('{"foreign":1}\n');
          expect(log.look()).toBe('same');
          log.append(line(1));
          expect(await text()).toBe(`${HEADER}{"foreign":1}\n${line(1)}`);
        });

        it('appends behind what it has not read, and still tells growth from where it had seen', async () => {
          storage.writeTextSync(file, HEADER);
          await load();
          await append('{"foreign":1}');
          log.append(line(1));
          expect(log.look()).toBe('grown');
          expect(grown()).toBe(`{"foreign":1}\n${line(1)}`);
        });

        it('two logs that append by turns see each line of the other, and every line is there once (B21)', async () => {
          storage.writeTextSync(file, HEADER);
          const other = openSessionLog(storage, file);
          await load();
          await load(other);
          let expected = HEADER;
          for (let n = 0; n < 20; n += 1) {
            const [writer, reader] = n % 2 === 0 ? [log, other] : [other, log];
            expect(writer.look()).toBe(n === 0 ? 'same' : 'grown');
            if (n > 0) {
              const from = writer.seen?.bytes ?? 0;
              const pieces = Array.from(writer.read(from), (piece) => Buffer.from(piece));
              expect(Buffer.concat(pieces).toString('utf8')).toBe(line(n - 1));
              writer.markSeen({ bytes: from + line(n - 1).length });
            }
            writer.append(line(n));
            expected += line(n);
            expect(reader.look()).toBe('grown');
          }
          expect(await text()).toBe(expected);
        });

        it('keeps behind the new lines what others appended and nobody has read', async () => {
          storage.writeTextSync(file, HEADER + line(1));
          await load();
          await append('{"foreign":1}');
          expect(log.replace([HEADER, line(2)])).toBe(true);
          expect(await text()).toBe(`${HEADER}${line(2)}{"foreign":1}\n`);
          expect(log.look()).toBe('grown');
          expect(grown()).toBe('{"foreign":1}\n');
        });

        it('keeps a torn line that another process finished meanwhile (F9, F35)', async () => {
          storage.writeTextSync(file, `${HEADER}{"torn":`);
          for (const _ of (await log.load()) ?? []);
          log.markSeen({ bytes: HEADER.length + 8, tornAt: HEADER.length });
          await storage.writeText(file, `${HEADER}{"torn":`); // the same bytes in another file: it must be looked at anew
          expect(log.look()).toBe('replaced');
          for (const _ of log.read(0));
          log.markSeen({ bytes: HEADER.length + 8, tornAt: HEADER.length });
          const other = openSessionLog(storage, file);
          await load(other);
          other.append(line(1));
          expect(log.replace([HEADER, line(2)])).toBe(true);
          expect(await text()).toBe(`${HEADER}${line(2)}{"torn":\n${line(1)}`);
        });

        it('adds no blank line where the tail begins with the newline that was missing', async () => {
          storage.writeTextSync(file, `${HEADER}{"n":0}`);
          await load();
          const other = openSessionLog(storage, file);
          await load(other);
          other.append(line(1));
          expect(log.replace([HEADER, line(0)])).toBe(true);
          expect(await text()).toBe(HEADER + line(0) + line(1));
        });

        it('does not replace a file that it has not seen', async () => {
          storage.writeTextSync(file, HEADER);
          expect(log.look()).toBe('replaced');
          expect(log.replace([line(1)])).toBe(false);
          await load();
          storage.writeTextSync(file, HEADER + line(5));
          expect(log.look()).toBe('replaced');
          expect(log.replace([line(1)])).toBe(false);
          expect(await text()).toBe(HEADER + line(5));
        });

        it('tells a file that another log replaced, and goes on in the new one', async () => {
          storage.writeTextSync(file, HEADER + line(1));
          const other = openSessionLog(storage, file);
          await load();
          await load(other);
          log.append(line(2));
          for (const _ of other.read(other.seen?.bytes ?? 0));
          expect(other.look()).toBe('grown');
          for (const _ of other.read(other.seen?.bytes ?? 0));
          other.markSeen({ bytes: HEADER.length + 16 });
          expect(other.replace([HEADER, line(7)])).toBe(true);
          log.append(line(3));
          expect(await text()).toBe(HEADER + line(7) + line(3));
          expect(log.look()).toBe('replaced');
        });

        it('writes over a line of the same width, and only that', async () => {
          const slot = '{"type":"title","title":"a","pad":"   "}\n';
          storage.writeTextSync(file, slot + HEADER + line(1));
          expect(log.overwrite(0, slot)).toBe(false);
          await load();
          const next = slot.replace('"a"', '"b"');
          expect(log.overwrite(0, next)).toBe(true);
          expect(await text()).toBe(next + HEADER + line(1));
          expect(log.overwrite(0, line(1))).toBe(false);
          expect(log.overwrite(1, next)).toBe(false);
          expect(log.overwrite(slot.length + HEADER.length, '{"n":12}\n')).toBe(false);
          expect(log.overwrite(slot.length + HEADER.length, '{"n":2}\n')).toBe(true);
          log.append(line(3));
          expect(log.look()).toBe('same');
          expect(await text()).toBe(next + HEADER + line(2) + line(3));
        });

        it('a shorter file is another file', async () => {
          storage.writeTextSync(file, HEADER + line(1));
          await load();
          await storage.openWriter(file, { flags: 'w' }).close();
          expect(log.look()).toBe('replaced');
        });
      });
    });

    it('copies and moves a folder of artifacts, and deletes a session with its own (B45)', async ({
      skip,
    }) => {
      const { copyDirSync, moveDirSync, deleteSessionWithArtifacts } = storage;
      if (!copyDirSync || !moveDirSync || !deleteSessionWithArtifacts) return skip();
      storage.ensureDirSync(at('s', 'deep'));
      storage.writeTextSync(at('s.jsonl'), HEADER);
      storage.writeTextSync(at('s', 'one.txt'), '1');
      storage.writeTextSync(at('s', 'deep', 'two.txt'), '2');
      storage.ensureDirSync(at('copy'));
      storage.writeTextSync(at('copy', 'one.txt'), 'mine');
      copyDirSync.call(storage, at('s'), at('copy'));
      copyDirSync.call(storage, at('nowhere'), at('never'));
      expect(await storage.readText(at('copy', 'one.txt'))).toBe('mine');
      expect(await storage.readText(at('copy', 'deep', 'two.txt'))).toBe('2');
      expect(storage.existsSync(at('never'))).toBe(false);
      expect(() => moveDirSync.call(storage, at('copy'), at('s'))).toThrow(
        expect.objectContaining({ code: 'EEXIST' }),
      );
      moveDirSync.call(storage, at('copy'), at('far', 'away'));
      expect(storage.existsSync(at('copy'))).toBe(false);
      expect(await storage.readText(at('far', 'away', 'deep', 'two.txt'))).toBe('2');
      await deleteSessionWithArtifacts.call(storage, at('s.jsonl'));
      await deleteSessionWithArtifacts.call(storage, at('s.jsonl'));
      expect([storage.existsSync(at('s.jsonl')), storage.existsSync(at('s'))]).toEqual([false, false]);
      expect(storage.listFilesSync(dir, '**/*')).toEqual([
        at('far', 'away', 'deep', 'two.txt'),
        at('far', 'away', 'one.txt'),
      ]);
      await expect(deleteSessionWithArtifacts.call(storage, at('far'))).rejects.toBeInstanceOf(TypeError);
    });
  });
}
