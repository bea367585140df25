import './node-version.mjs';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { main, ROOT, setup } from './setup.mjs';

// One line a part; the details of a part only when it fails.

const PARTS = {
  types: () => problemOf('typescript/bin/tsc', ['--noEmit', '-p', '.', '--pretty', String(isTerminal())]),
  'lint and format': () =>
    problemOf('@biomejs/biome/bin/biome', [
      'check',
      '--error-on-warnings',
      `--colors=${isTerminal() ? 'force' : 'off'}`,
    ]),
  layers: async () => {
    const { checkLayers, describe } = await import('./check-layers.mjs');
    const violations = checkLayers(path.join(ROOT, 'src'));
    return violations.length === 0 ? undefined : violations.map(describe).join('\n');
  },
  'schema and migrations': async () => (await import('./check-schema.mjs')).checkSchema(),
};

main(async () => {
  await setup();
  const results = await Promise.all(Object.entries(PARTS).map(([name, part]) => report(name, part)));
  process.exitCode = results.every(Boolean) ? 0 : 1;
});

async function report(name, part) {
  const started = Date.now();
  const problem = await part();
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(`${problem === undefined ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  if (problem !== undefined) console.log(problem.trimEnd());
  return problem === undefined;
}

function isTerminal() {
  return process.stdout.isTTY === true;
}

/** What a tool of node_modules says when it is not content. */
function problemOf(tool, args) {
  const child = spawn(process.execPath, [path.join(ROOT, 'node_modules', tool), ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new Promise((resolve) => {
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    child.on('close', (code) => resolve(code === 0 ? undefined : output || `${tool} ended with ${code}`));
  });
}
