import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../support/bundle.js';
import { type CrashMode, crashRound, type Round } from '../support/crash-rounds.js';

let program: Awaited<ReturnType<typeof bundle>>;

beforeAll(async () => {
  program = await bundle('writer-program.ts');
});
afterAll(() => program.remove());

describe('omp 15.0.1, omp #894: a process killed at any moment', () => {
  it.each<[CrashMode, readonly number[]]>([
    ['append', [1, 20, 50]],
    ['rewrite', [2, 15, 40]],
    ['migrate', [0, 5, 15]],
    ['move', [2, 15, 40]],
  ])(
    '%s: every acknowledged entry is there, the file loads, and the next process goes on',
    async (mode, delays) => {
      const rounds: Round[] = [];
      for (const delay of delays) rounds.push(await crashRound(program.file, mode, delay));
      if (mode !== 'migrate')
        expect(rounds.reduce((sum, { acknowledged }) => sum + acknowledged, 0)).toBeGreaterThan(0);
    },
  );
});
