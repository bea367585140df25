import { basename } from 'node:path';
import { SessiondexError } from '../../errors.js';
import type { Snapshot } from '../index-reader.js';
import { scopeOf } from '../root-scope.js';

/** A session that an argument may mean. */
export interface SessionRef {
  readonly fileId: number;
  readonly sessionId: string;
  readonly path: string;
  readonly leafSeq: number | null;
}

const MAX_CANDIDATES = 10;

/**
 * The session that a person means: by path, else by the beginning of its id or of its file's name. An exact id goes
 * before longer ones that begin with it.
 *
 * @throws SessiondexError SESSION_NOT_FOUND; AMBIGUOUS_SESSION, whose hint lists the candidates
 */
export function resolveSession({ db }: Snapshot, roots: readonly string[], argument: string): SessionRef {
  const scope = scopeOf(roots);
  const sessions = db
    .prepare<string[], SessionRef>(
      `SELECT s.id AS fileId, s.session_id AS sessionId, f.path, s.leaf_seq AS leafSeq
       FROM sessions s JOIN files f ON f.id = s.id WHERE ${scope.condition('f.path')} ORDER BY f.path`,
    )
    .all(...scope.parameters);
  const matches = matchesOf(sessions, argument);
  const [only] = matches;
  if (only && matches.length === 1) return only;
  if (only) throw ambiguous(argument, matches);
  throw new SessiondexError('SESSION_NOT_FOUND', `no session is called ${JSON.stringify(argument)}`, {
    hint: 'Give the beginning of an id or of a file name, or a path; "sessiondex list" shows what there is.',
  });
}

function matchesOf(sessions: readonly SessionRef[], argument: string): SessionRef[] {
  const byPath = sessions.filter(({ path }) => path === argument);
  if (byPath.length > 0) return byPath;
  const exact = sessions.filter(({ sessionId }) => sessionId === argument);
  if (exact.length > 0) return exact;
  if (argument === '') return [];
  return sessions.filter(
    ({ sessionId, path }) => sessionId.startsWith(argument) || basename(path).startsWith(argument),
  );
}

function ambiguous(argument: string, matches: readonly SessionRef[]): SessiondexError {
  const shown = matches.slice(0, MAX_CANDIDATES).map(({ sessionId, path }) => `${sessionId}  ${path}`);
  const more = matches.length > shown.length ? [`and ${matches.length - shown.length} more`] : [];
  return new SessiondexError(
    'AMBIGUOUS_SESSION',
    `${matches.length} sessions begin with ${JSON.stringify(argument)}`,
    { hint: ['Give more of the id, or a path:', ...shown, ...more].join('\n  ') },
  );
}
