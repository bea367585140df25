import type { Filter, QueryTree, Text } from './ast.js';
import { toMatchTerms } from './terms.js';

/** Tells of each leaf whether it holds. */
export interface LeafPredicates {
  text(leaf: Text): boolean;
  filter(leaf: Filter): boolean;
}

/** Whether a query holds of something, given whether each of its leaves does. Asks no more leaves than it needs. */
export function matches(node: QueryTree, predicates: LeafPredicates): boolean {
  switch (node.kind) {
    case 'text':
      return predicates.text(node);
    case 'filter':
      return predicates.filter(node);
    case 'not':
      return !matches(node.child, predicates);
    case 'and':
      return node.children.every((child) => matches(child, predicates));
    case 'or':
      return node.children.some((child) => matches(child, predicates));
  }
}

export interface TextLeaf {
  readonly leaf: Text;
  /** Under an odd number of negations: its presence speaks against. */
  readonly isNegated: boolean;
}

/** Every text of a query, in the order in which they are written. */
export function textLeaves(node: QueryTree, isNegated = false): readonly TextLeaf[] {
  switch (node.kind) {
    case 'text':
      return [{ leaf: node, isNegated }];
    case 'filter':
      return [];
    case 'not':
      return textLeaves(node.child, !isNegated);
    case 'and':
    case 'or':
      return node.children.flatMap((child) => textLeaves(child, isNegated));
  }
}

/** Whether each way to satisfy a query holds a text that must be there. */
export function hasPositive(node: QueryTree, isNegated = false): boolean {
  switch (node.kind) {
    case 'text':
      return !isNegated;
    case 'filter':
      return false;
    case 'not':
      return hasPositive(node.child, !isNegated);
    case 'and':
    case 'or': {
      const children = node.children.map((child) => hasPositive(child, isNegated));
      // Denied, an `and` is an `or` of denials.
      return (node.kind === 'and') !== isNegated ? children.includes(true) : !children.includes(false);
    }
  }
}

/** Whether a text has no letter or digit, so that no full-text index finds it. */
export function isWordless({ form, text }: Text): boolean {
  return form !== 'regex' && toMatchTerms(text).length === 0;
}
