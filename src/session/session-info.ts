import { stringOr } from '../format/json.js';
import type { SessionInfo } from '../storage/catalog.js';
import type { SessionStorage } from '../storage/session-storage.js';
import { summaryOfChunks } from './read-summary.js';
import type { SessionSummary } from './summary.js';

/** What a list says of a session (F45). */
export function sessionInfo(file: string, storage: SessionStorage, summary: SessionSummary): SessionInfo {
  const title = summary.title ?? summary.shortSummary;
  const { mtimeMs } = storage.statSync(file);
  const info = {
    path: file,
    id: summary.header.id,
    cwd: stringOr(summary.header.cwd, ''),
    ...(title === undefined ? {} : { title }),
    ...(summary.parentSession === undefined ? {} : { parentSessionPath: summary.parentSession }),
    created: new Date(summary.createdMs ?? mtimeMs),
    modified: new Date(summary.modifiedMs ?? mtimeMs),
    messageCount: summary.messageCount,
    firstMessage: summary.firstUserText ?? '(no messages)',
    allMessagesText: summary.texts.join(' '),
  };
  const { readChunksSync } = storage;
  if (summary.isTextComplete || readChunksSync === undefined) return info;
  // Too much to hold for every session of a list: read when somebody asks.
  return Object.defineProperty(info, 'allMessagesText', {
    enumerable: true,
    get: () => summaryOfChunks(readChunksSync.call(storage, file), 'all')?.texts.join(' ') ?? '',
  });
}
