import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, write, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentMessage } from '../../src/format/types.js';
import { SessionManager } from '../../src/session/session-manager.js';
import { sayMeasured } from './child.js';

/** Tasks about one session's file, each in a process of its own. */
export const LOG_TASKS: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  append: async () => await inFolder(append),
  'bare-write': async () => await inFolder(bareWrite),
  'bare-write-sync': async () => await inFolder(async (folder) => bareWriteSync(folder)),
  open: async ([path = '']) => await open(path),
  'read-and-parse': async ([path = '']) => readAndParse(path),
  'make-session': async ([path = '', megabytes = '']) => makeSession(path, Number(megabytes)),
  context: async ([entries = '']) => await context(Number(entries)),
};

const APPENDS = 20_000;
const TEXT = 'x'.repeat(850);

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sessiondex-bench-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function answer(text: string): AgentMessage {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return {
    role: 'assistant',
    content: [{ type: 'text', text }],
    provider: 'p',
    model: 'm',
    usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, cost },
    stopReason: 'stop',
  };
}

async function append(folder: string): Promise<void> {
  const manager = SessionManager.create('/tmp', folder);
  manager.appendMessage(answer('first'));
  await manager.flush();
  const started = performance.now();
  for (let n = 0; n < APPENDS; n += 1) manager.appendMessage(answer(TEXT));
  sayMeasured(started, statSync(manager.getSessionFile() ?? '').size, APPENDS);
  await manager.close();
}

/** A line as an agent would make it that writes by itself. */
function bareLine(n: number): string {
  const id = n.toString(16).padStart(8, '0');
  const entry = { type: 'message', id, parentId: 'abcdefgh', timestamp: '2026-01-05T08:00:00.000Z' };
  return `${JSON.stringify({ ...entry, message: answer(TEXT) })}\n`;
}

/** The same lines, one `fs.write` each, one after the other: the order of a log. */
async function bareWrite(folder: string): Promise<void> {
  const fd = openSync(join(folder, 'bare.jsonl'), 'a');
  const started = performance.now();
  let bytes = 0;
  for (let n = 0; n < APPENDS; n += 1) {
    bytes += await new Promise<number>((resolve, reject) => {
      write(fd, bareLine(n), (error, written) => (error ? reject(error) : resolve(written)));
    });
  }
  sayMeasured(started, bytes, APPENDS);
  closeSync(fd);
}

/** The same lines, one `fs.writeSync` each. */
function bareWriteSync(folder: string): void {
  const fd = openSync(join(folder, 'bare.jsonl'), 'a');
  const started = performance.now();
  let bytes = 0;
  for (let n = 0; n < APPENDS; n += 1) bytes += writeSync(fd, bareLine(n));
  sayMeasured(started, bytes, APPENDS);
  closeSync(fd);
}

function makeSession(path: string, megabytes: number): void {
  const fd = openSync(path, 'w', 0o600);
  writeSync(
    fd,
    `${JSON.stringify({ type: 'session', version: 3, id: 'bench', timestamp: '2026-01-05T08:00:00.000Z', cwd: '/tmp' })}\n`,
  );
  let parentId: string | null = null;
  let bytes = 0;
  for (let n = 0; bytes < megabytes * 1e6; n += 1) {
    const id = n.toString(16).padStart(8, '0');
    const entry = {
      type: 'message',
      id,
      parentId,
      timestamp: '2026-01-05T08:00:00.000Z',
      message: answer(TEXT),
    };
    bytes += writeSync(fd, `${JSON.stringify(entry)}\n`);
    parentId = id;
  }
  closeSync(fd);
  sayMeasured(performance.now(), bytes, 0);
}

async function open(path: string): Promise<void> {
  const started = performance.now();
  const manager = await SessionManager.open(path);
  sayMeasured(started, statSync(path).size, manager.getEntries().length);
  await manager.close();
}

const NEWLINE = 0x0a;

/** The least that opening could cost: read the file, parse every line, keep what it says. */
function readAndParse(path: string): void {
  const started = performance.now();
  const content = readFileSync(path);
  const entries: unknown[] = [];
  for (let start = 0; start < content.length; ) {
    const newline = content.indexOf(NEWLINE, start);
    const end = newline < 0 ? content.length : newline;
    entries.push(JSON.parse(content.toString('utf8', start, end)));
    start = end + 1;
  }
  sayMeasured(started, content.length, entries.length);
}

const REPEATS = 5;

/** The path and the context of a session in memory, from its leaf. */
async function context(entries: number): Promise<void> {
  const manager = SessionManager.inMemory();
  for (let n = 0; n < entries; n += 1) manager.appendMessage({ role: 'user', content: 'x' });
  manager.getBranch();
  manager.buildSessionContext();
  const started = performance.now();
  let items = 0;
  for (let n = 0; n < REPEATS; n += 1)
    items += manager.getBranch().length + manager.buildSessionContext().messages.length;
  sayMeasured(started, 0, items);
}
