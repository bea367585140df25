import path from 'node:path';
import { SESSION_SUFFIX, sessionDirName, withoutSuffix } from '../format/names.js';
import type { Host } from '../host.js';
import type { CatalogScope, SessionInfo } from '../storage/catalog.js';
import type { SessionStorage } from '../storage/session-storage.js';
import { agentLocations, sameDirectoryAs } from './locations.js';
import { readSummary } from './read-summary.js';
import { sessionInfo } from './session-info.js';

/** F45: one project's sessions, newest first. Without a folder the agent's whole root is searched: the header decides. */
export async function listSessions(
  cwd: string,
  sessionDir: string | undefined,
  storage: SessionStorage,
  host: Host,
): Promise<SessionInfo[]> {
  const project = cwd === '' ? {} : { cwd: path.resolve(cwd) };
  const scope: CatalogScope =
    sessionDir === undefined
      ? { root: agentLocations(host).sessionsRoot, ...project }
      : { root: path.resolve(sessionDir), flat: true, ...project };
  return storage.catalog?.list(scope) ?? readSessions(scope, storage, host);
}

/** F45: every project's sessions, nested ones included, newest first. */
export async function listAllSessions(storage: SessionStorage, host: Host): Promise<SessionInfo[]> {
  const root = agentLocations(host).sessionsRoot;
  return storage.catalog?.listAll(root) ?? readSessions({ root, nested: true }, storage, host);
}

/** The sessions of a scope as their files say, newest first. A file that cannot be read is reported and passed over. */
export async function readSessions(
  scope: CatalogScope,
  storage: SessionStorage,
  host: Host,
): Promise<SessionInfo[]> {
  const found: SessionInfo[] = [];
  const isWanted = scope.cwd === undefined ? undefined : projectFilter(scope.cwd, storage, host);
  let textBudget = MAX_LIST_TEXT_CHARS;
  for (const file of sessionFiles(scope, storage, host)) {
    try {
      if (isWanted !== undefined && !(await isWanted(file))) continue;
      const summary = await readSummary(storage, file, 'all', textBudget);
      if (summary === undefined) continue;
      textBudget -= summary.textChars;
      found.push(sessionInfo(file, storage, summary));
    } catch (error) {
      host.warn?.(`${file}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return found.sort(byActivity);
}

/** Characters of conversation that one list holds in memory; of what is beyond, a session's text is read when asked for. */
const MAX_LIST_TEXT_CHARS = 32 * 1024 * 1024;

/**
 * Tells of which files the session is one of a project's (F1): the header decides; one that says no directory belongs to
 * the folder that it lies in.
 */
export function projectFilter(
  cwd: string,
  storage: SessionStorage,
  host: Host,
): (file: string) => Promise<boolean> {
  const isSame = sameDirectoryAs(cwd, host);
  return async (file) => {
    const summary = await readSummary(storage, file, 'name');
    if (summary === undefined) return false;
    const own: unknown = summary.header.cwd;
    if (typeof own === 'string' && own !== '') return isSame(own);
    const folder = path.basename(path.dirname(file));
    return !folder.startsWith('--') || folder === sessionDirName(cwd);
  };
}

/** Candidates by name: every `*.jsonl` counts, whatever its folder is called. */
export function sessionFiles(
  { root, flat, nested }: CatalogScope,
  storage: SessionStorage,
  host: Host,
): string[] {
  if (flat) return storage.listFilesSync(root, `*${SESSION_SUFFIX}`);
  const files = storage.listFilesSync(root, ANYWHERE);
  for (const dir of linkedFolders(root, files, storage, host))
    files.push(...storage.listFilesSync(dir, ANYWHERE));
  if (nested) return files;
  const sessions = new Set(files.map(withoutSuffix));
  return files.filter((file) => !isNested(file, root, sessions));
}

const ANYWHERE = `**/*${SESSION_SUFFIX}`;

/** Project folders that are links to a place outside of the root, which a search at any depth does not follow. */
function linkedFolders(
  root: string,
  found: readonly string[],
  storage: SessionStorage,
  host: Host,
): string[] {
  const known = new Set(found);
  const realPath = (dir: string) => host.realPath?.(dir) ?? dir;
  const isWithin = (dir: string, other: string) => dir === other || dir.startsWith(other + path.sep);
  const realRoot = realPath(root);
  const byRealPath = new Map<string, string>();
  for (const file of storage.listFilesSync(root, `*/*${SESSION_SUFFIX}`)) {
    if (known.has(file)) continue;
    const dir = path.dirname(file);
    const real = realPath(dir);
    if (!isWithin(real, realRoot) && !isWithin(realRoot, real)) byRealPath.set(real, dir);
  }
  return [...byRealPath.values()];
}

/** Whether a file lies in the directory of another session: that of one of its subagents. */
function isNested(file: string, root: string, sessions: ReadonlySet<string>): boolean {
  for (let dir = path.dirname(file); dir.length > root.length; dir = path.dirname(dir))
    if (sessions.has(dir)) return true;
  return false;
}

/** Newest first; of two as new as each other the order of their paths decides. */
function byActivity(a: SessionInfo, b: SessionInfo): number {
  return b.modified.getTime() - a.modified.getTime() || (a.path < b.path ? -1 : 1);
}
