import './node-version.js';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { buildIfNeeded } from './build.js';
import { main, ROOT, setup } from './setup.js';

// `node scripts/test.mjs [--slow=crash|stress] [vitest arguments]`

const SLOW = /^--slow=(\w+)$/;
const args = process.argv.slice(2);
const slow = args.map((argument) => SLOW.exec(argument)).find(Boolean)?.[1];

main(async () => {
  await setup();
  await buildIfNeeded();
  const vitest = path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', ...args.filter((argument) => !SLOW.test(argument))], {
    cwd: ROOT,
    stdio: 'inherit',
    env: slow ? { ...process.env, SESSIONDEX_SLOW: slow } : process.env,
  });
  child.on('error', (error) => {
    throw error;
  });
  child.on('close', (code) => {
    process.exitCode = code ?? 1;
  });
});
