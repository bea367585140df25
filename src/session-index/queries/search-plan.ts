import type { SearchTable } from '../search-writer.js';

/**
 * A query as the index runs it: the boolean tree of the search language, its leaves turned into FTS5 expressions and
 * SQL conditions.
 */
export type PlanNode =
  | { readonly kind: 'and' | 'or'; readonly children: readonly PlanNode[] }
  | { readonly kind: 'not'; readonly child: PlanNode }
  | TextLeaf
  | FilterLeaf;

export interface TextLeaf {
  readonly kind: 'text';
  /** An FTS5 MATCH expression. */
  readonly match: string;
}

export interface FilterLeaf {
  readonly kind: 'filter';
  /** An SQL condition on entries `e`, kinds `k`, sessions `s` and files `f`. */
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

export interface SearchPlan {
  readonly root: PlanNode;
  /** Where text is looked for (`in:`). */
  readonly tables: readonly SearchTable[];
  /** How the query's words look in a text, for marking them; undefined without words. */
  readonly highlight: RegExp | undefined;
}

/** The text leaves that an entry must have one of; undefined when it need not have any. */
export function coverOf(node: PlanNode): readonly TextLeaf[] | undefined {
  switch (node.kind) {
    case 'text':
      return [node];
    case 'and': {
      const covers = node.children.map(coverOf).filter((cover) => cover !== undefined);
      return covers.sort((a, b) => a.length - b.length)[0];
    }
    case 'or': {
      const covers = node.children.map(coverOf);
      return covers.every((cover) => cover !== undefined) ? covers.flat() : undefined;
    }
    default:
      return undefined;
  }
}

/** The text leaves outside of negations: by these hits are ranked. */
export function positiveLeaves(node: PlanNode): readonly TextLeaf[] {
  switch (node.kind) {
    case 'text':
      return [node];
    case 'and':
    case 'or':
      return node.children.flatMap(positiveLeaves);
    default:
      return [];
  }
}

/** The positive words as one FTS5 expression with the query's own AND and OR; undefined when there are none. */
export function rankingExpression(node: PlanNode): string | undefined {
  switch (node.kind) {
    case 'text':
      return node.match;
    case 'and':
    case 'or': {
      const parts = node.children.map(rankingExpression).filter((part) => part !== undefined);
      const operator = node.kind === 'and' ? ' AND ' : ' OR ';
      return parts.length > 0 ? `(${parts.join(operator)})` : undefined;
    }
    default:
      return undefined;
  }
}
