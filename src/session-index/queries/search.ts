import { basename } from 'node:path';
import { ContentReader } from '../../format/content.js';
import type { TypedObject } from '../../format/json.js';
import { readLines } from '../entry-lines.js';
import type { IndexReader, Snapshot } from '../index-reader.js';
import { fileIdOf, ROW_SPAN, seqOf } from '../keys.js';
import type { SearchHit, SearchOptions, SearchPart, SearchResult } from '../results.js';
import { scopeOf } from '../root-scope.js';
import { type Candidate, findCandidates } from './candidates.js';
import { isWithin, pathRanges, type SeqRange } from './path-ranges.js';
import { planSearch } from './query-plan.js';
import { type Score, scoreAll, WEIGHTS } from './ranking.js';
import type { SearchPlan } from './search-plan.js';
import { cutSnippet, hasMatch } from './snippet.js';

const DEFAULT_LIMIT = 20;

/** So many more than asked for are looked at closely: what lies on an abandoned branch moves back among them. */
const CLOSE_LOOK = 100;

interface RankedHit extends Candidate, Score {}

/**
 * Finds entries, best first. Copies of one entry are one hit, under the session that wrote it first unless only a copy
 * fits the filters.
 *
 * @param reader undefined: nothing is indexed
 * @throws SessiondexError QUERY_SYNTAX
 */
export function searchEntries(
  reader: IndexReader | undefined,
  roots: readonly string[],
  text: string,
  options: SearchOptions,
  nowMs: number,
): SearchResult {
  const plan = planSearch(text, nowMs);
  if (!reader) return { query: text, total: 0, hits: [] };
  return reader.rowsAndText((snapshot) => {
    const candidates = withoutCopies(findCandidates(snapshot, roots, plan));
    const page = rank(snapshot, plan, candidates, options);
    return { query: text, total: candidates.length, hits: describe(snapshot, roots, plan, page) };
  });
}

/** One candidate for each entry and its copies: the original where it is found. */
export function withoutCopies(candidates: readonly Candidate[]): Candidate[] {
  const chosen = new Map<number, Candidate>();
  for (const candidate of candidates) {
    const known = chosen.get(candidate.originalId);
    if (!known || candidate.id === candidate.originalId) chosen.set(candidate.originalId, candidate);
  }
  return [...chosen.values()];
}

function rank(
  snapshot: Snapshot,
  plan: SearchPlan,
  candidates: readonly Candidate[],
  { limit = DEFAULT_LIMIT, offset = 0, sort = 'best' }: SearchOptions,
): RankedHit[] {
  const scores = scoreAll(snapshot, plan, candidates);
  const hits = candidates.map((candidate): RankedHit => {
    return { ...candidate, ...(scores.get(candidate.id) ?? UNRANKED) };
  });
  if (sort !== 'best') {
    const direction = sort === 'newest' ? -1 : 1;
    hits.sort((a, b) => direction * ((a.timestampMs ?? 0) - (b.timestampMs ?? 0)) || a.id - b.id);
    return hits.slice(offset, offset + limit);
  }
  hits.sort(bestFirst);
  const close = hits.slice(0, offset + limit + CLOSE_LOOK);
  const active = new ActivePaths(snapshot);
  return close
    .map((hit) => (active.has(hit.id) ? hit : { ...hit, score: hit.score * WEIGHTS.abandoned }))
    .sort(bestFirst)
    .slice(offset, offset + limit);
}

const UNRANKED: Score = { score: 0, part: 'prose' };

/** More recent first among equals. */
function bestFirst(a: RankedHit, b: RankedHit): number {
  return b.score - a.score || (b.timestampMs ?? 0) - (a.timestampMs ?? 0) || b.id - a.id;
}

/** Which entries lie on the path to their session's leaf; the header always does. */
class ActivePaths {
  readonly #snapshot: Snapshot;
  readonly #ranges = new Map<number, readonly SeqRange[]>();

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  has(id: number): boolean {
    const fileId = fileIdOf(id);
    let ranges = this.#ranges.get(fileId);
    if (!ranges) {
      ranges = this.#rangesOf(fileId);
      this.#ranges.set(fileId, ranges);
    }
    return seqOf(id) === 0 || isWithin(ranges, seqOf(id));
  }

  #rangesOf(fileId: number): SeqRange[] {
    const { db } = this.#snapshot;
    const leaf = db
      .prepare<[number], number | null>('SELECT leaf_seq FROM sessions WHERE id = ?')
      .pluck()
      .get(fileId);
    return typeof leaf === 'number' ? pathRanges(db, fileId, leaf) : [];
  }
}

