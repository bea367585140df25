import './node-version.mjs';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CACHE, main, ROOT, SetupError, say, setup } from './setup.mjs';

export const DIST = path.join(ROOT, 'dist');
const SRC = path.join(ROOT, 'src');
const CHUNKS = path.join(DIST, 'chunks');
const INPUTS = ['package.json', 'package-lock.json', 'tsconfig.json', 'scripts/build.mjs'];
const STAMP = path.join(CACHE, 'build-stamp');
const OLD_CHUNK_MS = 24 * 60 * 60_000;

const ENTRIES = {
  cli: 'src/cli/main.ts',
  index: 'src/index.ts',
  'ingest-worker': 'src/session-index/ingest-worker.ts',
};
// Bundled CommonJS packages call `require`, which an ES module does not have.
const BANNER =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";
const HASHBANG = '#!/usr/bin/env node\n';

/** What every bundle of this package shares; `bench.mjs` uses it too. */
export const ESBUILD_OPTIONS = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  splitting: true,
  sourcemap: 'linked',
  chunkNames: 'chunks/[name]-[hash]',
  external: ['better-sqlite3'],
  banner: { js: BANNER },
  logLevel: 'silent',
};

/** Makes dist/*.js if anything that goes into it has changed; a few milliseconds when nothing has. */
export async function buildIfNeeded() {
  if (isUpToDate()) return;
  await alone(async () => {
    if (!isUpToDate()) await bundle();
  });
}

/** Everything that is published: the bundles and the type declarations, and nothing left from before. */
async function buildAll({ types }) {
  await alone(async () => {
    rmSync(DIST, { recursive: true, force: true });
    await bundle();
    if (types) await declareTypes();
  });
}

async function alone(work) {
  const { withLock } = await import('./start-lock.mjs');
  const onWait = () => say('another start is building; waiting for it …');
  await withLock(path.join(CACHE, 'build.lock'), onWait, work);
}

function isUpToDate() {
  try {
    return (
      readFileSync(STAMP, 'utf8') === fingerprint() && present().every(([name]) => existsSync(outputOf(name)))
    );
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

function present() {
  return Object.entries(ENTRIES).filter(([, file]) => existsSync(path.join(ROOT, file)));
}

function outputOf(name) {
  return path.join(DIST, `${name}.js`);
}

/** Names, sizes and times of all that goes into the bundles. */
function fingerprint() {
  const hash = createHash('sha1');
  const add = (file) => {
    const stat = statSync(file, { throwIfNoEntry: false });
    hash.update(stat ? `${file}\0${stat.size}\0${stat.mtimeMs}\n` : `${file}\0none\n`);
  };
  addTree(SRC, add);
  for (const name of INPUTS) add(path.join(ROOT, name));
  return hash.digest('hex');
}

function addTree(directory, add) {
  const entries = readdirSync(directory, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const file = path.join(directory, entry.name);
    if (entry.isDirectory()) addTree(file, add);
    else add(file);
  }
}

async function bundle() {
  for (const [name, file] of Object.entries(ENTRIES)) {
    if (!existsSync(path.join(ROOT, file))) say(`dist/${name}.js is not built: there is no ${file}`);
  }
  rmSync(STAMP, { force: true });
  // Taken before esbuild reads: what is saved meanwhile then makes the next start build again.
  const before = fingerprint();
  const { build } = await import('esbuild');
  const result = await build({
    ...ESBUILD_OPTIONS,
    entryPoints: Object.fromEntries(present()),
    outdir: DIST,
    write: false,
  }).catch(failure);
  write(result.outputFiles);
  writeFileSync(STAMP, before);
}

async function failure(error) {
  const { formatMessages } = await import('esbuild');
  const told = await formatMessages(error.errors ?? [], { kind: 'error', color: process.stderr.isTTY });
  throw new SetupError(
    told.length > 0 ? `the build failed\n${told.join('')}` : `the build failed: ${error.message}`,
  );
}

// Programs that are running may still load a chunk they have not needed so far: files are replaced whole, chunks
// before the entry points that name them, and chunks of earlier builds stay for a day.
function write(files) {
  const isChunk = (file) => file.path.startsWith(CHUNKS);
  const texts = withHashbang(files);
  for (const file of [...files.filter(isChunk), ...files.filter((file) => !isChunk(file))]) {
    mkdirSync(path.dirname(file.path), { recursive: true });
    const temporary = `${file.path}.${process.pid}.tmp`;
    writeFileSync(temporary, texts.get(file.path) ?? file.contents);
    if (file.path === outputOf('cli')) chmodSync(temporary, 0o755);
    renameSync(temporary, file.path);
  }
  removeOldChunks(new Set(files.map((file) => file.path)));
}

/** The command's first line, and its source map moved down by that line. */
function withHashbang(files) {
  const texts = new Map();
  const code = files.find((file) => file.path === outputOf('cli'));
  const map = files.find((file) => file.path === `${outputOf('cli')}.map`);
  if (!code || !map || code.text.startsWith('#!')) return texts;
  texts.set(code.path, HASHBANG + code.text);
  const moved = JSON.parse(map.text);
  moved.mappings = `;${moved.mappings}`;
  return texts.set(map.path, JSON.stringify(moved));
}

function removeOldChunks(current) {
  if (!existsSync(CHUNKS)) return;
  for (const name of readdirSync(CHUNKS)) {
    const file = path.join(CHUNKS, name);
    if (!current.has(file) && Date.now() - statSync(file).mtimeMs > OLD_CHUNK_MS)
      rmSync(file, { force: true });
  }
}

async function declareTypes() {
  const { spawnSync } = await import('node:child_process');
  const compiler = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const child = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (child.status !== 0) throw new SetupError(`the types do not compile\n${child.stdout}${child.stderr}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main(async () => {
    await setup();
    await buildAll({ types: process.argv.includes('--types') });
  });
}
