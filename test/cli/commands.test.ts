import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sessiondex } from '../support/command.js';
import { assistant, at, header, jsonl, temporaryFolder, user, write } from '../support/tree.js';

/** Two sessions and a damaged file, in the folder where xcsh keeps them. */
function home(): { home: string; root: string } {
  const folder = temporaryFolder();
  const root = join(folder, '.xcsh/agent/sessions');
  write(
    join(root, '--shop--', 'one.jsonl'),
    jsonl(
      header('aaaaaaaa-1', { cwd: '/home/ann/shop', title: 'Queue' }),
      user('u1', null, 'How should the queue retry?'),
      assistant('a1', 'u1', 'With exponential backoff.'),
      user('u2', 'u1', 'retry never'),
      user('u3', 'a1', 'Thanks'),
    ),
  );
  write(
    join(root, '--blog--', 'two.jsonl'),
    `${jsonl(header('aaaaaaaa-2', { cwd: '/home/ann/blog', timestamp: at(-60) }), { ...user('v1', null, 'Fonts'), timestamp: at(-50) })}not json\n`,
  );
  return { home: folder, root };
}

describe('sessiondex', () => {
  it('without arguments: the recent sessions, and a hint', () => {
    const { home: HOME } = home();
    const { code, stdout, stderr } = sessiondex([], { HOME });
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.replace(/ {2,}/g, ' | '))).toEqual([
      expect.stringMatching(/^@1 \| aaaaaaaa-1 \| \S+( ago)? \| shop \| Queue \| 4 msg \| \$0\.03$/),
      expect.stringMatching(/^@2 \| aaaaaaaa-2 \| \S+( ago)? \| blog \| Fonts \| 1 msg$/),
      '',
    ]);
    expect(stderr).toContain('sessiondex --help');
  });

  it('where no sessions are: says where it looked, offers the demo, exits with 1', () => {
    const HOME = temporaryFolder();
    const { code, stdout, stderr } = sessiondex(['list'], { HOME });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(join(HOME, '.xcsh/agent/sessions'));
    expect(stderr).toContain(join(HOME, '.pi/agent/sessions'));
    expect(stderr).toContain('sessiondex demo');
    expect(existsSync(join(HOME, '.cache'))).toBe(false);
  });

  it('demo shows list, search and verify, touches nothing of the user, and says how to remove it', () => {
    const HOME = temporaryFolder();
    const { code, stdout } = sessiondex(['demo'], { HOME, TMPDIR: HOME });
    expect(code).toBe(0);
    for (const part of [
      '$ sessiondex list',
      'Payment queue retries',
      '$ sessiondex search',
      'also in',
      '$ sessiondex verify',
      'ok: the index equals the files',
      'rm -r ',
    ]) {
      expect(stdout).toContain(part);
    }
    expect(readdirSync(HOME)).toEqual([expect.stringContaining('sessiondex-demo-')]);
  });

  it('list --json is the contract, and every file is in it or in the problems', () => {
    const { home: HOME, root } = home();
    const { stdout, code } = sessiondex(['list', '--json'], { HOME });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      schema: 1,
      total: 2,
      sessions: [
        {
          id: 'aaaaaaaa-1',
          path: join(root, '--shop--', 'one.jsonl'),
          root,
          project: '/home/ann/shop',
          title: 'Queue',
          firstMessage: 'How should the queue retry?',
          created: at(0),
          modified: at(2),
          version: 3,
          messageCount: 4,
          entryCount: 4,
          branchCount: 2,
          orphanCount: 0,
          problemCount: 0,
          labels: [],
          models: ['anthropic/claude-x'],
          parentSession: null,
          status: 'pending',
          sizeBytes: statSync(join(root, '--shop--', 'one.jsonl')).size,
          usage: {
            input: 10,
            output: 5,
            cacheRead: 2,
            cacheWrite: 1,
            totalTokens: 18,
            premiumRequests: 0,
            cost: 0.03,
          },
        },
        expect.objectContaining({ id: 'aaaaaaaa-2', problemCount: 1, modified: at(-50) }),
      ],
      problems: [
        {
          path: join(root, '--blog--', 'two.jsonl'),
          byteOffset: statSync(join(root, '--blog--', 'two.jsonl')).size - 'not json\n'.length,
          line: 3,
          kind: 'unparsable',
          message: 'not JSON',
        },
      ],
    });
  });

  it('search groups hits by session and marks the abandoned branch; --json is the contract', () => {
    const { home: HOME, root } = home();
    const { stdout, code } = sessiondex(['search', 'retry'], { HOME });
    expect(code).toBe(0);
    expect(stdout).toContain('shop  Queue  aaaaaaaa-1');
    expect(stdout).toContain('How should the queue retry?');
    expect(stdout).toMatch(/abandoned branch\n {4}retry never/);
    expect(stdout).toContain('sessiondex show aaaaaaaa-1 --leaf u1');
    const { hits, ...rest } = JSON.parse(sessiondex(['search', 'backoff', '--json'], { HOME }).stdout);
    expect(rest).toEqual({ schema: 1, query: 'backoff', total: 1 });
    expect(hits).toEqual([
      {
        sessionId: 'aaaaaaaa-1',
        path: join(root, '--shop--', 'one.jsonl'),
        project: '/home/ann/shop',
        title: 'Queue',
        entryId: 'a1',
        type: 'message',
        role: 'assistant',
        timestamp: at(2),
        score: expect.any(Number),
        snippet: 'With exponential backoff.',
        matches: [[17, 24]],
        part: 'prose',
        byteOffset: expect.any(Number),
        byteLength: expect.any(Number),
        onActiveBranch: true,
        alsoIn: [],
      },
    ]);
  });

  it('search --count, --files and --jsonl are for pipes; nothing found is 1', () => {
    const { home: HOME, root } = home();
    expect(sessiondex(['search', 'retry', '--count'], { HOME }).stdout).toBe('2\n');
    expect(sessiondex(['search', 'retry', '--files'], { HOME }).stdout).toBe(
      `${join(root, '--shop--', 'one.jsonl')}\n`,
    );
    const lines = sessiondex(['search', 'retry', '--jsonl'], { HOME }).stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).entryId).toSorted()).toEqual(['u1', 'u2']);
    const nothing = sessiondex(['search', 'nowhere'], { HOME });
    expect([nothing.code, nothing.stdout]).toEqual([1, '']);
    expect(nothing.stderr).toContain('nothing has "nowhere"');
  });

  it('show: the active path, another one, every entry, the lines as they are', () => {
    const { home: HOME, root } = home();
    const shown = (...args: string[]) => sessiondex(['show', 'aaaaaaaa-1', ...args], { HOME }).stdout;
    expect(shown()).toContain('With exponential backoff.');
    expect(shown()).not.toContain('retry never');
    expect(shown('--leaf', 'u2')).toContain('retry never');
    expect(shown('--leaf', 'u2')).not.toContain('backoff');
    expect(shown('--all')).toContain('retry never');
    const lines = jsonl(
      user('u1', null, 'How should the queue retry?'),
      assistant('a1', 'u1', 'With exponential backoff.'),
      user('u3', 'a1', 'Thanks'),
    );
    expect(shown('--raw')).toBe(lines);
    const { session, ...rest } = JSON.parse(shown('--json'));
    expect(session.path).toBe(join(root, '--shop--', 'one.jsonl'));
    expect(rest).toEqual({
      schema: 1,
      leafId: 'u3',
      entries: lines
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    });
  });

  it('a session is named by id, path, file name, @N and @last; ambiguity lists the candidates', () => {
    const { home: HOME, root } = home();
    const show = (name: string) => sessiondex(['show', name], { HOME });
    sessiondex(['list'], { HOME });
    for (const name of ['aaaaaaaa-2', join(root, '--blog--', 'two.jsonl'), 'two', '@2']) {
      expect([name, show(name).stdout.includes('Fonts')]).toEqual([name, true]);
    }
    expect(show('@last').stdout).toContain('Queue');
    const ambiguous = show('aaaa');
    expect([ambiguous.code, ambiguous.stdout]).toEqual([1, '']);
    expect(ambiguous.stderr).toContain('aaaaaaaa-1');
    expect(ambiguous.stderr).toContain('aaaaaaaa-2');
    expect(show('@9').stderr).toContain('no @9');
    expect(show('zzz').code).toBe(1);
  });

  it('wrong usage is 2 and one line; --json errors are the contract', () => {
    const { home: HOME } = home();
    for (const args of [
      ['serch', 'x'],
      ['search'],
      ['list', '--limit', 'many'],
      ['list', '--colour'],
      ['search', '"open'],
      ['search', 'roel:user'],
    ]) {
      const { code, stdout, stderr } = sessiondex(args, { HOME });
      expect([args, code, stdout]).toEqual([args, 2, '']);
      expect(stderr).toMatch(/^sessiondex: /);
    }
    expect(sessiondex(['serch', 'x'], { HOME }).stderr).toContain('Did you mean search?');
    const { code, stderr } = sessiondex(['search', '"open', '--json'], { HOME });
    expect(code).toBe(2);
    expect(JSON.parse(stderr)).toEqual({
      schema: 1,
      error: {
        code: 'QUERY_SYNTAX',
        message: 'this quotation mark is never closed',
        hint: expect.stringContaining('^'),
      },
    });
    expect(sessiondex(['list', '--root', '/no/such/folder'], { HOME }).stderr).toContain('/no/such/folder');
  });

  it('verify: ok is 0; a difference is 1 and named; damage of the index is named, not mended first', () => {
    const { home: HOME } = home();
    expect(sessiondex(['verify'], { HOME })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('ok: the index equals the files'),
    });
    const dbPath = join(HOME, '.cache/sessiondex/index.db');
    const sqlite = spawnSync(
      process.execPath,
      [
        '-e',
        `const D = require('better-sqlite3'); new D(${JSON.stringify(dbPath)}).exec("UPDATE sessions SET title = 'x' WHERE session_id = 'aaaaaaaa-1'")`,
      ],
      { cwd: import.meta.dirname },
    );
    expect(sqlite.status).toBe(0);
    const { code, stdout } = sessiondex(['verify', '--json'], { HOME });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      schema: 1,
      ok: false,
      differences: [
        { kind: 'row', sessionId: 'aaaaaaaa-1', field: 'sessions.title', expected: 'Queue', actual: 'x' },
      ],
    });
    expect(sessiondex(['reindex'], { HOME }).code).toBe(0);
    expect(sessiondex(['verify'], { HOME }).code).toBe(0);
  });

  it('sync, reindex and doctor say what they did and found', () => {
    const { home: HOME, root } = home();
    const sync = JSON.parse(sessiondex(['sync', '--json'], { HOME }).stdout);
    expect(sync).toMatchObject({
      schema: 1,
      files: { seen: 2, indexed: 2, unchanged: 0, removed: 0, failed: 0, notSessions: 0 },
      entries: 5,
    });
    expect(JSON.parse(sessiondex(['sync', '--json'], { HOME }).stdout)).toMatchObject({
      files: { indexed: 0, unchanged: 2 },
    });
    expect(sessiondex(['reindex'], { HOME }).stdout).toContain('2 files: 2 indexed');
    const doctor = JSON.parse(sessiondex(['doctor', '--json'], { HOME }).stdout);
    expect(doctor).toMatchObject({ schema: 1, roots: [root], sessions: 2, entries: 5 });
    expect(
      doctor.checks.map((check: { name: string; status: string }) => `${check.name} ${check.status}`),
    ).toEqual(['roots ok', 'index ok', 'permissions ok', 'files warning']);
  });

  it('--help everywhere, with an example', () => {
    const top = sessiondex(['--help']);
    expect(top.code).toBe(0);
    for (const name of ['list', 'search', 'show', 'sync', 'reindex', 'verify', 'doctor', 'demo']) {
      expect(top.stdout).toContain(`  ${name}`);
      const { code, stdout } = sessiondex([name, '--help']);
      expect([name, code, stdout.includes('Examples:')]).toEqual([name, 0, true]);
    }
    expect(sessiondex(['--version']).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('pi #5999, #1747: hostile text never reaches the terminal raw; JSON says it exactly', () => {
    const HOME = temporaryFolder();
    const evil = '\u001b[2J\u001b]0;owned\u0007 line\r\nbreak \u202eright\u202c \u009b31m \u2028 tab\t end';
    const long = 'x'.repeat(10_000);
    write(
      join(HOME, '.pi/agent/sessions/p/a.jsonl'),
      jsonl(
        header(`id${evil}`, { title: evil, cwd: `/tmp/${evil}` }),
        user(`u${evil}`, null, `needle ${evil}`),
        assistant('a1', `u${evil}`, long),
      ),
    );
    const safe = /^[^\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]*$/;
    for (const args of [
      ['list'],
      ['search', 'needle'],
      ['show', '@1'],
      ['doctor'],
      ['show', 'zz\u001b[2J'],
    ]) {
      const { stdout, stderr } = sessiondex(args, { HOME });
      expect([args, safe.test(stdout), safe.test(stderr)]).toEqual([args, true, true]);
    }
    expect(sessiondex(['list'], { HOME }).stdout.split('\n')).toHaveLength(2);
    const { sessions } = JSON.parse(sessiondex(['list', '--json'], { HOME }).stdout);
    expect(sessions[0]).toMatchObject({ id: `id${evil}`, title: evil });
  });

  it('colour only where it is wanted', () => {
    const { home: HOME } = home();
    const colourStart = '\u001b[';
    expect(sessiondex(['list'], { HOME }).stdout).not.toContain(colourStart);
    expect(sessiondex(['list'], { HOME, FORCE_COLOR: '1' }).stdout).toContain(colourStart);
    expect(sessiondex(['list'], { HOME, FORCE_COLOR: '1', NO_COLOR: '1' }).stdout).not.toContain(colourStart);
  });

  it('a pipe that is closed early ends the command quietly', () => {
    const { home: HOME, root } = home();
    write(
      join(root, 'big.jsonl'),
      jsonl(
        header('big'),
        ...Array.from({ length: 3000 }, (_, n) => user(`x${n}`, null, `needle ${'y'.repeat(200)}`)),
      ),
    );
    sessiondex(['sync'], { HOME });
    const cli = join(import.meta.dirname, '../../dist/cli.js');
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', `"${process.execPath}" "${cli}" show big --all --jsonl --no-sync | head -n 1 > /dev/null`],
      {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'] ?? '', HOME },
      },
    );
    expect([status, stderr]).toEqual([0, '']);
  });
});
