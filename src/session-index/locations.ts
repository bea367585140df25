import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Host } from '../host.js';

/** Agents of the family, by the folder in the user's home that holds their `sessions`. */
const AGENT_FOLDERS = ['.xcsh/agent', '.omp/agent', '.pi/agent'];

/** Where the index lives when nobody says otherwise: it can be made again, so it belongs in the cache. */
export function defaultDbPath(host: Host): string {
  return host.env.SESSIONDEX_DB || join(cacheFolder(host), 'sessiondex', 'index.db');
}

function cacheFolder({ env, home, platform }: Host): string {
  if (env.XDG_CACHE_HOME) return env.XDG_CACHE_HOME;
  if (platform === 'darwin') return join(home, 'Library', 'Caches');
  if (platform === 'win32') return env.LOCALAPPDATA || join(home, 'AppData', 'Local');
  return join(home, '.cache');
}

export interface RootCandidates {
  /** Folders that exist. */
  readonly found: readonly string[];
  /** Everywhere that was looked. */
  readonly looked: readonly string[];
}

/**
 * The folders to search for sessions: `SESSIONDEX_ROOTS` (like PATH), else the session folders of the family's agents
 * that exist, `PI_CODING_AGENT_DIR` first (F3).
 */
export function defaultRoots(host: Host): RootCandidates {
  const given = host.env.SESSIONDEX_ROOTS?.split(delimiter).filter((path) => path !== '');
  if (given && given.length > 0) return { found: given.filter((path) => existsSync(path)), looked: given };
  const agentDir = host.env.PI_CODING_AGENT_DIR;
  const looked = [
    ...(agentDir ? [join(agentDir, 'sessions')] : []),
    ...AGENT_FOLDERS.map((folder) => join(host.home, folder, 'sessions')),
    ...openClawFolders(host.home),
  ];
  return {
    found: looked.filter((path) => existsSync(path)),
    looked: [...looked, openClawPattern(host.home)],
  };
}

function openClawPattern(home: string): string {
  return join(home, '.openclaw', 'agents', '*', 'sessions');
}

function openClawFolders(home: string): string[] {
  const agents = join(home, '.openclaw', 'agents');
  try {
    return readdirSync(agents).map((name) => join(agents, name, 'sessions'));
  } catch {
    return []; // ENOENT: OpenClaw is not installed here
  }
}
