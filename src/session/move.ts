import path from 'node:path';
import { SessiondexError } from '../errors.js';
import { artifactsDirOf, sessionDirName } from '../format/names.js';
import type { AppendPipeline } from './append-pipeline.js';
import type { LiveSession, SessionEnvironment } from './live-session.js';
import { agentLocations, defaultSessionDir } from './locations.js';

export interface Move {
  /** Absolute. */
  readonly cwd: string;
  readonly oldCwd: string;
  readonly oldDir: string;
  readonly environment: SessionEnvironment;
}

/** The folder of the new project: beside the old one's when that is named after its project, else the agent's own. */
export function destinationOf({ cwd, oldCwd, oldDir, environment }: Move): string {
  const isManaged = path.basename(oldDir) === sessionDirName(oldCwd);
  return isManaged
    ? path.join(path.dirname(oldDir), sessionDirName(cwd))
    : defaultSessionDir(agentLocations(environment.host), cwd);
}

/**
 * Takes a session's file and artifacts to the folder of another project, and its header says so. Entries appended
 * meanwhile wait in memory. Nothing at the destination is replaced: FILE_IO when something is there. When the header
 * cannot be written any more the session is at its new place all the same, and PERSIST_FAILED is latched.
 */
export async function moveSession(
  { content, pipeline }: LiveSession,
  dir: string,
  move: Move,
): Promise<void> {
  const change = () => {
    content.header.cwd = move.cwd;
  };
  if (pipeline === undefined) return change();
  pipeline.requireWritable();
  await moveFiles(pipeline, dir, move.environment);
  if (!pipeline.isOnDisk) return change();
  try {
    pipeline.rewrite(change);
  } catch (error) {
    if (pipeline.failure === undefined) throw error;
  }
}

async function moveFiles(
  pipeline: AppendPipeline,
  dir: string,
  environment: SessionEnvironment,
): Promise<void> {
  const { log } = pipeline.file;
  const from = log.path;
  const to = path.join(dir, path.basename(from));
  if (to === from) return;
  const artifacts = artifactsDirOf(to);
  if (artifacts !== undefined && environment.storage.existsSync(artifacts)) throw cannotMove(artifacts);
  if (pipeline.isOnDisk) pipeline.writeNow();
  pipeline.hold();
  try {
    await log.rename(to).catch((error: unknown) => {
      throw cannotMove(to, error);
    });
    const oldArtifacts = artifactsDirOf(from);
    if (oldArtifacts === undefined || artifacts === undefined) return;
    try {
      environment.storage.moveDirSync?.(oldArtifacts, artifacts);
    } catch (error) {
      await log.rename(from); // a session does not go anywhere without its artifacts
      throw cannotMove(artifacts, error);
    }
  } finally {
    pipeline.release();
  }
}

function cannotMove(to: string, cause?: unknown): SessiondexError {
  const reason = cause instanceof Error ? cause.message : 'something is already there';
  return new SessiondexError('FILE_IO', `Cannot move the session to ${to}: ${reason}`, {
    where: { path: to },
    hint: 'The session is where it was.',
    cause,
  });
}
