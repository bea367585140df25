import './node-version.js';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { buildIfNeeded, ESBUILD_OPTIONS } from './build.js';
import { CACHE, main, ROOT, SetupError, setup } from './setup.js';

// Bundles scripts/bench/main.ts, together with the worker that the index starts beside it, and runs it with the
// arguments given.

const OUT = path.join(CACHE, 'bench');

main(async () => {
  await setup();
  await buildIfNeeded();
  if (!existsSync(path.join(ROOT, 'scripts/bench/main.ts'))) {
    throw new SetupError('there is no scripts/bench/main.ts');
  }
  const worker = 'src/session-index/ingest-worker.ts';
  const { build } = await import('esbuild');
  await build({
    ...ESBUILD_OPTIONS,
    entryPoints: {
      main: 'scripts/bench/main.ts',
      ...(existsSync(path.join(ROOT, worker)) && { 'ingest-worker': worker }),
    },
    outdir: OUT,
    packages: 'external',
    logLevel: 'warning',
  });
  const program = path.join(OUT, 'main.js');
  const child = spawn(process.execPath, ['--enable-source-maps', program, ...process.argv.slice(2)], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  child.on('close', (code) => {
    process.exitCode = code ?? 1;
  });
});
