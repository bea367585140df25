import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureInChild } from './child.js';
import { LOG_TASKS } from './log-tasks.js';
import { printTable } from './table.js';
import { TASKS } from './tasks.js';
import { runTrial, type Trial, type TrialResult } from './trial.js';

/** `npm run bench [-- WORDS --sessions N --size MB --runs N --root DIR]`: the trials with these words; ratios, measured side by side in one run. */
async function main(): Promise<void> {
  const [first = '', ...rest] = process.argv.slice(2);
  if (first.startsWith('task:')) {
    const task = first.slice('task:'.length);
    await (TASKS[task] ?? LOG_TASKS[task])?.(rest);
    return;
  }
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      sessions: { type: 'string', default: '1000' },
      size: { type: 'string', default: '120MB' },
      runs: { type: 'string', default: '5' },
      root: { type: 'string' },
    },
  });
  const root = values.root ?? corpus(values.sessions, values.size);
  const trials = trialsOn(root).filter(({ name }) => positionals.every((word) => name.includes(word)));
  const results = trials.map((trial) => {
    return runTrial(trial, Number(values.runs), (run) => process.stderr.write(`${trial.name}: run ${run}\n`));
  });
  const memory = measureInChild('reindex', [root]);
  printTable(results);
  const megabytes = (memory.peakRss / 1e6).toFixed(0);
  process.stdout.write(
    `\nPeak memory of a reindex: ${megabytes} MB (${memory.items} entries, ${(memory.bytes / 1e6).toFixed(0)} MB of files)\n`,
  );
  save(results);
  if (results.some(({ isMet }) => !isMet)) process.exitCode = 1;
}

function trialsOn(root: string): Trial[] {
  return [
    {
      name: 'full reindex, everything searchable',
      against: 'read, split lines, JSON.parse each, one thread',
      atMost: 6,
      ours: () => measureInChild('reindex', [root]).ms,
      rival: () => measureInChild('floor', [root]).ms,
    },
    {
      name: '20,000 appends of 1 KB',
      against: 'fs.write of the same lines',
      atMost: 1.5,
      ours: () => measureInChild('append', []).ms,
      rival: () => measureInChild('bare-write', []).ms,
    },
    {
      name: '20,000 appends of 1 KB, synchronous',
      against: 'fs.writeSync of the same lines, no look at what others did',
      ours: () => measureInChild('append', []).ms,
      rival: () => measureInChild('bare-write-sync', []).ms,
    },
    {
      name: 'opening a session of 100 MB',
      against: 'reading it, JSON.parse each line',
      atMost: 1.3,
      ours: () => measureInChild('open', [largeSession()]).ms,
      rival: () => measureInChild('read-and-parse', [largeSession()]).ms,
    },
    {
      name: 'path and context of 200,000 entries',
      against: 'of 100,000: linear is 2',
      atMost: 2.5,
      ours: () => measureInChild('context', ['200000']).ms,
      rival: () => measureInChild('context', ['100000']).ms,
    },
  ];
}

/** A session of 100 MB, made once and kept. */
function largeSession(): string {
  const path = join(import.meta.dirname, '..', 'corpus', 'large.jsonl');
  if (existsSync(path)) return path;
  mkdirSync(join(path, '..'), { recursive: true });
  measureInChild('make-session', [path, '100']);
  return path;
}

/** A generated corpus, made once and kept. */
function corpus(sessions: string, size: string): string {
  const folder = join(import.meta.dirname, '..', 'corpus', `${sessions}-${size}`);
  const root = join(folder, 'sessions');
  if (existsSync(join(folder, 'truth.json'))) return root;
  process.stderr.write(`making a corpus of ${sessions} sessions, ${size}\n`);
  mkdirSync(join(folder, '..'), { recursive: true });
  const script = join(import.meta.dirname, '..', '..', 'scripts', 'make-corpus.mjs');
  const { status } = spawnSync(
    process.execPath,
    [script, folder, '--seed', '1', '--sessions', sessions, '--size', size],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  if (status !== 0) throw new Error('the corpus could not be made');
  return root;
}

function save(results: readonly TrialResult[]): void {
  const path = join(import.meta.dirname, '..', 'bench.json');
  writeFileSync(path, `${JSON.stringify({ node: process.version, results }, null, 2)}\n`);
  process.stderr.write(`machine-readable: ${path}\n`);
}

await main();
