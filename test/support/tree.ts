import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A temporary folder that goes with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sessiondex-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes a file, and the folders it needs. */
export function write(path: string, content: string | Buffer): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

export interface Line {
  type: string;
  [field: string]: unknown;
}

export function jsonl(...lines: readonly unknown[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

const START_MS = Date.parse('2026-02-16T10:00:00.000Z');

/** ISO time, so many seconds after the start of the tests' day. */
export function at(seconds: number): string {
  return new Date(START_MS + seconds * 1000).toISOString();
}

export function header(id: string, more: Record<string, unknown> = {}): Line {
  return { type: 'session', version: 3, id, timestamp: at(0), cwd: '/home/ann/project', ...more };
}

export function user(
  id: string,
  parentId: string | null,
  text: string,
  more: Record<string, unknown> = {},
): Line {
  return {
    type: 'message',
    id,
    parentId,
    timestamp: at(1),
    message: { role: 'user', content: text },
    ...more,
  };
}

export function assistant(
  id: string,
  parentId: string | null,
  text: string,
  message: Record<string, unknown> = {},
): Line {
  return {
    type: 'message',
    id,
    parentId,
    timestamp: at(2),
    message: {
      role: 'assistant',
      content: [{ type: 'text', text }],
      provider: 'anthropic',
      model: 'claude-x',
      usage: {
        input: 10,
        output: 5,
        cacheRead: 2,
        cacheWrite: 1,
        cost: { input: 0.01, output: 0.02, cacheRead: 0, cacheWrite: 0, total: 0.03 },
      },
      stopReason: 'stop',
      ...message,
    },
  };
}
