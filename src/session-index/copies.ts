import type { Database } from 'better-sqlite3';
import { fileIdOf, rowKey } from './keys.js';

interface Candidate {
  readonly id: number;
  readonly entryId: string;
  readonly identity: string;
}

/** Which session wrote an entry first: what `order` sorts lower. */
export interface Precedence {
  readonly depth: number;
  readonly headerMs: number;
  readonly path: string;
}

const CANDIDATES = `SELECT id, entry_id AS entryId,
  coalesce(timestamp_ms, '') || ' ' || kind_id || ' ' || digest AS identity FROM entries`;

/**
 * Finds the entries that are copies of another (rule 7: same id, time and content) among those with the given ids, and
 * notes each under the one that was there first. Every row of these ids is settled anew.
 *
 * @returns the files in which an entry became, or ceased to be, a copy
 */
export function settleCopies(
  db: Database,
  entryIds: Iterable<string>,
  precedenceOf: (fileId: number) => Precedence,
): Set<number> {
  const find = db.prepare<[string], Candidate>(`${CANDIDATES} WHERE entry_id = ?`);
  const before = db.prepare<[number], { originalId: number }>(
    'SELECT original_id AS originalId FROM copies WHERE id = ?',
  );
  const remove = db.prepare('DELETE FROM copies WHERE id = ?');
  const insert = db.prepare('INSERT INTO copies (id, original_id) VALUES (?, ?)');
  const changed = new Set<number>();
  for (const entryId of entryIds) {
    const originals = originalsAmong(find.all(entryId), precedenceOf);
    for (const [id, originalId] of originals) {
      const known = before.get(id)?.originalId ?? id;
      if (known === originalId) continue;
      if (known !== id) remove.run(id);
      if (originalId !== id) insert.run(id, originalId);
      changed.add(fileIdOf(id));
    }
  }
  return changed;
}

/** For each candidate the one it is a copy of, or itself. */
function originalsAmong(
  candidates: readonly Candidate[],
  precedenceOf: (fileId: number) => Precedence,
): Map<number, number> {
  const groups = new Map<string, number[]>();
  for (const { id, identity } of candidates) {
    const group = groups.get(identity);
    if (group) group.push(id);
    else groups.set(identity, [id]);
  }
  const originals = new Map<number, number>();
  for (const ids of groups.values()) {
    ids.sort((a, b) => order(a, b, precedenceOf));
    for (const id of ids) originals.set(id, ids[0] as number);
  }
  return originals;
}

function order(a: number, b: number, precedenceOf: (fileId: number) => Precedence): number {
  if (fileIdOf(a) === fileIdOf(b)) return a - b;
  const first = precedenceOf(fileIdOf(a));
  const second = precedenceOf(fileIdOf(b));
  if (first.depth !== second.depth) return first.depth - second.depth;
  if (first.headerMs !== second.headerMs) return first.headerMs < second.headerMs ? -1 : 1;
  return first.path < second.path ? -1 : 1;
}

/** Ids that stand more than once in the whole index. */
export function repeatedEntryIds(db: Database): string[] {
  return db
    .prepare<[], string>(
      'SELECT entry_id FROM entries WHERE entry_id IS NOT NULL GROUP BY entry_id HAVING count(*) > 1',
    )
    .pluck()
    .all();
}

/** Ids of a file's entries that stand elsewhere too, or twice in it. */
export function sharedEntryIds(db: Database, fileId: number): string[] {
  return db
    .prepare<[number, number], string>(
      `SELECT DISTINCT a.entry_id FROM entries a JOIN entries b ON b.entry_id = a.entry_id AND b.id <> a.id
       WHERE a.id >= ? AND a.id < ?`,
    )
    .pluck()
    .all(rowKey(fileId, 0), rowKey(fileId + 1, 0));
}
