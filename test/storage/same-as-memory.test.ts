import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FileSessionStorage } from '../../src/storage/file-storage.js';
import { MemorySessionStorage } from '../../src/storage/memory-storage.js';
import type { SessionLog, SessionStorage } from '../../src/storage/session-storage.js';
import { LEASE_MS } from '../../src/storage/write-lease.js';
import { quickTime } from '../support/quick-time.js';

/** A step on one of two logs of one file, or on the storage itself. Lines are numbered, so that none is like another. */
type Step =
  | { readonly do: 'append' | 'look' | 'absorb' | 'replace' | 'create' | 'backup'; readonly log: 0 | 1 }
  | { readonly do: 'rename'; readonly log: 0 | 1; readonly to: 'a' | 'b' }
  | { readonly do: 'write'; readonly tail: '' | '{"torn' | '{"whole":0}' }
  | { readonly do: 'truncate' | 'unlink' | 'foreign' };

const which = fc.constantFrom(0 as const, 1 as const);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('append' as const), log: which }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('absorb' as const), log: which }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom('look' as const, 'replace' as const, 'create' as const, 'backup' as const),
      log: which,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('rename' as const),
      log: which,
      to: fc.constantFrom('a' as const, 'b' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      tail: fc.constantFrom('' as const, '{"torn' as const, '{"whole":0}' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('foreign' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('truncate' as const, 'unlink' as const) }) },
);

const NOW = Date.UTC(2026, 0, 2);

/** One storage with what the steps need to know of it. */
class Run {
  readonly storage: SessionStorage;
  readonly #dir: string;
  readonly #logs: readonly SessionLog[];
  #number = 0;

  constructor(storage: SessionStorage, dir: string) {
    this.storage = storage;
    this.#dir = dir;
    const open = () =>
      (storage.openLog as NonNullable<SessionStorage['openLog']>).call(storage, this.#path('a'));
    this.#logs = [open(), open()];
  }

  /** What it came to: a value, or the error's code. */
  async take(step: Step): Promise<unknown> {
    try {
      return await this.#perform(step);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? error;
    }
  }

  async contents(): Promise<Readonly<Record<string, string>>> {
    const found: Record<string, string> = {};
    for (const file of this.storage.listFilesSync(this.#dir, '**/*'))
      found[path.relative(this.#dir, file)] = await this.storage.readText(file);
    return found;
  }

  async close(): Promise<void> {
    for (const log of this.#logs) await log.close();
  }

  #path(name: string): string {
    return path.join(this.#dir, `${name}.jsonl`);
  }

  #line(): string {
    this.#number += 1;
    return `{"n":${String(this.#number).padStart(4, '0')}}\n`;
  }

  async #perform(step: Step): Promise<unknown> {
    switch (step.do) {
      case 'write':
        return this.storage.writeTextSync(this.#path('a'), this.#line() + step.tail);
      case 'truncate': {
        const writer = this.storage.openWriter(this.#path('a'), { flags: 'w' });
        this.#number += 1;
        // Of a width that nothing else adds up to: a file emptied and filled to its old size looks the same.
        await writer.writeLine(`{"pad":"${' '.repeat(2000 + this.#number * 7)}"}`);
        return await writer.close();
      }
      case 'unlink':
        return await this.storage.unlink(this.#path('a'));
      case 'foreign': {
        const writer = this.storage.openWriter(this.#path('a'));
        await writer.writeLine(this.#line());
        return await writer.close();
      }
      default:
        return await this.#onLog(this.#logs[step.log] as SessionLog, step);
    }
  }

  async #onLog(log: SessionLog, step: Extract<Step, { readonly log: 0 | 1 }>): Promise<unknown> {
    switch (step.do) {
      case 'append':
        return log.append(this.#line());
      case 'look':
        return [log.look(), log.seen?.bytes, log.seen?.tornAt];
      case 'absorb':
        return absorb(log);
      case 'replace':
        // A line of its own may turn out to stand elsewhere: then a file is not replaced before that has been read.
        log.look();
        return log.replace([this.#line(), this.#line()]);
      case 'create':
        return log.create([this.#line()]);
      case 'backup':
        return path.basename(log.keepBackup() ?? 'none');
      case 'rename':
        return await log.rename(this.#path(step.to));
    }
  }
}

function absorb(log: SessionLog): unknown {
  const drift = log.look();
  if (drift === 'missing' || drift === 'same') return drift;
  const from = drift === 'grown' ? (log.seen?.tornAt ?? log.seen?.bytes ?? 0) : 0;
  const text = Buffer.concat(Array.from(log.read(from), (piece) => Buffer.from(piece))).toString('utf8');
  const torn = text.endsWith('{"torn') ? from + text.length - 6 : undefined;
  log.markSeen({ bytes: from + text.length, tornAt: torn });
  return [drift, text];
}

describe('the file storage', () => {
  it('does what the memory storage does, whatever two logs and other writers do to one file', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        const dir = mkdtempSync(path.join(tmpdir(), 'sessiondex-same-'));
        const host = { now: () => NOW };
        const time = quickTime();
        const onDisk = new Run(new FileSessionStorage({ host, time }), dir);
        const inMemory = new Run(new MemorySessionStorage({ host }), dir);
        try {
          for (const next of steps) {
            time.pause(LEASE_MS + 1); // or an append may rely on the look of a step before
            expect(await onDisk.take(next)).toEqual(await inMemory.take(next));
            expect(await onDisk.contents()).toEqual(await inMemory.contents());
          }
          expect(readdirSync(dir).filter((name) => /tmp-|lock/.test(name))).toEqual([]);
        } finally {
          await onDisk.close();
          rmSync(dir, { recursive: true, force: true });
        }
      }),
      { numRuns: 100 },
    );
  });
});
