import type { Database } from 'better-sqlite3';
import { repeatedEntryIds, settleCopies, sharedEntryIds } from './copies.js';
import { ROW_SPAN, rowKey } from './keys.js';
import { type Lineage, settleLineage } from './lineage.js';

/** What changed in the index, and so has to be settled. */
export interface Changes {
  /** Files whose rows are new. */
  readonly added: readonly number[];
  /** Entry ids that stood in files whose rows were removed and that stand elsewhere too. */
  readonly formerEntryIds: Iterable<string>;
}

/**
 * Derives what no single file can tell: parent sessions, copied entries, which usage counts, and the sums of it. The
 * result depends only on the files, not on the order in which they were read.
 */
export function settle(db: Database, changes: Changes | 'everything'): void {
  const lineage = settleLineage(db);
  const entryIds = changes === 'everything' ? repeatedEntryIds(db) : affectedEntryIds(db, changes);
  const changed = settleCopies(db, entryIds, (fileId) => precedenceOf(lineage, fileId));
  if (changes === 'everything') settleUsageOfAll(db);
  else settleUsage(db, [...new Set([...changed, ...changes.added])]);
}

function affectedEntryIds(db: Database, { added, formerEntryIds }: Changes): Set<string> {
  const ids = new Set(formerEntryIds);
  for (const fileId of added) for (const id of sharedEntryIds(db, fileId)) ids.add(id);
  return ids;
}

function precedenceOf(lineage: Lineage, fileId: number) {
  return {
    depth: lineage.depthOf(fileId),
    headerMs: lineage.headerMsOf(fileId),
    path: lineage.pathOf(fileId),
  };
}

/**
 * A copy does not count again. A roll-up counts unless the subagent's own session is indexed: the file called like the
 * agent in the session's folder, or, where no agent is named, any file in that folder (rule 7).
 */
const IS_COUNTED = `
  NOT EXISTS (SELECT 1 FROM copies c WHERE c.id = usage.id / ${ROW_SPAN} * ${ROW_SPAN} + usage.entry_seq)
  AND NOT (usage.source IN ('task', 'child') AND EXISTS (
    SELECT 1 FROM files own JOIN files sub ON sub.status = 'session' AND (
      (usage.agent <> '' AND sub.path = substr(own.path, 1, length(own.path) - 6) || '/' || usage.agent || '.jsonl')
      OR (usage.agent = '' AND sub.path > substr(own.path, 1, length(own.path) - 6) || '/'
          AND sub.path < substr(own.path, 1, length(own.path) - 6) || '0'))
    WHERE own.id = usage.id / ${ROW_SPAN}))`;

const SUMS = [
  'input',
  'output',
  'cache_read',
  'cache_write',
  'total_tokens',
  'premium_requests',
  'cost_usd',
] as const;

const SUM_COLUMNS = SUMS.map((column) => `coalesce(sum(${column}), 0)`).join(', ');

/** After a full build every row counts that is neither a copy's nor a roll-up: few are to be looked at. */
function settleUsageOfAll(db: Database): void {
  const doubtful = `source IN ('task', 'child') OR id / ${ROW_SPAN} IN (SELECT DISTINCT id / ${ROW_SPAN} FROM copies)`;
  db.exec(`UPDATE usage SET is_counted = ${IS_COUNTED} WHERE is_counted = 0 OR ${doubtful}`);
  const ids = db.prepare<[], number>('SELECT id FROM sessions').pluck().all();
  sumUp(db, ids);
}

/** Sessions of these files, and those in whose folders they lie: a subagent's appearance ends its roll-up. */
function settleUsage(db: Database, fileIds: readonly number[]): void {
  const count = db.prepare(
    `UPDATE usage SET is_counted = ${IS_COUNTED} WHERE id >= ? AND id < ? AND is_counted <> (${IS_COUNTED})`,
  );
  const withRollUps = db
    .prepare<[], number>(`SELECT DISTINCT id / ${ROW_SPAN} FROM usage WHERE source IN ('task', 'child')`)
    .pluck()
    .all();
  const affected = [...new Set([...fileIds, ...withRollUps])];
  for (const fileId of affected) count.run(rowKey(fileId, 0), rowKey(fileId + 1, 0));
  sumUp(db, affected);
}

function sumUp(db: Database, fileIds: readonly number[]): void {
  const update = db.prepare(
    `UPDATE sessions SET (${SUMS.join(', ')}) =
       (SELECT ${SUM_COLUMNS} FROM usage WHERE usage.id >= ? AND usage.id < ? AND is_counted) WHERE id = ?`,
  );
  for (const fileId of fileIds) update.run(rowKey(fileId, 0), rowKey(fileId + 1, 0), fileId);
}
