import type { Snapshot } from '../index-reader.js';
import { ROW_SPAN } from '../keys.js';
import { scopeOf } from '../root-scope.js';
import type { SearchTable } from '../search-writer.js';
import { coverOf, type PlanNode, type SearchPlan, type TextLeaf } from './search-plan.js';

/** An entry that the query finds. */
export interface Candidate {
  readonly id: number;
  /** The entry that this one is a copy of; itself when it is none. */
  readonly originalId: number;
  readonly timestampMs: number | null;
  readonly type: string;
}

interface Sql {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

/**
 * Every entry below the roots that the query's boolean tree accepts. Words may stand in different parts of an entry:
 * one in its prose and another in a tool call.
 */
export function findCandidates(snapshot: Snapshot, roots: readonly string[], plan: SearchPlan): Candidate[] {
  const scope = scopeOf(roots);
  const condition = conditionOf(plan.root, snapshot, plan.tables);
  const driver = driverOf(plan, snapshot);
  return snapshot.db
    .prepare<unknown[], Candidate>(
      `SELECT e.id, coalesce(c.original_id, e.id) AS originalId, e.timestamp_ms AS timestampMs, k.type
       FROM ${driver.text}
       CROSS JOIN sessions s ON s.id = e.id / ${ROW_SPAN}
       CROSS JOIN files f ON f.id = s.id
       CROSS JOIN kinds k ON k.id = e.kind_id
       LEFT JOIN copies c ON c.id = e.id
       WHERE ${scope.condition('f.path')} AND ${condition.text}`,
    )
    .all(...driver.parameters, ...scope.parameters, ...condition.parameters);
}

/** What is gone through: the entries with one of the words that every hit has, or else all. */
function driverOf(plan: SearchPlan, snapshot: Snapshot): Sql {
  const cover = coverOf(plan.root);
  if (!cover) return { text: 'entries e', parameters: [] };
  const rows = rowsWith(cover, snapshot, plan.tables);
  return { text: `(${rows.text}) d CROSS JOIN entries e ON e.id = d.id`, parameters: rows.parameters };
}

function rowsWith(leaves: readonly TextLeaf[], { shards }: Snapshot, tables: readonly SearchTable[]): Sql {
  const match = leaves.map((leaf) => `(${leaf.match})`).join(' OR ');
  const selects = shards.flatMap((shard) =>
    tables.map((table) => `SELECT rowid AS id FROM ${shard}.${table} WHERE ${table} MATCH ?`),
  );
  // With one table a shard no entry comes twice.
  const operator = tables.length === 1 ? ' UNION ALL ' : ' UNION ';
  return { text: selects.join(operator), parameters: selects.map(() => match) };
}

function conditionOf(node: PlanNode, snapshot: Snapshot, tables: readonly SearchTable[]): Sql {
  switch (node.kind) {
    case 'filter':
      return { text: `(${node.sql})`, parameters: node.parameters };
    case 'text': {
      const rows = rowsWith([node], snapshot, tables);
      return { text: `e.id IN (${rows.text})`, parameters: rows.parameters };
    }
    case 'not': {
      const inner = conditionOf(node.child, snapshot, tables);
      return { text: `NOT coalesce(${inner.text}, 0)`, parameters: inner.parameters };
    }
    case 'and':
    case 'or': {
      if (node.children.length === 0) return { text: node.kind === 'and' ? '1' : '0', parameters: [] };
      const parts = node.children.map((child) => conditionOf(child, snapshot, tables));
      const operator = node.kind === 'and' ? ' AND ' : ' OR ';
      return {
        text: `(${parts.map(({ text }) => text).join(operator)})`,
        parameters: parts.flatMap(({ parameters }) => parameters),
      };
    }
  }
}
