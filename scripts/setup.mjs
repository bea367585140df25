import './node-version.mjs';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './start-lock.mjs';

// This file is parsed before the Node version is checked: no syntax newer than Node 12 here or in what it imports.

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
export const CACHE = path.join(ROOT, '.cache');

const MODULES = path.join(ROOT, 'node_modules');
const STAMP = path.join(MODULES, '.sessiondex-setup');
const LOCK_FILE = path.join(ROOT, 'package-lock.json');
const LOG = path.join(CACHE, 'setup.log');
const SQLITE_BINARY = path.join(MODULES, 'better-sqlite3', 'build', 'Release', 'better_sqlite3.node');
const TAIL_LINES = 15;

/** Stdout belongs to the command that is being started. */
export function say(line) {
  process.stderr.write(`sessiondex: ${line}\n`);
}

/** A failure that has been told in full: print its message, no stack. */
export class SetupError extends Error {}

/** Installs what is missing; costs about a millisecond when nothing is. */
export async function setup() {
  if (isUpToDate()) return;
  await withLock(
    path.join(CACHE, 'setup.lock'),
    () => say('another start is installing dependencies; waiting for it …'),
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

/** True when npm's own record of what it put into node_modules agrees with the lock file: someone has run npm by hand. */
function isInstalled() {
  const wanted = packagesOf(LOCK_FILE);
  const present = packagesOf(path.join(MODULES, '.package-lock.json'));
  if (!wanted || !present) return false;
  const isPresent = (name) => present[name] && present[name].version === wanted[name].version;
  const isMissing = (name) => name !== '' && !wanted[name].optional && !isPresent(name);
  const isWrong = (name) => !wanted[name] || !isPresent(name) || !isForThisMachine(present[name]);
  return !Object.keys(wanted).some(isMissing) && !Object.keys(present).some(isWrong);
}

function packagesOf(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : undefined;
}

function isForThisMachine(entry) {
  const fits = (list, value) => !list || list.includes(value);
  return fits(entry.os, process.platform) && fits(entry.cpu, process.arch);
}

async function install() {
  const command = existsSync(LOCK_FILE) ? 'ci' : 'install';
  const why = existsSync(MODULES) ? 'dependencies have changed' : 'first start only';
  await run(`installing dependencies (${why}, about a minute) …`, [command, '--include=dev'], 'npm ci');
}

// A native module works with one Node ABI only. After a change of Node nothing is wrong with what is installed
// but this one binary, so it alone is made again.
async function mendSqlite() {
  const problem = loadSqlite();
  if (!problem) return;
  if (!/NODE_MODULE_VERSION|ERR_DLOPEN_FAILED|Could not locate the bindings file/.test(problem)) {
    throw new SetupError(`better-sqlite3 does not load: ${lastLines(problem)}`);
  }
  await run(
    `rebuilding better-sqlite3 for Node ${process.versions.node} …`,
    ['rebuild', 'better-sqlite3'],
    'npm rebuild better-sqlite3',
  );
  const remaining = loadSqlite();
  if (remaining)
    throw new SetupError(`better-sqlite3 still does not load after a rebuild:\n${lastLines(remaining)}`);
}

/** What went wrong, or undefined. Tried in a child: a module once loaded cannot be loaded anew after its rebuild. */
function loadSqlite() {
  const program = "const Database = require('better-sqlite3'); new Database(':memory:').close();";
  const child = spawnSync(process.execPath, ['-e', program], { cwd: ROOT, encoding: 'utf8' });
  return child.status === 0 ? undefined : child.stderr || `exit ${child.status}, signal ${child.signal}`;
}

async function run(what, args, byHand) {
  say(what);
  const started = Date.now();
  const result = await npm([...args, '--no-audit', '--no-fund', '--loglevel=error']);
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(LOG, result.output);
  if (result.code !== 0) {
    throw new SetupError(
      `${byHand} failed; its last lines were:\n${lastLines(result.output)}\n` +
        `sessiondex: mend that (usually the network, or a missing C++ compiler), run \`${byHand}\` in ${ROOT}, and start again. All of its output: ${LOG}`,
    );
  }
  say(`done in ${Math.round((Date.now() - started) / 1000)} s`);
}

/** Prefers the npm that started us. The output is kept, not shown. */
function npm(args) {
  const own = process.env.npm_execpath;
  const isNpm = own !== undefined && /^npm(-cli)?\.c?js$/.test(path.basename(own));
  const command = isNpm ? process.execPath : 'npm';
  const child = spawn(command, isNpm ? [own, ...args] : args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: !isNpm && process.platform === 'win32',
  });
  return new Promise((resolve) => {
    let output = '';
    const keep = (chunk) => {
      output += chunk;
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => resolve({ code: 1, output: `${output}${error.message}\n` }));
    child.on('close', (code) => resolve({ code, output }));
  });
}

function lastLines(text) {
  return text.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
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
