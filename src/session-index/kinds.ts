import type { Database } from 'better-sqlite3';
import { nameKey } from './keys.js';
import { RowInserter } from './row-inserter.js';
import { kinds } from './schema.js';

/**
 * The format's own types and message roles, with fixed small ids because nearly every entry has one of them. Never
 * renumber: the position is the id. Ids of other names come from `nameKey` and are far larger.
 */
const FIXED: readonly (readonly [type: string, role: string])[] = [
  ['session', ''],
  ['message', 'user'],
  ['message', 'assistant'],
  ['message', 'toolResult'],
  ['message', 'bashExecution'],
  ['message', 'pythonExecution'],
  ['message', 'custom'],
  ['message', 'branchSummary'],
  ['message', 'compactionSummary'],
  ['message', 'fileMention'],
  ['message', 'developer'],
  ['message', 'system'],
  ['model_change', ''],
  ['thinking_level_change', ''],
  ['compaction', ''],
  ['branch_summary', ''],
  ['custom', ''],
  ['custom_message', ''],
  ['label', ''],
  ['ttsr_injection', ''],
  ['session_init', ''],
  ['mode_change', ''],
  ['session_info', ''],
  ['title_change', ''],
  ['model_usage', ''],
  ['leaf', ''],
  ['reset_boundary', ''],
];

/** The smallest id that a name outside the list can have. */
const FIRST_DERIVED = 1000;

/** Gives ids to pairs of type and role, and writes the row of each that it gives. */
export class KindTable {
  readonly #rows: RowInserter<typeof kinds.$inferInsert>;
  readonly #ids = new Map<string, Map<string, number>>();

  constructor(db: Database) {
    this.#rows = new RowInserter(db, kinds, true);
  }

  idOf(type: string, role: string): number {
    let byRole = this.#ids.get(type);
    if (!byRole) {
      byRole = new Map();
      this.#ids.set(type, byRole);
    }
    const known = byRole.get(role);
    if (known !== undefined) return known;
    const fixed = FIXED.findIndex(([fixedType, fixedRole]) => fixedType === type && fixedRole === role);
    const id = fixed >= 0 ? fixed : FIRST_DERIVED + nameKey(type, role);
    byRole.set(role, id);
    this.#rows.add({ id, type, role });
    this.#rows.flush();
    return id;
  }
}
