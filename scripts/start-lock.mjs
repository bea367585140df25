import { mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 100;
/** Shorter waits are not worth a line. */
const SILENT_MS = 1_000;
/** Long enough for a slow machine that compiles SQLite. */
const GIVE_UP_MS = 15 * 60_000;
/** A lock is empty between its creation and the writing of its pid: microseconds, unless the process died there. */
const NAMELESS_MS = 10_000;

/**
 * Runs `work` while no other process holds the lock `directory`. A lock whose process is gone is taken over.
 * `onWait` is called once if another process holds it for more than a second.
 */
export async function withLock(directory, onWait, work) {
  mkdirSync(path.dirname(directory), { recursive: true });
  await acquire(directory, onWait);
  const release = () => rmSync(directory, { recursive: true, force: true });
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.off('exit', release);
    release();
  }
}

async function acquire(directory, onWait) {
  const started = Date.now();
  let hasTold = false;
  while (!create(directory)) {
    if (isAbandoned(directory) && takeOver(directory)) return;
    if (Date.now() - started > GIVE_UP_MS) {
      throw new Error(
        `another process holds ${directory} for too long; if none is running, remove that directory`,
      );
    }
    if (!hasTold && Date.now() - started > SILENT_MS) {
      hasTold = true;
      onWait();
    }
    await sleep(POLL_MS);
  }
}

function create(directory) {
  try {
    mkdirSync(directory);
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
  writeFileSync(path.join(directory, 'pid'), String(process.pid));
  return true;
}

function isAbandoned(directory) {
  const pid = ownerOf(directory);
  return pid === undefined ? ageMs(directory) > NAMELESS_MS : !isAlive(pid);
}

// Two waiters may see the same dead owner. The second must not remove the lock that the first has just made,
// so looking again, removing and making anew happen under a lock of their own.
function takeOver(directory) {
  const guard = `${directory}.takeover`;
  if (ageMs(guard) > NAMELESS_MS) rmSync(guard, { recursive: true, force: true });
  try {
    mkdirSync(guard);
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
  try {
    if (!isAbandoned(directory)) return false;
    rmSync(directory, { recursive: true, force: true });
    return create(directory);
  } finally {
    rmdirSync(guard);
  }
}

function ownerOf(directory) {
  try {
    const pid = Number(readFileSync(path.join(directory, 'pid'), 'utf8'));
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** 0 when it does not exist: its owner has just let go. */
function ageMs(directory) {
  const stat = statSync(directory, { throwIfNoEntry: false });
  return stat === undefined ? 0 : Date.now() - stat.mtimeMs;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
