import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../support/bundle.js';
import { tempDirs } from '../support/temp-dir.js';

const HEADER = '{"type":"session","id":"s"}';
const tempDir = tempDirs();

describe('several processes on one session file', () => {
  let program: Awaited<ReturnType<typeof bundle>>;
  beforeAll(async () => {
    program = await bundle('log-program.ts');
  });
  afterAll(() => program.remove());

  async function run(...args: readonly string[]): Promise<string> {
    const child = spawn(process.execPath, [program.file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
    return said;
  }

  it.each([
    { appenders: 2, rewriters: 0 },
    { appenders: 4, rewriters: 0 },
    { appenders: 2, rewriters: 1 },
    { appenders: 4, rewriters: 2 },
  ])(
    'F35: $appenders that append 1,000 lines each and $rewriters that rewrite it: every line is there, whole and once',
    async ({ appenders, rewriters }) => {
      const file = path.join(tempDir(), 's.jsonl');
      writeFileSync(file, `${HEADER}\n`);
      const rewriting = Array.from({ length: rewriters }, (_, i) => run('rewrite', file, `r${i}`, '0'));
      await Promise.all(Array.from({ length: appenders }, (_, i) => run('append', file, `a${i}`, '1000')));
      writeFileSync(`${file}.stop`, '');
      let replaced = 0;
      for (const said of await Promise.all(rewriting))
        replaced += (JSON.parse(said.trim().split('\n').at(-1) ?? '') as { replaced: number }).replaced;
      expect(replaced > 0).toBe(rewriters > 0);
      unlinkSync(`${file}.stop`);

      const lines = readFileSync(file, 'utf8').split('\n');
      expect(lines.at(-1)).toBe('');
      expect(lines[0]).toBe(HEADER);
      const entries = lines.slice(1, -1).map((line) => JSON.parse(line) as { from: string; n: number });
      for (let i = 0; i < appenders; i += 1) {
        const own = entries.filter(({ from }) => from === `a${i}`).map(({ n }) => n);
        expect(own).toEqual(Array.from({ length: 1000 }, (_, n) => n));
      }
      expect(entries.length).toBe(appenders * 1000);
      expect(readdirSync(path.dirname(file))).toEqual(['s.jsonl']);
    },
  );
});
