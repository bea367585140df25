/**
 * A process that works on one log together with others.
 *
 * argv: mode (`append` or `rewrite`), file, tag, count
 */
import { existsSync, writeSync } from 'node:fs';
import { FileSessionStorage } from '../../src/storage/file-storage.js';
import type { SessionLog } from '../../src/storage/session-storage.js';

const [mode, file, tag, count] = process.argv.slice(2) as [string, string, string, string];
const log = new FileSessionStorage().openLog(file);

function textOf(pieces: Iterable<Buffer>): string {
  return Buffer.concat(Array.from(pieces, (piece) => Buffer.from(piece))).toString('utf8');
}

/** Takes in what is new. Everybody's lines are whole, so that what is read ends at a line boundary. */
function absorb(known: string[], of: SessionLog): void {
  for (let drift = of.look(); drift !== 'same'; drift = of.look()) {
    if (drift === 'missing') throw new Error('the file is gone');
    const from = drift === 'grown' ? (of.seen?.bytes ?? 0) : 0;
    if (drift === 'replaced') known.length = 0;
    const text = textOf(of.read(from));
    of.markSeen({ bytes: from + Buffer.byteLength(text, 'utf8') });
    for (const line of text.split('\n')) if (line !== '' && !known.includes(line)) known.push(line);
  }
}

function append(): void {
  log.look();
  for (let i = 0; i < Number(count); i += 1) {
    log.append(`{"from":"${tag}","n":${i},"pad":"${'x'.repeat((i * 37) % 2000)}"}\n`);
  }
}

/** Replaces the file over and over, until it is told that the others are done. */
function rewrite(): void {
  const known: string[] = [];
  let replaced = 0;
  do {
    absorb(known, log);
    if (log.replace(known.map((line) => `${line}\n`))) replaced += 1;
  } while (!existsSync(`${file}.stop`));
  writeSync(1, `${JSON.stringify({ replaced })}\n`);
}

writeSync(1, '{"ready":true}\n');
if (mode === 'append') append();
else rewrite();
await log.sync();
await log.close();
