import './node-version.mjs';
import path from 'node:path';
import { buildIfNeeded } from './build.mjs';
import { runNode } from './run-node.mjs';
import { main, ROOT, setup } from './setup.mjs';

// `node scripts/test.mjs [--slow=crash|stress] [vitest arguments]`

const SLOW = /^--slow=(\w+)$/;
const args = process.argv.slice(2);
const slow = args.map((argument) => SLOW.exec(argument)).find(Boolean)?.[1];

main(async () => {
  await setup();
  await buildIfNeeded();
  const vitest = path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  runNode(
    [vitest, 'run', ...args.filter((argument) => !SLOW.test(argument))],
    slow ? { ...process.env, SESSIONDEX_SLOW: slow } : process.env,
  );
});
