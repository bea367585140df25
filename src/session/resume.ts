import path from 'node:path';
import { SessiondexError } from '../errors.js';
import { idInFileName, withoutSuffix } from '../format/names.js';
import { type Host, processHost } from '../host.js';
import type { CatalogScope, SessionInfo } from '../storage/catalog.js';
import { FileSessionStorage } from '../storage/file-storage.js';
import type { SessionStorage } from '../storage/session-storage.js';
import { Breadcrumbs } from './breadcrumbs.js';
import { projectFilter, readSessions, sessionFiles } from './discovery.js';
import { agentLocations, defaultSessionDir } from './locations.js';
import { readSummary } from './read-summary.js';
import { RecentSessionInfo } from './recent.js';

/** The newest sessions of a folder by the files' mtime, for a welcome screen (F43). */
export async function getRecentSessions(
  sessionDir: string,
  limit = 3,
  storage: SessionStorage = new FileSessionStorage(),
  host: Host = processHost,
): Promise<RecentSessionInfo[]> {
  const found: RecentSessionInfo[] = [];
  for (const { file, mtimeMs } of newestFirst(
    { root: path.resolve(sessionDir), flat: true },
    storage,
    host,
  )) {
    if (found.length >= limit) break;
    const summary = await readSummary(storage, file, 'name').catch(() => undefined); // unreadable: not to be offered
    if (summary !== undefined) found.push(new RecentSessionInfo(file, mtimeMs, summary, () => host.now()));
  }
  return found;
}

/** The newest session of a folder by the files' mtime, or null (F44). */
export async function findMostRecentSession(
  sessionDir: string,
  storage: SessionStorage = new FileSessionStorage(),
  host: Host = processHost,
): Promise<string | null> {
  const [newest] = await getRecentSessions(sessionDir, 1, storage, host);
  return newest?.path ?? null;
}

/**
 * F4: what `continueRecent` goes on with. The terminal's own session, else the project's newest in the session folder,
 * else its newest anywhere under the agent's root: folders may be named by another scheme, or after a link.
 */
export async function mostRecentFor(
  cwd: string,
  sessionDir: string | undefined,
  storage: SessionStorage,
  host: Host,
): Promise<string | undefined> {
  const isOfProject = projectFilter(cwd, storage, host);
  const remembered = await new Breadcrumbs(storage, host).read(cwd);
  if (remembered !== undefined && (await isOfProject(remembered))) return remembered;
  const locations = agentLocations(host);
  const dir = path.resolve(sessionDir ?? defaultSessionDir(locations, cwd));
  const scopes: CatalogScope[] = [{ root: dir, flat: true }];
  if (sessionDir === undefined) scopes.push({ root: locations.sessionsRoot });
  for (const scope of scopes) {
    for (const { file } of newestFirst(scope, storage, host)) {
      const isOurs = await isOfProject(file).catch(() => false); // unreadable: cannot be resumed
      if (isOurs) return file;
    }
  }
  return undefined;
}

function newestFirst(
  scope: CatalogScope,
  storage: SessionStorage,
  host: Host,
): { file: string; mtimeMs: number }[] {
  return sessionFiles(scope, storage, host)
    .map((file) => ({ file, mtimeMs: mtimeOf(file, storage) }))
    .sort((a, b) => b.mtimeMs - a.mtimeMs || (a.file < b.file ? 1 : -1));
}

/** A file that is gone by now counts as the oldest: reading it will tell. */
function mtimeOf(file: string, storage: SessionStorage): number {
  try {
    return storage.statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}

/** A session found by the beginning of its id or of its file's name. */
export interface ResolvedSessionMatch {
  readonly session: SessionInfo;
  readonly scope: 'local' | 'global';
}

/** F46: several sessions answer to what was typed; which ones is in `candidates`. */
export class AmbiguousSessionError extends SessiondexError {
  readonly candidates: readonly SessionInfo[];

  constructor(prefix: string, candidates: readonly SessionInfo[]) {
    const named = candidates.map(({ id, path: file }) => `${id} (${file})`).join(', ');
    super('AMBIGUOUS_SESSION', `${candidates.length} sessions begin with "${prefix}": ${named}`, {
      hint: 'Give more of the id, or the path of the file.',
    });
    this.candidates = candidates;
  }
}

/**
 * F46: the session whose id or file name begins with `sessionArg`, in this project, else in any. A whole id goes before
 * beginnings of others. Throws AMBIGUOUS_SESSION with the candidates; undefined when there is none.
 *
 * @param sessionDir search this folder and nothing else
 */
export async function resolveResumableSession(
  sessionArg: string,
  cwd: string,
  sessionDir?: string,
  storage: SessionStorage = new FileSessionStorage(),
  host: Host = processHost,
): Promise<ResolvedSessionMatch | undefined> {
  if (sessionArg === '') return undefined;
  const root = agentLocations(host).sessionsRoot;
  const local: CatalogScope =
    sessionDir === undefined
      ? { root, cwd: path.resolve(cwd) }
      : { root: path.resolve(sessionDir), flat: true };
  const here = await findOne(sessionArg, local, storage, host);
  if (here !== undefined) return { session: here, scope: 'local' };
  if (sessionDir !== undefined) return undefined;
  const anywhere = await findOne(sessionArg, { root, nested: true }, storage, host);
  return anywhere && { session: anywhere, scope: 'global' };
}

async function findOne(
  prefix: string,
  scope: CatalogScope,
  storage: SessionStorage,
  host: Host,
): Promise<SessionInfo | undefined> {
  const found = storage.catalog
    ? await storage.catalog.find(prefix, scope)
    : (await readSessions(scope, storage, host)).filter((session) => answersTo(session, prefix));
  const exact = found.filter(({ id }) => id.toLowerCase() === prefix.toLowerCase());
  const matches = exact.length > 0 ? exact : found;
  if (matches.length > 1) throw new AmbiguousSessionError(prefix, matches);
  return matches[0];
}

/** Whether an id, a file's name, or the id in it begins with what was typed; letter case does not matter. */
export function answersTo(session: SessionInfo, typed: string): boolean {
  const prefix = typed.toLowerCase();
  const name = path.basename(session.path);
  return [session.id, withoutSuffix(name), idInFileName(name)].some((candidate) =>
    candidate?.toLowerCase().startsWith(prefix),
  );
}
