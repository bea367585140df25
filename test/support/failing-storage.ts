import type { SessionLog, SessionStorage } from '../../src/storage/session-storage.js';

export type LogMethod =
  | 'append'
  | 'replace'
  | 'create'
  | 'overwrite'
  | 'keepBackup'
  | 'sync'
  | 'close'
  | 'look';

/** What a storage is told to fail at, until it is told otherwise. */
export class Failures {
  readonly failing = new Set<LogMethod>();
  readonly calls: LogMethod[] = [];

  fail(...methods: LogMethod[]): void {
    for (const method of methods) this.failing.add(method);
  }

  heal(): void {
    this.failing.clear();
  }

  check(method: LogMethod): void {
    this.calls.push(method);
    if (this.failing.has(method))
      throw Object.assign(new Error(`ENOSPC: no space left on device, ${method}`), { code: 'ENOSPC' });
  }
}

/** A storage whose logs fail as told; everything else goes to `inner`. */
export function failingStorage(inner: SessionStorage, failures: Failures): SessionStorage {
  return new Proxy(inner, {
    get(target, name) {
      if (name === 'openLog')
        return (file: string, options: never) =>
          failingLog(
            (target.openLog as NonNullable<SessionStorage['openLog']>).call(target, file, options),
            failures,
          );
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function failingLog(inner: SessionLog, failures: Failures): SessionLog {
  const guarded: ReadonlySet<unknown> = new Set<LogMethod>([
    'append',
    'replace',
    'create',
    'overwrite',
    'keepBackup',
    'sync',
    'close',
    'look',
  ]);
  return new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (!guarded.has(name)) return value.bind(target);
      const method = name as LogMethod;
      return (...args: unknown[]) => {
        if (method !== 'sync' && method !== 'close') failures.check(method);
        else {
          try {
            failures.check(method);
          } catch (error) {
            return Promise.reject(error);
          }
        }
        return value.apply(target, args);
      };
    },
  });
}
