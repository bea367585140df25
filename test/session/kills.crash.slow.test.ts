import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../support/bundle.js';
import { type CrashMode, crashRound, type Round } from '../support/crash-rounds.js';

let program: Awaited<ReturnType<typeof bundle>>;

beforeAll(async () => {
  program = await bundle('writer-program.ts');
});
afterAll(() => program.remove());

const ROUNDS = 100;

describe('a process killed at any moment, hundreds of times', () => {
  it.each<[CrashMode, number]>([
    ['append', 120],
    ['rewrite', 120],
    ['migrate', 60],
    ['move', 120],
  ])('%s, killed within %i ms', async (mode, withinMs) => {
    const rounds: Round[] = [];
    for (let i = 0; i < ROUNDS; i += 1)
      rounds.push(await crashRound(program.file, mode, Math.random() * withinMs));
    expect(rounds).toHaveLength(ROUNDS);
    expect(rounds.filter(({ wasKilled }) => wasKilled).length).toBeGreaterThan(ROUNDS / 10);
    if (mode !== 'migrate')
      expect(rounds.reduce((sum, { acknowledged }) => sum + acknowledged, 0)).toBeGreaterThan(ROUNDS);
  });
});
