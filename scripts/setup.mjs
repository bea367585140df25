import './node-version.mjs';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

// Parsed before the Node version is checked when run by itself: no syntax newer than Node 12 here.

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
export const CACHE = path.join(ROOT, '.cache');

export const MODULES = path.join(ROOT, 'node_modules');
const STAMP = path.join(MODULES, '.sessiondex-setup');
export const LOCK_FILE = path.join(ROOT, 'package-lock.json');
const SQLITE_BINARY = path.join(MODULES, 'better-sqlite3', 'build', 'Release', 'better_sqlite3.node');

/** Stdout belongs to the command that is being started. */
export function say(line) {
  process.stderr.write(`sessiondex: ${line}\n`);
}

/** A failure that has been told in full: print its message, no stack. */
export class SetupError extends Error {}

/** Installs what is missing; costs about a millisecond when nothing is. */
export async function setup() {
  if (isUpToDate()) return;
  // Loaded only now: the start that finds all in place does without.
  const { isInstalled, install, mendSqlite } = await import('./install.mjs');
  const { withLock } = await import('./start-lock.mjs');
  await withLock(
    path.join(CACHE, 'setup.lock'),
    () => say('another start is setting up; waiting for it …'),
    async () => {
      if (isUpToDate()) return;
      rmSync(STAMP, { force: true });
      if (!isInstalled()) await install();
      await mendSqlite();
      writeFileSync(STAMP, stamp());
    },
  );
}

function isUpToDate() {
  try {
    return readFileSync(STAMP, 'utf8') === stamp();
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

/** What the installed packages were made for: the lock file, this machine, this Node, and the binary that was tried. */
function stamp() {
  const lock = existsSync(LOCK_FILE) ? LOCK_FILE : path.join(ROOT, 'package.json');
  const binary = statSync(SQLITE_BINARY, { throwIfNoEntry: false });
  return JSON.stringify({
    lock: createHash('sha1').update(readFileSync(lock)).digest('hex'),
    machine: `${process.platform}-${process.arch}`,
    abi: process.versions.modules,
    binary: binary ? `${binary.size} ${binary.mtimeMs}` : 'none',
  });
}

/** Runs a script's work; an expected failure ends as one message and exit code 3. */
export function main(work) {
  work().catch((error) => {
    if (!(error instanceof SetupError)) throw error;
    say(error.message);
    process.exit(3);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(setup);