interface HitRow {
  readonly sessionId: string;
  readonly path: string;
  readonly project: string;
  readonly title: string | null;
  readonly entryId: string | null;
  readonly role: string | null;
  readonly byteOffset: number;
  readonly byteLength: number;
}

function describe(
  snapshot: Snapshot,
  roots: readonly string[],
  plan: SearchPlan,
  hits: readonly RankedHit[],
): SearchHit[] {
  const active = new ActivePaths(snapshot);
  const reader = new ContentReader();
  const rowOf = snapshot.db.prepare<[number], HitRow>(
    `SELECT s.session_id AS sessionId, f.path, s.cwd AS project, s.title, e.entry_id AS entryId,
       nullif(k.role, '') AS role, e.byte_offset AS byteOffset, e.byte_length AS byteLength
     FROM entries e JOIN kinds k ON k.id = e.kind_id JOIN sessions s ON s.id = e.id / ${ROW_SPAN}
     JOIN files f ON f.id = s.id WHERE e.id = ?`,
  );
  return hits.map((hit): SearchHit => {
    const row = rowOf.get(hit.id) as HitRow;
    const { text, part } = textOf(row, hit, plan, reader);
    const { snippet, matches } = cutSnippet(text, plan.highlight);
    return {
      sessionId: row.sessionId,
      path: row.path,
      project: row.project,
      title: row.title,
      entryId: row.entryId,
      type: hit.type,
      role: row.role,
      timestampMs: hit.timestampMs,
      score: hit.score,
      snippet,
      matches,
      part,
      byteOffset: row.byteOffset,
      byteLength: row.byteLength,
      onActiveBranch: active.has(hit.id),
      alsoIn: alsoIn(snapshot, roots, hit),
    };
  });
}

const PARTS: readonly SearchPart[] = ['prose', 'thinking', 'tools'];

/** The text to cut the snippet from: the part that the score comes from, else the first that has any of the words. */
function textOf(
  row: HitRow,
  hit: RankedHit,
  plan: SearchPlan,
  reader: ContentReader,
): { text: string; part: SearchPart } {
  if (seqOf(hit.id) === 0) return { text: titleText(row, plan), part: 'prose' };
  const { path, byteOffset, byteLength } = row;
  const value = readEntry(path, byteOffset, byteLength);
  if (!value) return { text: '', part: hit.part };
  const content = reader.read(value);
  const ordered = [hit.part, ...PARTS.filter((part) => part !== hit.part)];
  const part =
    ordered.find((candidate) => hasMatch(content[candidate], plan.highlight)) ??
    ordered.find((candidate) => content[candidate] !== '') ??
    hit.part;
  return { text: content[part], part };
}

/** The title that has the words: the header's, the one in the slot before it, or the one that stands now. */
function titleText({ path, byteOffset, byteLength, title }: HitRow, plan: SearchPlan): string {
  const header = readEntry(path, byteOffset, byteLength);
  const slot = byteOffset > 0 ? readEntry(path, 0, byteOffset) : undefined;
  const titles = [title, header?.title, slot?.title].filter((text) => typeof text === 'string');
  return titles.find((text) => hasMatch(text, plan.highlight)) ?? titles[0] ?? '';
}

/** undefined: the file was changed, moved or removed since it was indexed. */
function readEntry(path: string, byteOffset: number, byteLength: number): TypedObject | undefined {
  try {
    return readLines(path, [{ byteOffset, byteLength }])[0];
  } catch {
    return undefined; // FILE_IO: the hit stands, without its text
  }
}

/** The other sessions below the roots in which a copy of the entry stands. */
function alsoIn({ db }: Snapshot, roots: readonly string[], { id, originalId }: RankedHit): string[] {
  const scope = scopeOf(roots);
  const ids = db
    .prepare<unknown[], { sessionId: string; path: string }>(
      `SELECT DISTINCT s.session_id AS sessionId, f.path FROM
         (SELECT id FROM copies WHERE original_id = ? UNION SELECT CAST(? AS INTEGER)) c
       JOIN sessions s ON s.id = c.id / ${ROW_SPAN} JOIN files f ON f.id = s.id
       WHERE s.id <> ? AND ${scope.condition('f.path')} ORDER BY f.path`,
    )
    .all(originalId, originalId, fileIdOf(id), ...scope.parameters);
  return ids.map(({ sessionId, path }) => sessionId || basename(path));
}
