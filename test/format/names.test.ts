import { describe, expect, it } from 'vitest';
import {
  artifactsDirOf,
  blobReference,
  idInFileName,
  isFileNameSafe,
  sessionDirName,
  sessionFileName,
  terminalId,
} from '../../src/format/names.js';

describe('F1: the directory of a project', () => {
  it.each([
    ['/home/me/proj', '--home-me-proj--'],
    ['/', '----'],
    ['//twice', '---twice--'],
    ['C:\\Users\\me', '--C--Users-me--'],
    ['\\\\server\\share', '---server-share--'],
    ['/a:b/c', '--a-b-c--'],
    ['/with space/ümlaut', '--with space-ümlaut--'],
  ])('%s is %s', (cwd, name) => {
    expect(sessionDirName(cwd)).toBe(name);
  });

  it('is lossy: two projects can share one', () => {
    expect(sessionDirName('/a/b-c')).toBe(sessionDirName('/a-b/c'));
  });
});

describe('F2: the name of a session file', () => {
  it('holds the timestamp without colons and dots, and the id', () => {
    expect(sessionFileName('2026-02-16T10:20:30.000Z', '1f9d2a6b')).toBe(
      '2026-02-16T10-20-30-000Z_1f9d2a6b.jsonl',
    );
  });

  it('gives the id back, underscores included', () => {
    expect(idInFileName(sessionFileName('2026-02-16T10:20:30.000Z', 'a_b_c'))).toBe('a_b_c');
    expect(idInFileName('plain.jsonl')).toBeUndefined();
  });

  it.each(['../up', 'a/b', 'a\\b', '', '.', '..', '.hidden', 'a\nb', 'C:', 'x'.repeat(201)])(
    'refuses the id %j',
    (id) => {
      expect(isFileNameSafe(id)).toBe(false);
    },
  );

  it('names the artifacts by the file', () => {
    expect(artifactsDirOf('/s/x_y.jsonl')).toBe('/s/x_y');
    expect(artifactsDirOf('/s/x_y.json')).toBeUndefined();
  });
});

describe('F5: the terminal', () => {
  it.each([
    ['/dev/pts/3', {}, 'pts-3'],
    ['/dev/ttys004', { KITTY_WINDOW_ID: '7' }, 'ttys004'],
    [undefined, { KITTY_WINDOW_ID: '7', TMUX_PANE: '%1' }, 'kitty-7'],
    [undefined, { TMUX_PANE: '%1', TERM_SESSION_ID: 'x' }, 'tmux-%1'],
    [undefined, { TERM_SESSION_ID: 'w0t1p0-UUID', WT_SESSION: 'y' }, 'apple-w0t1p0-UUID'],
    [undefined, { WT_SESSION: 'guid' }, 'wt-guid'],
    [undefined, { TMUX_PANE: '' }, undefined],
    [undefined, {}, undefined],
    ['/proc/1/fd', { WT_SESSION: 'guid' }, 'wt-guid'],
  ])('%s with %j is %s', (tty, env, id) => {
    expect(terminalId(tty, env)).toBe(id);
  });

  it.each(['../../etc/passwd', 'a/b', 'a\\b', 'a:b', 'a\u0000b', 'x'.repeat(300)])(
    'refuses %j, which could leave the directory',
    (value) => {
      expect(terminalId(undefined, { TERM_SESSION_ID: value })).toBeUndefined();
    },
  );

  it('turns a path that climbs into one name', () => {
    expect(terminalId('/dev/../x', {})).toBe('..-x');
    expect(terminalId('/dev/..', {})).toBeUndefined();
  });
});

describe('F36: a blob reference', () => {
  it('is built only of 64 lower-case hex digits', () => {
    expect(blobReference('a'.repeat(64))).toBe(`blob:sha256:${'a'.repeat(64)}`);
    expect(() => blobReference('A'.repeat(64))).toThrow(TypeError);
    expect(() => blobReference('../x')).toThrow(TypeError);
  });
});
