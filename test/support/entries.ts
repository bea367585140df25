import type { AgentMessage, FileEntry, SessionEntry } from '../../src/format/types.js';

/** Entries as a file holds them, built in the test that needs them. Times are a second apart. */
let clock = Date.UTC(2026, 1, 16, 10, 20, 30);

function nextTime(): string {
  clock += 1000;
  return new Date(clock).toISOString();
}

export function entry(
  type: string,
  id: string,
  parentId: string | null,
  fields: Record<string, unknown> = {},
): SessionEntry {
  return { type, id, parentId, timestamp: nextTime(), ...fields } as unknown as SessionEntry;
}

export function user(text: string): AgentMessage {
  return { role: 'user', content: text };
}

export function assistant(text: string, more: Record<string, unknown> = {}): AgentMessage {
  return {
    role: 'assistant',
    content: [{ type: 'text', text }],
    provider: 'anthropic',
    model: 'claude',
    usage: {
      input: 100,
      output: 20,
      cacheRead: 5,
      cacheWrite: 3,
      cost: { input: 0.1, output: 0.2, cacheRead: 0, cacheWrite: 0, total: 0.3 },
    },
    stopReason: 'stop',
    ...more,
  };
}

export function message(id: string, parentId: string | null, body: AgentMessage): SessionEntry {
  return entry('message', id, parentId, { message: body });
}

export function header(fields: Record<string, unknown> = {}): FileEntry {
  return {
    type: 'session',
    version: 3,
    id: 'session-1',
    timestamp: '2026-02-16T10:20:30.000Z',
    cwd: '/home/pi',
    ...fields,
  };
}

export function jsonl(entries: readonly object[]): string {
  return entries.map((value) => `${JSON.stringify(value)}\n`).join('');
}

/** A chain of user messages with the ids `e0`, `e1`, and so on. */
export function chain(length: number): SessionEntry[] {
  return Array.from({ length }, (_, i) =>
    message(`e${i}`, i === 0 ? null : `e${i - 1}`, { role: 'user', content: String(i) }),
  );
}
