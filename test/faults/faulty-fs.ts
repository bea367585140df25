import * as nodeFs from 'node:fs';
import type { StorageFs } from '../../src/storage/storage-fs.js';

/** What happens to a call: the error with this code instead of it; or, for a write, half of it is done before ENOSPC. */
export type FaultKind = 'EIO' | 'ENOSPC' | 'EACCES' | 'EPERM' | 'EBUSY' | 'EXDEV' | 'EROFS' | 'short write';

/** One call of the file system, as it was made. */
export interface FsCall {
  readonly name: string;
  readonly path: string;
}

const CALLS = new Set<string>([
  'closeSync',
  'copyFileSync',
  'fchmodSync',
  'fchownSync',
  'fstatSync',
  'fsync',
  'fsyncSync',
  'ftruncateSync',
  'linkSync',
  'lstatSync',
  'mkdirSync',
  'openSync',
  'readSync',
  'readdirSync',
  'readlinkSync',
  'realpathSync',
  'renameSync',
  'rmSync',
  'statSync',
  'symlinkSync',
  'unlinkSync',
  'writeSync',
]);

type Call = (...args: unknown[]) => unknown;

/** `node:fs` in which calls can be made to fail. Counts what is called. */
export class FaultyFs {
  readonly fs: StorageFs;
  /** Every call since `watch`. */
  readonly calls: FsCall[] = [];
  /** Calls that were made to fail since `watch`. */
  failed = 0;
  #decide: (call: FsCall, index: number) => FaultKind | undefined = () => undefined;
  #isWatching = false;
  #shortFd: number | undefined;
  readonly #paths = new Map<number, string>();

  constructor() {
    this.fs = new Proxy(nodeFs, {
      get: (target, name: string) => {
        const original = Reflect.get(target, name) as Call;
        return CALLS.has(name) ? (...args: unknown[]) => this.#call(name, original, args) : original;
      },
    });
  }

  /** From now on calls are counted, and those that `decide` names fail. */
  watch(decide: (call: FsCall, index: number) => FaultKind | undefined = () => undefined): void {
    this.calls.length = 0;
    this.failed = 0;
    this.#decide = decide;
    this.#isWatching = true;
  }

  /** From now on everything works. */
  heal(): void {
    this.#isWatching = false;
    this.#shortFd = undefined;
  }

  #call(name: string, original: Call, args: unknown[]): unknown {
    const call = { name, path: this.#pathOf(args[0]) };
    const fault = this.#isWatching ? this.#fault(call, args) : undefined;
    if (fault === undefined) return this.#perform(name, original, args);
    this.failed += 1;
    if (fault === 'short write') return this.#writeShort(original, args);
    // A descriptor is gone after close, whatever close says.
    if (name === 'closeSync') this.#perform(name, original, args);
    const error = Object.assign(new Error(`${fault}: injected, ${name} '${call.path}'`), { code: fault });
    if (name !== 'fsync') throw error;
    setImmediate(args[1] as (error: Error) => void, error);
    return undefined;
  }

  #fault(call: FsCall, args: readonly unknown[]): FaultKind | undefined {
    if (call.name === 'writeSync' && this.#shortFd !== undefined && args[0] === this.#shortFd) {
      this.#shortFd = undefined;
      return 'ENOSPC';
    }
    this.calls.push(call);
    const fault = this.#decide(call, this.calls.length - 1);
    if (fault === 'short write' && call.name !== 'writeSync') return undefined;
    return fault;
  }

  #writeShort(original: Call, [fd, bytes, offset, length, position]: unknown[]): unknown {
    this.#shortFd = fd as number;
    return original(fd, bytes, offset, Math.floor((length as number) / 2), position);
  }

  #perform(name: string, original: Call, args: unknown[]): unknown {
    const result = original(...args);
    if (name === 'openSync') this.#paths.set(result as number, String(args[0]));
    return result;
  }

  #pathOf(first: unknown): string {
    return typeof first === 'number' ? (this.#paths.get(first) ?? `fd ${first}`) : String(first);
  }
}
