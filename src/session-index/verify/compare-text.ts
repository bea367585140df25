import type { Database } from 'better-sqlite3';
import { ROW_SPAN } from '../keys.js';
import { SEARCH_TABLES, type SearchTable } from '../search-writer.js';
import { place } from './compare-rows.js';
import type { DifferenceList } from './difference-list.js';

/** A word of a shard with a sum over all the places where it stands. */
interface TermSum {
  readonly term: string;
  readonly places: number;
  readonly sum: number;
}

/**
 * Compares every word at every place of every text: the words of the index's shards with those of the shards that the
 * files give now. Sums are compared word by word; only where they differ are the places themselves looked at.
 *
 * @param db the index, with its shards and the fresh ones attached under the given names
 */
export function compareText(
  db: Database,
  shards: readonly string[],
  freshShards: readonly string[],
  differences: DifferenceList,
): void {
  for (const table of SEARCH_TABLES) {
    const live = shards.map((shard) => attachVocabulary(db, shard, table));
    const fresh = freshShards.map((shard) => attachVocabulary(db, shard, table));
    for (const term of differingTerms(db, live, fresh)) {
      if (differences.isCut) break;
      comparePlaces(db, table, term, live, fresh, differences);
    }
    compareSizes(db, table, shards, freshShards, differences);
    for (const name of [...live, ...fresh]) db.exec(`DROP TABLE temp.${name}`);
  }
}

/** Makes the words of a full-text table readable; the name under which they are. */
function attachVocabulary(db: Database, shard: string, table: SearchTable): string {
  const name = `vocabulary_${shard}_${table}`;
  db.exec(`CREATE VIRTUAL TABLE temp.${name} USING fts5vocab(${shard}, ${table}, instance)`);
  return name;
}

/** Text of files that are gone may still stand in a shard, where nothing reaches it. */
const IS_KNOWN = `doc / ${ROW_SPAN} IN (SELECT id FROM main.files)`;

function termSums(db: Database, vocabulary: string): IterableIterator<TermSum> {
  return db
    .prepare<[], TermSum>(
      `SELECT term, count(*) AS places, sum((doc % 1000003) * ("offset" % 1000003 + 1) % 2147483647) AS sum
       FROM temp.${vocabulary} WHERE ${IS_KNOWN} GROUP BY term ORDER BY term`,
    )
    .iterate();
}

function differingTerms(db: Database, live: readonly string[], fresh: readonly string[]): string[] {
  const differing: string[] = [];
  const expected = new SummedTerms(fresh.map((name) => termSums(db, name)));
  const actual = new SummedTerms(live.map((name) => termSums(db, name)));
  while (expected.term !== undefined || actual.term !== undefined) {
    const order = compareTerms(expected.term, actual.term);
    const term = (order <= 0 ? expected.term : actual.term) as string;
    const a = order <= 0 ? expected.take() : NOWHERE;
    const b = order >= 0 ? actual.take() : NOWHERE;
    if (a.places !== b.places || a.sum !== b.sum) differing.push(term);
  }
  return differing;
}

const NOWHERE = { places: 0, sum: 0 };

/** The words of several shards as one sorted sequence, the sums of a word added up. */
class SummedTerms {
  readonly #sources: readonly { readonly terms: IterableIterator<TermSum>; next: TermSum | undefined }[];

  constructor(sources: readonly IterableIterator<TermSum>[]) {
    this.#sources = sources.map((terms) => ({ terms, next: nextOf(terms) }));
  }

  /** The next word; undefined at the end. */
  get term(): string | undefined {
    let least: string | undefined;
    for (const { next } of this.#sources) {
      if (next && (least === undefined || compareTerms(next.term, least) < 0)) least = next.term;
    }
    return least;
  }

  take(): { places: number; sum: number } {
    const term = this.term;
    let places = 0;
    let sum = 0;
    for (const source of this.#sources) {
      if (source.next?.term !== term || source.next === undefined) continue;
      places += source.next.places;
      sum += source.next.sum;
      source.next = nextOf(source.terms);
    }
    return { places, sum };
  }
}

function nextOf(terms: IterableIterator<TermSum>): TermSum | undefined {
  const { value, done } = terms.next();
  return done ? undefined : value;
}

/** The order in which SQLite gives words: that of their UTF-8 bytes, hence of their code points; no word comes last. */
export function compareTerms(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    const isSurrogateX = x >= 0xd800 && x <= 0xdfff;
    const isSurrogateY = y >= 0xd800 && y <= 0xdfff;
    if (isSurrogateX !== isSurrogateY) return isSurrogateX ? 1 : -1;
    return x - y;
  }
  return a.length - b.length;
}

function comparePlaces(
  db: Database,
  table: SearchTable,
  term: string,
  live: readonly string[],
  fresh: readonly string[],
  differences: DifferenceList,
): void {
  const expected = placesOf(db, fresh, term);
  const actual = placesOf(db, live, term);
  for (const doc of new Set([...expected.keys(), ...actual.keys()])) {
    const inFiles = expected.get(doc) ?? '';
    const inIndex = actual.get(doc) ?? '';
    if (inFiles === inIndex) continue;
    differences.add({
      kind: 'text',
      ...place(db, 'entries', doc),
      field: `${table}: ${term}`,
      expected: describe(inFiles),
      actual: describe(inIndex),
    });
  }
}

function describe(places: string): string {
  return places === '' ? 'not there' : `at word ${places}`;
}

/** By entry, the numbers of the places at which the word stands. */
function placesOf(db: Database, vocabularies: readonly string[], term: string): Map<number, string> {
  const places = new Map<number, string>();
  for (const name of vocabularies) {
    const rows = db
      .prepare<[string], { doc: number; at: number }>(
        `SELECT doc, "offset" AS at FROM temp.${name} WHERE term = ? AND ${IS_KNOWN} ORDER BY doc, "offset"`,
      )
      .all(term);
    for (const { doc, at } of rows) {
      const before = places.get(doc);
      places.set(doc, before === undefined ? String(at) : `${before}, ${at}`);
    }
  }
  return places;
}

/** Lengths of texts, by which hits are ranked. */
function compareSizes(
  db: Database,
  table: SearchTable,
  shards: readonly string[],
  freshShards: readonly string[],
  differences: DifferenceList,
): void {
  const sizes = (names: readonly string[]) =>
    names
      .map(
        (name) =>
          `SELECT id, sz FROM ${name}.${table}_docsize WHERE id / ${ROW_SPAN} IN (SELECT id FROM main.files)`,
      )
      .join(' UNION ALL ');
  const compare = (here: readonly string[], there: readonly string[]) =>
    db
      .prepare<[number], { id: number }>(
        `SELECT id FROM (SELECT * FROM (${sizes(here)}) EXCEPT SELECT * FROM (${sizes(there)})) LIMIT ?`,
      )
      .all(differences.room);
  const ids = new Set([...compare(freshShards, shards), ...compare(shards, freshShards)].map(({ id }) => id));
  for (const id of ids) {
    differences.add({
      kind: 'text',
      ...place(db, 'entries', id),
      field: `${table}: length`,
      expected: 'the length of the text in the file',
      actual: 'another, or none',
    });
  }
}
