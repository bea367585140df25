import type { Snapshot } from '../index-reader.js';
import type { SearchPart } from '../results.js';
import type { SearchTable } from '../search-writer.js';
import type { Candidate } from './candidates.js';
import { positiveLeaves, rankingExpression, type SearchPlan } from './search-plan.js';

/**
 * How much a hit is worth by where it stands. BM25 alone ranks a pasted log above the answer, because the log says the
 * word more often.
 */
export const WEIGHTS = {
  prose: 1,
  thinking: 0.6,
  tools: 0.45,
  /** The session's own title, and entries that give it one or mark an entry. */
  title: 1.6,
  /** An entry that was left behind by a branch. */
  abandoned: 0.85,
} as const;

const TITLE_TYPES: ReadonlySet<string> = new Set(['session', 'session_info', 'title_change', 'label']);

/** Words that stand in different parts of an entry are looked up one by one for so many of the newest. */
const MAX_SPLIT_HITS = 2000;

export interface Score {
  readonly score: number;
  /** The part that the score comes from. */
  readonly part: SearchPart;
}

/** Scores by entry; higher is better. Entries found by filters alone have none. */
export function scoreAll(
  snapshot: Snapshot,
  plan: SearchPlan,
  candidates: readonly Candidate[],
): Map<number, Score> {
  const scores = new Map<number, Score>();
  const expression = rankingExpression(plan.root);
  if (expression === undefined) return scores;
  const types = new Map(candidates.map(({ id, type }) => [id, type]));
  for (const table of plan.tables) {
    for (const shard of snapshot.shards) addScores(snapshot, shard, table, expression, types, scores);
  }
  if (scores.size < candidates.length) scoreSplitHits(snapshot, plan, candidates, scores);
  return scores;
}

function addScores(
  { db }: Snapshot,
  shard: string,
  table: SearchTable,
  expression: string,
  types: ReadonlyMap<number, string>,
  scores: Map<number, Score>,
): void {
  const rows = db
    .prepare<[string], [id: number, rank: number]>(
      `SELECT rowid, bm25(${table}) FROM ${shard}.${table} WHERE ${table} MATCH ?`,
    )
    .raw()
    .iterate(expression);
  for (const [id, rank] of rows) {
    const type = types.get(id);
    if (type !== undefined) keepBest(scores, id, weighted(table, type, rank), table);
  }
}

function weighted(table: SearchTable, type: string, rank: number): number {
  return -rank * WEIGHTS[table] * (TITLE_TYPES.has(type) ? WEIGHTS.title : 1);
}

function keepBest(scores: Map<number, Score>, id: number, score: number, part: SearchPart): void {
  const known = scores.get(id);
  if (!known || known.score < score) scores.set(id, { score, part });
}

/** Entries none of whose parts has all the words: the sum over the parts of what each has. */
function scoreSplitHits(
  { db, shards }: Snapshot,
  plan: SearchPlan,
  candidates: readonly Candidate[],
  scores: Map<number, Score>,
): void {
  const anyWord = positiveLeaves(plan.root)
    .map(({ match }) => `(${match})`)
    .join(' OR ');
  const rank = plan.tables.flatMap((table) =>
    shards.map((shard) => ({
      table,
      statement: db
        .prepare<[string, number], number>(
          `SELECT bm25(${table}) FROM ${shard}.${table} WHERE ${table} MATCH ? AND rowid = ?`,
        )
        .pluck(),
    })),
  );
  const split = candidates
    .filter(({ id }) => !scores.has(id))
    .sort((a, b) => (b.timestampMs ?? 0) - (a.timestampMs ?? 0))
    .slice(0, MAX_SPLIT_HITS);
  for (const { id, type } of split) {
    let sum = 0;
    let best: Score | undefined;
    for (const { table, statement } of rank) {
      const found = statement.get(anyWord, id);
      if (found === undefined) continue;
      const score = weighted(table, type, found);
      sum += score;
      if (!best || best.score < score) best = { score, part: table };
    }
    if (best) scores.set(id, { score: sum, part: best.part });
  }
}
