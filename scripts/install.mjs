import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CACHE, LOCK_FILE, MODULES, ROOT, SetupError, say } from './setup.mjs';

const LOG = path.join(CACHE, 'setup.log');
const TAIL_LINES = 15;

/** True when npm's own record of what it put into node_modules agrees with the lock file: someone has run npm by hand. */
export function isInstalled() {
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

export async function install() {
  const command = existsSync(LOCK_FILE) ? 'ci' : 'install';
  const why = existsSync(MODULES) ? 'dependencies have changed' : 'first start only';
  await run(`installing dependencies (${why}, about a minute) …`, [command, '--include=dev'], 'npm ci');
}

// A native module works with one Node ABI only. After a change of Node nothing is wrong with what is installed
// but this one binary, so it alone is made again.
export async function mendSqlite() {
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
