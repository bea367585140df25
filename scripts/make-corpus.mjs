import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeCorpus } from './make-corpus/index.mjs';

// node scripts/make-corpus.mjs DIR [--seed 1] [--sessions 1000] [--projects 50] [--size 120MB] [--damage 0.03]

const UNITS = /** @type {Record<string, number>} */ ({ '': 1, KB: 1e3, MB: 1e6, GB: 1e9 });

/** @param {string} text */
function bytesOf(text) {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(KB|MB|GB)?$/i.exec(text) ?? [];
  if (number === undefined) throw new Error(`--size takes a size such as 120MB, not "${text}"`);
  return Number(number) * (UNITS[unit.toUpperCase()] ?? 1);
}

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: '1' },
      sessions: { type: 'string', default: '1000' },
      projects: { type: 'string', default: '50' },
      size: { type: 'string', default: '120MB' },
      damage: { type: 'string', default: '0.03' },
    },
  });
  const [dir] = positionals;
  if (dir === undefined) throw new Error('say in which folder: make-corpus DIR');
  const truth = makeCorpus({
    dir,
    seed: Number(values.seed),
    sessions: Number(values.sessions),
    projects: Number(values.projects),
    bytes: bytesOf(values.size),
    damage: Number(values.damage),
  });
  writeFileSync(join(dir, 'truth.json'), JSON.stringify(truth));
  process.stderr.write(`${truth.files} files, ${(truth.bytes / 1e6).toFixed(1)} MB in ${dir}\n`);
} catch (error) {
  process.stderr.write(`make-corpus: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 2;
}
