import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { threadId } from 'node:worker_threads';

/**
 * `pid-start-realm-thread`: a thread of a process, which is told apart from others that had or have its number. `start`
 * is when it started, in the system's own unit; `realm` stands for the machine's run and the container, in which alone
 * its number means anything. Only letters, digits and `-`, so that it can be part of a file's name.
 */
export type OwnerToken = string;

/** `unknown`: another machine's or container's process, or no token at all. */
export type OwnerState = 'alive' | 'gone' | 'unknown';

let own: OwnerToken | undefined;

/** The token of this thread. */
export function ownerToken(): OwnerToken {
  own ??= tokenOf(process.pid);
  return own;
}

/** The token of a running process. */
export function tokenOf(pid: number): OwnerToken {
  return `${pid}-${startOf(pid) ?? '0'}-${realm()}-${threadId}`;
}

/** Whether the process of a token still runs. */
export function ownerState(token: string): OwnerState {
  const [, pid, start, where] = /^(\d+)-(\w+)-(\w+)-\d+$/.exec(token) ?? [];
  if (pid === undefined || where !== realm()) return 'unknown';
  if (!isRunning(Number(pid))) return 'gone';
  const startNow = startOf(Number(pid));
  return startNow === undefined || start === '0' || startNow === start ? 'alive' : 'gone';
}

/** The number of a token's process, for messages. */
export function pidOf(token: string): string {
  return /^\d+/.exec(token)?.[0] ?? 'unknown';
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'; // EPERM: somebody else's process, and it runs
  }
}

/** Clock ticks from boot to the start of a process; undefined on systems that do not tell. */
function startOf(pid: number): string | undefined {
  const stat = textOf(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  // The command's name stands in parentheses and may hold spaces and parentheses itself.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

let realmName: string | undefined;

function realm(): string {
  realmName ??= createHash('sha256')
    .update(textOf(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1')) ?? process.platform)
    .update(textOf(() => readlinkSync('/proc/self/ns/pid')) ?? '')
    .digest('hex')
    .slice(0, 8);
  return realmName;
}

function textOf(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined; // ENOENT, EACCES: a system without /proc, or a process that has just ended
  }
}
