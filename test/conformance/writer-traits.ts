import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SessionStorage, SessionStorageWriter } from '../../src/storage/session-storage.js';

/** A storage of which the next write of a line can be made to fail. */
export interface StorageUnderTest {
  readonly storage: SessionStorage;
  /** An absolute folder for the test's files. */
  readonly dir: string;
  /** Makes everything fail that is written to the file from now on. Absent where nothing can fail. */
  readonly breakFile?: (file: string) => void;
}

type Operation = 'writeLine' | 'flush' | 'fsync' | 'close';
type State = 'open' | 'flushed' | 'failed' | 'closed' | 'failed and closed';
/** `first error`: rejects with the error that the writer failed with. */
type Outcome = 'resolves' | 'first error' | 'rejects';

/** The contract's table, cell by cell. */
const TABLE: Readonly<Record<State, Readonly<Record<Operation, Outcome>>>> = {
  open: { writeLine: 'resolves', flush: 'resolves', fsync: 'resolves', close: 'resolves' },
  flushed: { writeLine: 'resolves', flush: 'resolves', fsync: 'resolves', close: 'resolves' },
  failed: { writeLine: 'first error', flush: 'first error', fsync: 'first error', close: 'first error' },
  closed: { writeLine: 'rejects', flush: 'resolves', fsync: 'resolves', close: 'resolves' },
  'failed and closed': { writeLine: 'rejects', flush: 'resolves', fsync: 'resolves', close: 'resolves' },
};

/** Every operation on a writer in every state. */
export function describeWriterTraits(make: () => StorageUnderTest): void {
  describe('a writer', () => {
    let under: StorageUnderTest;
    let file: string;
    let reported: Error[];
    let writer: SessionStorageWriter;
    let firstError: unknown;

    beforeEach(() => {
      under = make();
      file = path.join(under.dir, 'written.jsonl');
      reported = [];
      firstError = undefined;
      writer = under.storage.openWriter(file, { onError: (error) => reported.push(error) });
    });

    async function bring(state: State): Promise<void> {
      await writer.writeLine('{"n":0}');
      if (state === 'flushed') await writer.flush();
      if (state.startsWith('failed')) {
        under.breakFile?.(file);
        firstError = await writer.writeLine('{"n":"lost"}').catch((error: unknown) => error);
        expect(firstError).toBeInstanceOf(Error);
      }
      if (state.endsWith('closed')) await writer.close().catch(() => {});
    }

    async function perform(operation: Operation): Promise<unknown> {
      const done = operation === 'writeLine' ? writer.writeLine('{"n":1}') : writer[operation]();
      return await done.then(
        () => 'resolves',
        (error: unknown) => error,
      );
    }

    for (const state of Object.keys(TABLE) as State[]) {
      for (const operation of Object.keys(TABLE[state]) as Operation[]) {
        const outcome = TABLE[state][operation];
        it(`${operation} on a ${state} writer: ${outcome} (F32, F34)`, async ({ skip }) => {
          if (state.startsWith('failed') && under.breakFile === undefined) skip();
          await bring(state);
          const result = await perform(operation);
          if (outcome === 'resolves') expect(result).toBe('resolves');
          else if (outcome === 'first error') expect(result).toBe(firstError);
          else expect(result).toBeInstanceOf(Error);
          expect(writer.getError()).toBe(firstError);
          expect(reported).toEqual(firstError === undefined ? [] : [firstError]);
          if (!state.startsWith('failed')) {
            const added = operation === 'writeLine' && state !== 'closed' ? '{"n":1}\n' : '';
            expect(await under.storage.readText(file)).toBe(`{"n":0}\n${added}`);
          }
        });
      }
    }

    it('writes lines in the order of the calls, whether they are waited for or not (B28)', async () => {
      const pending = Array.from({ length: 50 }, (_, i) => writer.writeLine(`{"n":${i}}\n`));
      await writer.flush();
      const text = await under.storage.readText(file);
      expect(text).toBe(Array.from({ length: 50 }, (_, i) => `{"n":${i}}\n`).join(''));
      await Promise.all(pending);
      await writer.close();
    });

    it('has a line in the file when the call returns, where the storage says so (B13)', async ({ skip }) => {
      if (under.storage.supports?.syncAppend !== true) skip();
      const pending = writer.writeLine('{"n":7}');
      expect(under.storage.statSync(file).size).toBe(8);
      await pending;
    });

    it('refuses what is not one line', async () => {
      await expect(writer.writeLine('{"a":1}\n{"b":2}')).rejects.toBeInstanceOf(TypeError);
      await expect(writer.writeLine('')).rejects.toBeInstanceOf(TypeError);
      await writer.writeLine('{"n":0}');
      expect(await under.storage.readText(file)).toBe('{"n":0}\n');
    });

    it('keeps every string that JSON can hold (B18)', async () => {
      const hard = 'a\u2028b\u2029c\u0085d\u000be\u0000f\r\n\ud800g\udc00"\\ 😀';
      await writer.writeLine(JSON.stringify({ __proto__: null, text: hard }));
      await writer.close();
      const [line, rest] = (await under.storage.readText(file)).split('\n');
      expect(JSON.parse(line ?? '')).toEqual({ text: hard });
      expect(rest).toBe('');
    });

    it('starts on a new line behind a torn one (F9)', async () => {
      await under.storage.writeText(file, '{"n":0}\n{"type":"mess');
      const next = under.storage.openWriter(file);
      await next.writeLine('{"n":1}');
      await next.close();
      expect(await under.storage.readText(file)).toBe('{"n":0}\n{"type":"mess\n{"n":1}\n');
    });

    it('empties the file for w, and keeps it for a', async () => {
      await writer.writeLine('{"n":0}');
      await writer.close();
      const second = under.storage.openWriter(file, { flags: 'a' });
      await second.writeLine('{"n":1}');
      await second.close();
      expect(await under.storage.readText(file)).toBe('{"n":0}\n{"n":1}\n');
      const third = under.storage.openWriter(file, { flags: 'w' });
      await third.writeLine('{"n":2}');
      await third.close();
      expect(await under.storage.readText(file)).toBe('{"n":2}\n');
    });
  });
}
