import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

type Line = Readonly<Record<string, unknown>>;

/** Writes a small tree of sessions: three projects, a branch, a label, a fork, an old version, and a damaged file. */
export function writeDemoSessions(root: string, nowMs: number): void {
  const write = (name: string, lines: readonly (Line | string)[]) => {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const text = lines
      .map((line) => (typeof line === 'string' ? line : `${JSON.stringify(line)}\n`))
      .join('');
    writeFileSync(path, text, { mode: 0o600 });
  };
  const queue = new Session(
    '8d1f6c02-shop-queue',
    '/home/ann/shop',
    'Payment queue retries',
    nowMs - 2 * HOUR_MS,
  );
  const asked = queue.user(null, 'The payment queue gives up after one failed call. How should it retry?');
  const plan = queue.assistant(
    asked,
    'Retry with exponential backoff and jitter: 1 s, 2 s, 4 s, at most five times.',
    {
      thinking: 'A fixed delay would make all workers call again at the same moment.',
    },
  );
  const call = queue.toolCall(plan, 'read', { path: 'src/queue/retry.ts' });
  const read = queue.toolResult(
    call,
    'read',
    'export const MAX_TRIES = 1;\nexport async function retry(call) {\n  return call();\n}',
  );
  const abandoned = queue.user(read, 'Could we use a cron job instead?');
  queue.assistant(abandoned, 'A cron job would retry too late for a customer who is waiting.');
  const back = queue.user(read, 'Go with backoff, please.');
  queue.assistant(back, 'Done: retry() now backs off with jitter, and gives up after five tries.');
  queue.label(plan, 'decision: backoff');
  write('--home-ann-shop--/queue.jsonl', queue.lines);

  const fork = new Session(
    'b7704e19-shop-fork',
    '/home/ann/shop',
    'Payment queue: other idea',
    nowMs - HOUR_MS,
    {
      parentSession: queue.id,
    },
  );
  const copied = queue.lines.slice(1, 5);
  fork.continue(copied);
  fork.assistant(
    String(copied.at(-1)?.['id']),
    'Another way: put failed payments on a second queue and retry them from there.',
  );
  write('--home-ann-shop--/fork.jsonl', fork.lines);

  const blog = new Session(
    '2c5a90aa-blog-fonts',
    '/home/ann/blog',
    'Fonts load too late',
    nowMs - 3 * DAY_MS,
  );
  const slow = blog.user(null, 'Why does the text jump when the page loads?');
  blog.assistant(slow, 'The web font arrives late. Preload it, and set font-display: optional.');
  write('--home-ann-blog--/fonts.jsonl', blog.lines);

  write('--home-ann-notes--/old.jsonl', [
    { type: 'session', id: '51e0-notes-old', timestamp: iso(nowMs - 200 * DAY_MS), cwd: '/home/ann/notes' },
    {
      type: 'message',
      timestamp: iso(nowMs - 200 * DAY_MS),
      message: { role: 'user', content: 'A session of version 1, without ids' },
    },
    '{"type":"message","timestamp":"cut off in the mid',
  ]);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** Builds the lines of one session, a minute apart. */
class Session {
  readonly id: string;
  readonly lines: Line[];
  #atMs: number;

  constructor(id: string, cwd: string, title: string, startMs: number, more: Line = {}) {
    this.id = id;
    this.#atMs = startMs;
    this.lines = [{ type: 'session', version: 3, id, timestamp: iso(startMs), cwd, title, ...more }];
  }

  continue(lines: readonly Line[]): void {
    this.lines.push(...lines);
  }

  user(parentId: string | null, text: string): string {
    return this.#message(parentId, { role: 'user', content: text });
  }

  assistant(parentId: string, text: string, { thinking }: { thinking?: string } = {}): string {
    const content = [...(thinking ? [{ type: 'thinking', thinking }] : []), { type: 'text', text }];
    return this.#answer(parentId, content, 'stop');
  }

  toolCall(parentId: string, name: string, args: Line): string {
    return this.#answer(
      parentId,
      [{ type: 'toolCall', id: `call-${this.lines.length}`, name, arguments: args }],
      'toolUse',
    );
  }

  toolResult(parentId: string, toolName: string, text: string): string {
    const toolCallId = `call-${this.lines.length - 1}`;
    return this.#message(parentId, {
      role: 'toolResult',
      toolCallId,
      toolName,
      content: [{ type: 'text', text }],
      isError: false,
    });
  }

  label(targetId: string, label: string): void {
    this.#append(String(this.lines.at(-1)?.['id']), { type: 'label', targetId, label });
  }

  #answer(parentId: string, content: readonly unknown[], stopReason: string): string {
    const cost = { input: 0.003, output: 0.009, cacheRead: 0, cacheWrite: 0, total: 0.012 };
    const usage = { input: 1000, output: 600, cacheRead: 0, cacheWrite: 0, totalTokens: 1600, cost };
    return this.#message(parentId, {
      role: 'assistant',
      content,
      provider: 'demo',
      model: 'demo-1',
      usage,
      stopReason,
    });
  }

  #message(parentId: string | null, message: Line): string {
    return this.#append(parentId, { type: 'message', message });
  }

  #append(parentId: string | null, entry: Line): string {
    this.#atMs += MINUTE_MS;
    const id = `${this.id.slice(0, 4)}${String(this.lines.length).padStart(4, '0')}`;
    const { type, ...rest } = entry;
    this.lines.push({ type, id, parentId, timestamp: iso(this.#atMs), ...rest });
    return id;
  }
}
