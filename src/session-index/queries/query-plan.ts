import { SessiondexError } from '../../errors.js';
import type { FilterNode, QueryNode, TextNode } from '../../query/ast.js';
import { explain } from '../../query/explain.js';
import { ftsExpression } from '../../query/fts.js';
import { parseQuery } from '../../query/parse.js';
import { highlightPattern, termsOf } from '../../query/terms.js';
import { SEARCH_TABLES, type SearchTable } from '../search-writer.js';
import { entryCondition } from './filter-conditions.js';
import type { PlanNode, SearchPlan } from './search-plan.js';

/**
 * What a query asks of the index.
 *
 * @throws SessiondexError QUERY_SYNTAX; the hint shows where, and what would work
 */
export function planSearch(text: string, nowMs: number): SearchPlan {
  const root = understand(text, nowMs);
  if (isEmpty(root)) {
    throw new SessiondexError('QUERY_SYNTAX', 'there is nothing to search for', {
      hint: 'Give words, a "phrase", a begin* of a word, or filters such as role:user or after:7d.',
    });
  }
  return { root: planOf(root), tables: tablesOf(root), highlight: highlightOf(root) };
}

/** @throws SessiondexError QUERY_SYNTAX */
export function understand(text: string, nowMs: number): QueryNode {
  const parsed = parseQuery(text, nowMs);
  if (parsed.ok) return parsed.root;
  throw new SessiondexError('QUERY_SYNTAX', parsed.problem.message, { hint: explain(text, parsed.problem) });
}

export function isEmpty(node: QueryNode): boolean {
  return node.kind === 'and' && node.children.length === 0;
}

function planOf(node: QueryNode): PlanNode {
  switch (node.kind) {
    case 'text':
      return { kind: 'text', match: ftsExpression(node) };
    case 'filter':
      return { kind: 'filter', ...entryCondition(node) };
    case 'not':
      return { kind: 'not', child: planOf(node.child) };
    case 'and':
    case 'or':
      return { kind: node.kind, children: node.children.map(planOf) };
  }
}

/** Where `in:` says to look; it speaks of the query as a whole. */
function tablesOf(root: QueryNode): readonly SearchTable[] {
  const scopes = inFilters(root, false);
  return SEARCH_TABLES.filter((table) =>
    scopes.every(({ filter, isNegated }) => filter.values.includes(table) !== isNegated),
  );
}

function inFilters(node: QueryNode, isNegated: boolean): { filter: FilterNode; isNegated: boolean }[] {
  switch (node.kind) {
    case 'filter':
      return node.name === 'in' ? [{ filter: node, isNegated }] : [];
    case 'not':
      return inFilters(node.child, !isNegated);
    case 'and':
      return node.children.flatMap((child) => inFilters(child, isNegated));
    default:
      return [];
  }
}

function highlightOf(root: QueryNode): RegExp | undefined {
  const patterns = positiveTexts(root).map(({ text, form }) =>
    highlightPattern(termsOf(text), form === 'prefix'),
  );
  return patterns.length > 0 ? new RegExp(patterns.join('|'), 'giu') : undefined;
}

function positiveTexts(node: QueryNode): TextNode[] {
  switch (node.kind) {
    case 'text':
      return [node];
    case 'and':
    case 'or':
      return node.children.flatMap(positiveTexts);
    default:
      return [];
  }
}
