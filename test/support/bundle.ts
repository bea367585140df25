import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * Bundles a program written in TypeScript, so that a plain `node` can run it as another process.
 *
 * @param entry its file, relative to test/support
 */
export async function bundle(entry: string): Promise<{ readonly file: string; remove(): void }> {
  const dir = mkdtempSync(path.join(tmpdir(), 'sessiondex-bundle-'));
  const file = path.join(dir, 'program.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL(entry, import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    outfile: file,
    logLevel: 'silent',
  });
  return { file, remove: () => rmSync(dir, { recursive: true, force: true }) };
}
