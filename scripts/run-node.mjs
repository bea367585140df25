import { spawn } from 'node:child_process';
import { ROOT } from './setup.mjs';

/** Runs Node with `args` on our terminal and ends as it ends. Signals reach it; it decides what they mean. */
export function runNode(args, env = process.env) {
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit', env });
  // Ctrl-C goes to the whole process group by itself; SIGTERM and SIGHUP come to us alone.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    throw error;
  });
  child.on('close', (code) => process.exit(code ?? 1));
}
