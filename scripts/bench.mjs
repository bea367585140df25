import './node-version.mjs';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { buildIfNeeded, ESBUILD_OPTIONS } from './build.mjs';
import { runNode } from './run-node.mjs';
import { CACHE, main, ROOT, SetupError, setup } from './setup.mjs';

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
  runNode(['--enable-source-maps', path.join(OUT, 'main.js'), ...process.argv.slice(2)]);
});
