import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../support/bundle.js';
import { startChild } from '../support/child-writers.js';
import { header, jsonl, message, user } from '../support/entries.js';
import { makeWorld, readSession } from '../support/session-world.js';

let program: Awaited<ReturnType<typeof bundle>>;

beforeAll(async () => {
  program = await bundle('writer-program.ts');
});
afterAll(() => program.remove());

async function runTogether(modes: readonly string[], count: number) {
  const world = makeWorld();
  const file = world.write('s/shared.jsonl', jsonl([header(), message('root', null, user('root'))]));
  const env = { PI_CODING_AGENT_DIR: world.agentDir };
  const children = modes.map((mode, i) =>
    startChild(program.file, [mode, file, `p${i}`, String(count)], env),
  );
  const ends = await Promise.all(children.map(({ end }) => end));
  for (const { code, stderr } of ends) expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const appended = ends.map(({ said }) => said.filter((step) => step.appended !== undefined));
  return { world, file, appended };
}

describe('pi #8300, F35: several processes append to one session', () => {
  it.each([2, 4])(
    '%i processes, 1,000 entries each: all are there, once, under the parents that were meant',
    async (n) => {
      const { file, appended } = await runTogether(Array<string>(n).fill('append'), 1000);
      const { entries } = readSession(file, true);
      expect(entries).toHaveLength(1 + n * 1000);
      const parents = new Map(entries.map(({ id, parentId }) => [id, parentId]));
      expect(parents.size).toBe(entries.length);
      for (const steps of appended) {
        expect(steps).toHaveLength(1000);
        for (const { appended: id, parentId } of steps) expect(parents.get(id as string)).toBe(parentId);
        const own = new Set(steps.map((step) => step.appended));
        const inFile = entries.filter(({ id }) => own.has(id)).map(({ id }) => id);
        expect(inFile).toEqual(steps.map((step) => step.appended));
      }
    },
  );

  it('F35: one renames and rewrites while others append: no entry is lost or damaged', async () => {
    const { file, appended } = await runTogether(['rewrite', 'append', 'append'], 200);
    const { entries, header: first } = readSession(file, true);
    const ids = entries.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(ids)).toEqual(new Set(['root', ...appended.flat().map((step) => step.appended)]));
    expect(ids).toHaveLength(601);
    expect(first.title).toBe('p0 198');
  });

  it('F35: two rewrite at once: every entry of both is there', async () => {
    const { file, appended } = await runTogether(['rewrite', 'rewrite'], 60);
    const ids = readSession(file, true).entries.map(({ id }) => id);
    expect(new Set(ids)).toEqual(new Set(['root', ...appended.flat().map((step) => step.appended)]));
    expect(ids).toHaveLength(121);
  });
});
