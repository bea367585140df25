import type { QueryNode } from '../../query/ast.js';
import type { Snapshot } from '../index-reader.js';
import { fileIdOf } from '../keys.js';
import { findCandidates } from './candidates.js';
import { type Condition, sessionCondition } from './filter-conditions.js';
import { isEmpty, planSearch, understand } from './query-plan.js';

/** A list's query, understood; the condition on sessions needs a snapshot where words are asked for. */
export interface ListFilter {
  conditionFor(snapshot: Snapshot, roots: readonly string[]): Condition | undefined;
}

/**
 * The search language as a filter of sessions: filters speak of the session as a whole, words of any of its entries.
 *
 * @throws SessiondexError QUERY_SYNTAX
 */
export function parseListQuery(text: string, nowMs: number): ListFilter {
  const root = understand(text, nowMs);
  if (isEmpty(root)) return { conditionFor: () => undefined };
  return {
    conditionFor: (snapshot, roots) => {
      if (!hasText(root)) return conditionOf(root);
      const found = findCandidates(snapshot, roots, planSearch(text, nowMs));
      const ids = [...new Set(found.map(({ id }) => fileIdOf(id)))];
      return { sql: `s.id IN (SELECT value FROM json_each(?))`, parameters: [JSON.stringify(ids)] };
    },
  };
}

function hasText(node: QueryNode): boolean {
  if (node.kind === 'text') return true;
  if (node.kind === 'not') return hasText(node.child);
  return node.kind !== 'filter' && node.children.some(hasText);
}

function conditionOf(node: QueryNode): Condition {
  switch (node.kind) {
    case 'text':
      return { sql: '1', parameters: [] };
    case 'filter': {
      const { sql, parameters } = sessionCondition(node);
      return { sql: `(${sql})`, parameters };
    }
    case 'not': {
      const inner = conditionOf(node.child);
      return { sql: `NOT coalesce(${inner.sql}, 0)`, parameters: inner.parameters };
    }
    case 'and':
    case 'or': {
      const parts = node.children.map(conditionOf);
      const operator = node.kind === 'and' ? ' AND ' : ' OR ';
      return {
        sql: `(${parts.map(({ sql }) => sql).join(operator)})`,
        parameters: parts.flatMap(({ parameters }) => parameters),
      };
    }
  }
}
