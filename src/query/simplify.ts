import type { Filter, QueryTree } from './ast.js';
import { printQuery } from './print.js';

/** The same question with fewer nodes: nothing nested in its like, nothing denied twice, nothing said twice. */
export function simplify(node: QueryTree): QueryTree {
  switch (node.kind) {
    case 'text':
    case 'filter':
      return node;
    case 'not': {
      const child = simplify(node.child);
      return child.kind === 'not' ? child.child : { kind: 'not', child };
    }
    case 'and':
    case 'or': {
      const flat = flatten(node.kind, node.children.map(simplify));
      const children = distinct(node.kind === 'or' ? mergeFilters(flat) : flat);
      return children.length === 1 ? (children[0] as QueryTree) : { kind: node.kind, children };
    }
  }
}

function flatten(kind: 'and' | 'or', children: readonly QueryTree[]): QueryTree[] {
  return children.flatMap((child) => (child.kind === kind ? child.children : [child]));
}

function distinct(children: readonly QueryTree[]): QueryTree[] {
  const seen = new Map<string, QueryTree>();
  for (const child of children) {
    const text = printQuery(child);
    if (!seen.has(text)) seen.set(text, child);
  }
  return [...seen.values()];
}

/** `role:user OR role:assistant` is `role:user,assistant`, where the first stood. */
function mergeFilters(children: readonly QueryTree[]): QueryTree[] {
  const merged: QueryTree[] = [];
  const places = new Map<string, number>();
  for (const child of children) {
    const place = child.kind === 'filter' ? places.get(child.name) : undefined;
    if (child.kind === 'filter' && place !== undefined) {
      merged[place] = union(merged[place] as Filter, child);
      continue;
    }
    if (child.kind === 'filter') places.set(child.name, merged.length);
    merged.push(child);
  }
  return merged;
}

function union(a: Filter, b: Filter): Filter {
  return {
    ...a,
    values: [...a.values, ...b.values],
    intervals: [...a.intervals, ...b.intervals],
    end: Math.max(a.end, b.end),
  };
}
