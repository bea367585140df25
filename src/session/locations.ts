import path from 'node:path';
import { sessionDirName } from '../format/names.js';
import type { Host } from '../host.js';

/** Where an agent keeps its files (FORMAT section 1, F3). All paths are absolute. */
export interface AgentLocations {
  /** One folder a project, with the session files. */
  readonly sessionsRoot: string;
  readonly blobsDir: string;
  /** Breadcrumbs, one file a terminal. */
  readonly terminalsDir: string;
  /** The database of the prompt history. */
  readonly historyDb: string;
}

/** @param agentDir instead of `PI_CODING_AGENT_DIR`, and that instead of `~/.xcsh/agent` */
export function agentLocations(host: Host, agentDir?: string): AgentLocations {
  const given = agentDir || host.env.PI_CODING_AGENT_DIR;
  const root = given ? path.resolve(withHome(given, host.home)) : path.join(host.home, '.xcsh', 'agent');
  return {
    sessionsRoot: path.join(root, 'sessions'),
    blobsDir: path.join(root, 'blobs'),
    terminalsDir: path.join(root, 'terminal-sessions'),
    historyDb: path.join(root, 'history.db'),
  };
}

/** The folder of a project's sessions (F1). It need not exist. */
export function defaultSessionDir(locations: AgentLocations, cwd: string): string {
  return path.join(locations.sessionsRoot, sessionDirName(path.resolve(cwd)));
}

/** `~` and `~/x` as the shell means them: a variable or an argument may hold them unexpanded. */
export function withHome(text: string, home: string): string {
  if (text === '~') return home;
  return text.startsWith('~/') || text.startsWith('~\\') ? path.join(home, text.slice(2)) : text;
}

/**
 * Tells whether a directory is the same as `directory`, links followed; letter case and slashes differ freely on Windows.
 * The answers are kept: many sessions have few directories.
 */
export function sameDirectoryAs(directory: string, host: Host): (other: string) => boolean {
  const { platform } = host;
  const known = new Map<string, boolean>();
  const wanted = comparable(directory, platform);
  const real = comparable(host.realPath?.(directory) ?? directory, platform);
  const compare = (other: string) =>
    comparable(other, platform) === wanted || comparable(host.realPath?.(other) ?? other, platform) === real;
  return (other) => {
    const answer = known.get(other) ?? compare(other);
    known.set(other, answer);
    return answer;
  };
}

function comparable(directory: string, platform: NodeJS.Platform): string {
  // A header may hold a Windows path whatever system reads it.
  if (platform === 'win32') return path.win32.resolve(directory).toLowerCase();
  return path.resolve(directory);
}
