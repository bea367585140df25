import { spawnSync } from 'node:child_process';
import type { Terminal } from './terminal.js';

/** Shows a long text through `$PAGER`, or `less`, on a terminal; writes it out everywhere else. */
export function page(text: string, terminal: Terminal): void {
  const lines = text.split('\n').length;
  if (!terminal.isInteractive || lines < terminal.rows) {
    terminal.out(text);
    return;
  }
  const command = process.env['PAGER'] || 'less -R';
  const { error, status } = spawnSync(command, {
    shell: true,
    input: text,
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  // 127: the shell did not find it.
  if (error || status === 127) terminal.out(text);
}
