import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { CACHE, ROOT } from './setup.mjs';

const SCHEMA = './src/session-index/schema.ts';
const MIGRATIONS = path.join(ROOT, 'migrations', 'index');
const NOTHING_TO_DO = 'No schema changes';
const TO_DO = 'run `npx drizzle-kit generate`';
const TIMEOUT_MS = 40_000;

/** What is wrong between the schema and the migrations, or undefined: generating once more must write nothing. */
export async function checkSchema() {
  if (!existsSync(path.join(ROOT, SCHEMA))) return undefined;
  mkdirSync(CACHE, { recursive: true });
  const copy = mkdtempSync(path.join(CACHE, 'schema-'));
  try {
    if (existsSync(MIGRATIONS)) cpSync(MIGRATIONS, copy, { recursive: true });
    const before = contents(copy);
    const output = await generate(path.relative(ROOT, copy));
    const written = changed(before, contents(copy));
    if (written.length > 0)
      return `the schema says more than the migrations; ${TO_DO}, which would write:\n${written.join('\n')}`;
    // It ends with 0 after a failure too, and when it would have to ask whether a column was renamed.
    return output.includes(NOTHING_TO_DO)
      ? undefined
      : `the schema and the migrations differ; ${TO_DO}:\n${output}`;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function generate(out) {
  const program = path.join(ROOT, 'node_modules', 'drizzle-kit', 'bin.cjs');
  const options = ['--dialect=sqlite', `--schema=${SCHEMA}`, `--out=${out}`];
  const child = spawn(process.execPath, [program, 'generate', ...options], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
  });
  return new Promise((resolve) => {
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    child.on('close', () => resolve(output));
  });
}

function contents(directory) {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    files.map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return [path.relative(directory, file), readFileSync(file, 'utf8')];
    }),
  );
}

function changed(before, after) {
  return [...after]
    .filter(([file, text]) => before.get(file) !== text)
    .map(([file, text]) => `--- ${file}\n${text}`);
}
