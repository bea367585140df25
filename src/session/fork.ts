import { artifactsDirOf } from '../format/names.js';
import type { FileEntry } from '../format/types.js';
import type { Host } from '../host.js';
import { type CopyIdentity, copyOfPath, copyOfSession, openToolCalls } from './copies.js';
import { type EntryIds, newSessionId } from './ids.js';
import { LiveSession, type SessionEnvironment, type SessionTarget } from './live-session.js';

/** The two files of a fork. */
export interface ForkResult {
  readonly oldSessionFile: string;
  readonly newSessionFile: string;
}

/**
 * The whole session in a new file with an id of its own: written when this resolves, artifacts copied. The source is not
 * touched. Throws PERSIST_FAILED.
 *
 * @param sourceFile whose artifacts are copied
 */
export async function forkSession(
  source: LiveSession,
  sourceFile: string,
  target: SessionTarget,
  environment: SessionEnvironment,
): Promise<LiveSession> {
  source.pipeline?.absorb();
  const entries = copyOfSession(source.content, identityOf(target, environment.host));
  const copy = writeCopy(entries, sourceFile, target, environment);
  await copy.pipeline?.flush();
  return copy;
}

/** The path to one entry in a new file; see `forkSession`. Throws `Entry <id> not found`. */
export function branchOut(
  source: LiveSession,
  leafId: string,
  target: SessionTarget,
  ids: EntryIds,
  environment: SessionEnvironment,
): LiveSession {
  const { tree } = source.content;
  tree.requireEntry(leafId);
  const branch = tree.path(leafId);
  const open = openToolCalls(branch);
  if (open.length > 0)
    environment.host.warn?.(
      `The branch to entry ${leafId} ends before the result of tool call ${open.join(', ')}`,
    );
  const entries = copyOfPath(source.content, branch, identityOf(target, environment.host), (taken) =>
    ids.next(taken),
  );
  return writeCopy(entries, source.path, target, environment);
}

function identityOf(target: SessionTarget, host: Host): CopyIdentity {
  return {
    id: target.id ?? newSessionId(host),
    timestamp: new Date(host.now()).toISOString(),
    cwd: target.cwd,
    parentSession: target.parentSession,
  };
}

/** Artifacts first: from the moment on at which the session is there, its references lead somewhere. */
function writeCopy(
  entries: readonly FileEntry[],
  sourceFile: string | undefined,
  target: SessionTarget,
  environment: SessionEnvironment,
): LiveSession {
  const copy = LiveSession.made(entries, target, environment);
  copy.pipeline?.writeNow();
  const from = sourceFile === undefined ? undefined : artifactsDirOf(sourceFile);
  const to = copy.path === undefined ? undefined : artifactsDirOf(copy.path);
  if (from !== undefined && to !== undefined) environment.storage.copyDirSync?.(from, to);
  return copy;
}
