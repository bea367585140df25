import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeCorpus, type Truth } from '../../scripts/make-corpus/index.mjs';
import { temporaryFolder } from '../support/tree.js';

function make(seed: number, sessions: number): { dir: string; truth: Truth } {
  const dir = join(temporaryFolder(), 'corpus');
  return {
    dir,
    truth: makeCorpus({ dir, seed, sessions, projects: 12, bytes: sessions * 8000, damage: 0.1 }),
  };
}

function hashOf(dir: string): string {
  const hash = createHash('sha256');
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((item) => item.isFile());
  for (const path of files.map((item) => join(item.parentPath, item.name)).sort()) {
    hash.update(path.slice(dir.length)).update(readFileSync(path));
  }
  return hash.digest('hex');
}

/** What a fork names as its parent may be a path in the corpus's own folder. */
function withoutFolder(truth: Truth, dir: string): string {
  return JSON.stringify(truth).replaceAll(dir, '');
}

describe('makeCorpus', () => {
  it('gives the same bytes and the same truth for the same options, others for another seed', () => {
    const dir = join(temporaryFolder(), 'corpus');
    const options = { dir, seed: 3, sessions: 40, projects: 5, bytes: 200_000, damage: 0.1 };
    const first = makeCorpus(options);
    const hash = hashOf(dir);
    const again = temporaryFolder();
    const second = makeCorpus({ ...options, dir: join(again, 'corpus') });
    expect(withoutFolder(second, join(again, 'corpus'))).toBe(withoutFolder(first, dir));
    expect(makeCorpus({ ...options, dir: join(again, 'other'), seed: 4 }).bytes).not.toBe(first.bytes);
    expect(() => makeCorpus(options)).toThrow('is not empty');
    expect(hashOf(dir)).toBe(hash);
  });

  it('its truth agrees with a plain second reading of the files', () => {
    const { dir, truth } = make(5, 120);
    let read = 0;
    for (const { path, entries } of truth.sessions) {
      const bytes = readFileSync(join(dir, 'sessions', path));
      for (const { type, byteOffset, byteLength } of entries) {
        expect(JSON.parse(bytes.toString('utf8', byteOffset, byteOffset + byteLength)).type).toBe(type);
        read += 1;
      }
    }
    expect(read).toBeGreaterThan(1000);
  });

  it('every kind of entry, role, version, spelling and damage occurs', () => {
    const { dir, truth } = make(1, 300);
    const all = truth.sessions.flatMap(({ entries }) => entries);
    const types =
      'message model_change thinking_level_change compaction branch_summary custom custom_message label ttsr_injection session_init mode_change session_info title_change model_usage leaf reset_boundary future_record credential_pin session';
    expect(types.split(' ').filter((type) => !all.some((entry) => entry.type === type))).toEqual([]);
    const roles =
      'user assistant toolResult bashExecution pythonExecution fileMention developer oracle custom';
    expect(roles.split(' ').filter((role) => !all.some((entry) => entry.role === role))).toEqual([]);
    expect(new Set(truth.sessions.map(({ version }) => version))).toEqual(new Set([1, 2, 3]));
    const kinds = new Set(truth.sessions.flatMap(({ problems }) => problems.map(({ kind }) => kind)));
    expect(kinds).toEqual(new Set(['nul-bytes', 'unparsable', 'not-an-entry', 'glued', 'torn']));
    expect(new Set(truth.notSessions.map(({ reason }) => reason))).toEqual(
      new Set(['empty', 'headerless', 'foreign', 'look-alike', 'unparsable']),
    );
    const text = truth.sessions
      .map(({ path }) => readFileSync(join(dir, 'sessions', path), 'latin1'))
      .join('');
    const spellings = [
      'branchedFrom',
      '"payload"',
      '"fromHook"',
      '"pad"',
      '"parentSession"',
      '"modelId"',
      'blob:sha256:',
      '\r\n',
      '\u00ef\u00bb\u00bf',
      '"firstKeptEntryIndex"',
      '"hookMessage"',
      '": ',
      '"errorMessage"',
      '"stopReason":"aborted"',
      '\u00e2\u0080\u00a8',
    ];
    expect(spellings.filter((spelling) => !text.includes(spelling))).toEqual([]);
    expect(truth.sessions.some(({ orphans }) => orphans > 0)).toBe(true);
    expect(truth.sessions.some(({ branchPoints }) => branchPoints > 0)).toBe(true);
    expect(truth.sessions.some(({ path }) => path.includes('/run-1/session.jsonl'))).toBe(true);
    expect(truth.planted.some(({ copies }) => copies.length > 0)).toBe(true);
  });

  it('tool output is most of the bytes', () => {
    const { truth } = make(2, 150);
    const all = truth.sessions.flatMap(({ entries }) => entries);
    const sum = (entries: typeof all) => entries.reduce((bytes, { byteLength }) => bytes + byteLength, 0);
    const share = sum(all.filter(({ role }) => role === 'toolResult')) / sum(all);
    expect(share).toBeGreaterThan(0.5);
    expect(share).toBeLessThan(0.95);
  });
});
