import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SessionIndex } from '../../src/session-index/session-index.js';
import { walk } from '../../src/session-index/walk.js';
import { sayMeasured } from './child.js';

/** The tasks that are measured, each in a process of its own. */
export const TASKS: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  floor: async ([root = '']) => floor(root),
  reindex: async ([root = '']) => await reindex(root),
};

const NEWLINE = 0x0a;

/** The least that indexing could cost: read the same bytes, split lines, JSON.parse each, on one thread, line by line. */
function floor(root: string): void {
  const paths = walk([root]).files.map(({ path }) => path);
  const started = performance.now();
  let bytes = 0;
  let lines = 0;
  for (const path of paths) {
    const content = readFileSync(path);
    bytes += content.length;
    let start = 0;
    while (start < content.length) {
      const newline = content.indexOf(NEWLINE, start);
      const end = newline < 0 ? content.length : newline;
      lines += parses(content.toString('utf8', start, end)) ? 1 : 0;
      start = end + 1;
    }
  }
  sayMeasured(started, bytes, lines);
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // a damaged line costs its look, too
  }
}

async function reindex(root: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sessiondex-bench-'));
  try {
    const index = await SessionIndex.open({ roots: [root], dbPath: join(folder, 'index.db') });
    const started = performance.now();
    const report = await index.reindex();
    sayMeasured(started, report.bytes, report.entries);
    index.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
