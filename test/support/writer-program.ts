/**
 * A process that works on a session and says what it has done, one line of JSON a step: what was acknowledged before it is
 * killed must be on disk.
 *
 * argv: mode, file, tag, count
 */
import { writeSync } from 'node:fs';
import { SessionManager } from '../../src/session/session-manager.js';

const [mode, file, tag, count] = process.argv.slice(2) as [string, string, string, string];

/** Written before anything else happens: a pipe's buffer outlives the process. */
function say(step: Record<string, unknown>): void {
  writeSync(1, `${JSON.stringify(step)}\n`);
}

function text(i: number): string {
  return `${tag} ${i} ${'x'.repeat((i * 37) % 3000)}`;
}

async function append(): Promise<void> {
  const manager = await SessionManager.open(file);
  say({ ready: true });
  for (let i = 0; i < Number(count); i += 1) {
    const parentId = manager.getLeafId();
    const id = manager.appendMessage({ role: 'user', content: text(i) });
    say({ appended: id, parentId });
    if (i % 50 === 49) {
      await manager.flush();
      say({ flushed: true });
    }
  }
  await manager.close();
  say({ done: true });
}

/** Appends with rewrites in between: renames, and changes in place. */
async function rewrite(): Promise<void> {
  const manager = await SessionManager.open(file);
  say({ ready: true });
  for (let i = 0; i < Number(count); i += 1) {
    const parentId = manager.getLeafId();
    const id = manager.appendMessage({ role: 'user', content: text(i) });
    say({ appended: id, parentId });
    if (i % 3 === 0) await manager.setSessionName(`${tag} ${i}`, 'user');
    if (i % 7 === 0) await manager.rewriteEntries();
    if (i % 5 === 0) {
      await manager.flush();
      say({ flushed: true });
    }
  }
  await manager.close();
  say({ done: true });
}

/** Opens a file of an old version, which migrates it. */
async function migrate(): Promise<void> {
  say({ ready: true });
  const manager = await SessionManager.open(file);
  await manager.flush();
  say({ migrated: manager.getEntries().length });
  await manager.close();
  say({ done: true });
}

/** Moves a session back and forth between two projects. */
async function move(): Promise<void> {
  const manager = await SessionManager.open(file);
  say({ ready: true });
  for (let i = 0; i < Number(count); i += 1) {
    const id = manager.appendMessage({ role: 'user', content: text(i) });
    say({ appended: id });
    await manager.moveTo(i % 2 === 0 ? '/there' : '/here');
    say({ moved: manager.getSessionFile() });
  }
  await manager.close();
  say({ done: true });
}

const modes: Record<string, () => Promise<void>> = { append, rewrite, migrate, move };
await modes[mode]?.();
