import { basename } from 'node:path';
import type { Database } from 'better-sqlite3';

interface SessionNode {
  readonly id: number;
  readonly sessionId: string;
  readonly parentSession: string | null;
  readonly parentFileId: number | null;
  readonly headerMs: number | null;
  readonly path: string;
}

/** Which session is whose parent, over all files. */
export interface Lineage {
  /** How many known ancestors a session has; a cycle ends the count. */
  depthOf(fileId: number): number;
  headerMsOf(fileId: number): number;
  pathOf(fileId: number): string;
}

/**
 * Finds each session's parent by what its header says: a path, the name of a file that was moved, or an id; of several
 * sessions with the id the oldest. What names no known session, or the session itself, has no parent.
 */
export function settleLineage(db: Database): Lineage {
  const nodes = db
    .prepare<[], SessionNode>(
      `SELECT s.id, s.session_id AS sessionId, s.parent_session AS parentSession, s.parent_file_id AS parentFileId,
         s.header_ms AS headerMs, f.path FROM sessions s JOIN files f ON f.id = s.id`,
    )
    .all();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = resolveParents(nodes);
  const update = db.prepare('UPDATE sessions SET parent_file_id = ? WHERE id = ?');
  for (const node of nodes) {
    const parent = parents.get(node.id) ?? null;
    if (parent !== node.parentFileId) update.run(parent, node.id);
  }
  return {
    depthOf: (fileId) => depthOf(fileId, parents),
    headerMsOf: (fileId) => byId.get(fileId)?.headerMs ?? Number.MAX_SAFE_INTEGER,
    pathOf: (fileId) => byId.get(fileId)?.path ?? '',
  };
}

function resolveParents(nodes: readonly SessionNode[]): Map<number, number> {
  const children = nodes.filter(({ parentSession }) => parentSession !== null);
  const parents = new Map<number, number>();
  if (children.length === 0) return parents;
  const oldestFirst = [...nodes].sort(byAge);
  const byPath = new Map(nodes.map((node) => [node.path, node.id]));
  const byName = firstOf(oldestFirst, ({ path }) => basename(path));
  const bySessionId = firstOf(oldestFirst, ({ sessionId }) => sessionId);
  for (const { id, parentSession } of children) {
    const written = parentSession ?? '';
    const name = written.split(/[\\/]/).at(-1) ?? '';
    const isPath = name !== written || name.endsWith('.jsonl');
    const found = isPath
      ? (byPath.get(written) ?? byName.get(name) ?? bySessionId.get(sessionIdInName(name)))
      : bySessionId.get(written);
    if (found !== undefined && found !== id) parents.set(id, found);
  }
  return parents;
}

function byAge(a: SessionNode, b: SessionNode): number {
  const aMs = a.headerMs ?? Number.MAX_SAFE_INTEGER;
  const bMs = b.headerMs ?? Number.MAX_SAFE_INTEGER;
  if (aMs !== bMs) return aMs - bMs;
  return a.path < b.path ? -1 : 1;
}

function firstOf(nodes: readonly SessionNode[], keyOf: (node: SessionNode) => string): Map<string, number> {
  const found = new Map<string, number>();
  for (const node of nodes) {
    const key = keyOf(node);
    if (!found.has(key)) found.set(key, node.id);
  }
  return found;
}

/** `<timestamp>_<sessionId>.jsonl` (F2). */
function sessionIdInName(name: string): string {
  return name.replace(/\.jsonl$/, '').replace(/^[^_]*_/, '');
}

function depthOf(fileId: number, parents: ReadonlyMap<number, number>): number {
  const seen = new Set<number>([fileId]);
  let depth = 0;
  for (let at = parents.get(fileId); at !== undefined && !seen.has(at); at = parents.get(at)) {
    seen.add(at);
    depth += 1;
  }
  return depth;
}
