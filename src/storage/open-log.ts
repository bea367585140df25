import { type Host, processHost } from '../host.js';
import { BasicLog } from './basic-log.js';
import type { OpenLogOptions, SessionLog, SessionStorage } from './session-storage.js';

/** A log of a storage: its own, or, where it has none, what can be made of the family's members. */
export function openSessionLog(
  storage: SessionStorage,
  path: string,
  options: OpenLogOptions = {},
  host: Pick<Host, 'now'> = processHost,
): SessionLog {
  return storage.openLog?.(path, options) ?? new BasicLog(storage, path, () => host.now(), options);
}
