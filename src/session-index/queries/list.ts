import { sql } from 'kysely';
import { isBelow } from '../drift.js';
import type { Snapshot } from '../index-reader.js';
import { ROW_SPAN } from '../keys.js';
import { all, query } from '../query-builder.js';
import type { SessionSummary } from '../results.js';
import { scopeOf } from '../root-scope.js';

/** An SQL condition on sessions `s` and files `f`, with its parameters. */
export interface SessionCondition {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

export interface ListPage {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

const MODIFIED = sql<number>`coalesce(s.modified_ms, f.mtime_ms)`;

/** Sessions below the roots, newest first; among equally new ones by id, then path. */
export function listSessions(
  { db }: Snapshot,
  roots: readonly string[],
  condition: SessionCondition | undefined,
  page: ListPage,
): { total: number; sessions: SessionSummary[] } {
  const base = query
    .selectFrom('sessions as s')
    .innerJoin('files as f', 'f.id', 's.id')
    .where(conditionOf(scopedTo(roots)))
    .$if(condition !== undefined, (builder) => builder.where(conditionOf(condition as SessionCondition)));
  const rows = all(
    db,
    base
      .select([
        's.id as fileId',
        's.session_id as id',
        'f.path',
        's.cwd as project',
        's.title',
        's.first_message as firstMessage',
        's.created_ms as createdMs',
        's.version',
        's.message_count as messageCount',
        's.entry_count as entryCount',
        's.leaf_count as branchCount',
        's.orphan_count as orphanCount',
        's.parent_session as parentSession',
        's.status',
        'f.size_bytes as sizeBytes',
        'f.problem_count as problemCount',
        's.input',
        's.output',
        's.cache_read as cacheRead',
        's.cache_write as cacheWrite',
        's.total_tokens as totalTokens',
        's.premium_requests as premiumRequests',
        's.cost_usd as costUsd',
      ])
      .select(MODIFIED.as('modifiedMs'))
      .orderBy(MODIFIED, 'desc')
      .orderBy('s.session_id')
      .orderBy('f.path')
      .limit(page.limit ?? -1)
      .offset(page.offset ?? 0),
  );
  const total =
    page.limit === undefined && !page.offset
      ? rows.length
      : (all(
          db,
          base.select((eb) => eb.fn.countAll<number>().as('count')),
        )[0]?.count ?? 0);
  const labels = labelsOf(db, rows);
  const models = modelsOf(db, rows);
  const sessions = rows.map((row): SessionSummary => {
    const { fileId, input, output, cacheRead, cacheWrite, totalTokens, premiumRequests, costUsd, ...rest } =
      row;
    return {
      ...rest,
      root: rootOf(row.path, roots),
      labels: labels.get(fileId) ?? [],
      models: models.get(fileId) ?? [],
      usage: { input, output, cacheRead, cacheWrite, totalTokens, premiumRequests, costUsd },
    };
  });
  return { total, sessions };
}

function scopedTo(roots: readonly string[]): SessionCondition {
  const scope = scopeOf(roots);
  return { sql: scope.condition('f.path'), parameters: scope.parameters };
}

/** A condition with `?` for its parameters, as Kysely wants it. */
function conditionOf({ sql: text, parameters }: SessionCondition) {
  const pieces = text.split('?');
  const values = pieces.map((piece, n) =>
    n < pieces.length - 1 ? sql`${sql.raw(piece)}${parameters[n]}` : sql.raw(piece),
  );
  return sql<boolean>`(${sql.join(values, sql.raw(''))})`;
}

/** The innermost root: roots may lie in each other. */
function rootOf(path: string, roots: readonly string[]): string {
  return roots.filter((root) => isBelow(path, root)).sort((a, b) => b.length - a.length)[0] ?? '';
}

/** From so many sessions on, one look at the whole table is cheaper than one range each. */
const RANGE_LIMIT = 200;

function inFiles(rows: readonly { readonly fileId: number }[], column: string) {
  if (rows.length > RANGE_LIMIT) return sql<boolean>`1`;
  if (rows.length === 0) return sql<boolean>`0`;
  const ranges = rows.map(
    ({ fileId }) =>
      sql`(${sql.raw(column)} >= ${fileId * ROW_SPAN} AND ${sql.raw(column)} < ${(fileId + 1) * ROW_SPAN})`,
  );
  return sql<boolean>`(${sql.join(ranges, sql.raw(' OR '))})`;
}

function labelsOf(db: Snapshot['db'], rows: readonly { readonly fileId: number }[]) {
  const found = all(
    db,
    query
      .selectFrom('labels')
      .select(['target_id as targetId', 'label'])
      .select(sql<number>`id / ${sql.lit(ROW_SPAN)}`.as('fileId'))
      .where('is_current', '=', 1)
      .where(inFiles(rows, 'id'))
      .orderBy('id'),
  );
  const byFile = new Map<number, { targetId: string; label: string }[]>();
  for (const { fileId, targetId, label } of found) {
    const labels = byFile.get(fileId) ?? [];
    labels.push({ targetId, label: label ?? '' });
    byFile.set(fileId, labels);
  }
  return byFile;
}

function modelsOf(db: Snapshot['db'], rows: readonly { readonly fileId: number }[]): Map<number, string[]> {
  const found = all(
    db,
    query
      .selectFrom('usage as u')
      .innerJoin('models as m', 'm.id', 'u.model_id')
      .select(['m.provider', 'm.model'])
      .select(sql<number>`u.id / ${sql.lit(ROW_SPAN)}`.as('fileId'))
      .where('u.source', '=', 'message')
      .where('m.model', '<>', '')
      .where(inFiles(rows, 'u.id'))
      .groupBy(['fileId', 'u.model_id'])
      .orderBy(sql`min(u.id)`),
  );
  const byFile = new Map<number, string[]>();
  for (const { fileId, provider, model } of found) {
    const models = byFile.get(fileId) ?? [];
    models.push(provider === '' ? model : `${provider}/${model}`);
    byFile.set(fileId, models);
  }
  return byFile;
}
