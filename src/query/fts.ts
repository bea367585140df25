import type { QueryTree, Text } from './ast.js';
import { toMatchTerms } from './terms.js';

/** A text as an FTS5 expression: a phrase of its terms. Without terms it finds nothing. */
export function ftsExpression({ form, text }: Text<'word' | 'phrase' | 'prefix'>): string {
  const quoted = `"${toMatchTerms(text).join(' ')}"`;
  return form === 'prefix' ? `${quoted} *` : quoted;
}

/** Of FTS5's parser, whose stack has 100 places; a level of parentheses takes up to four. */
const MAX_LEVELS = 20;

/**
 * A tree as one FTS5 expression, for one table that holds all text. Null where FTS5 cannot say it: filters, regular
 * expressions, parts of words, texts without letters and digits, what only says what must not be there, and nesting that
 * its parser would refuse.
 */
export function toFtsExpression(node: QueryTree): string | null {
  return expressionOf(node, 0);
}

function expressionOf(node: QueryTree, level: number): string | null {
  if (level > MAX_LEVELS) return null;
  switch (node.kind) {
    case 'text':
      return phraseOf(node);
    case 'or':
      return joined(node.children, ' OR ', level);
    case 'and':
      return conjunction(node.children, level);
    case 'filter':
    case 'not':
      return null;
  }
}

function phraseOf({ form, text, start, end }: Text): string | null {
  if (form === 'regex' || form === 'substring' || toMatchTerms(text).length === 0) return null;
  return ftsExpression({ kind: 'text', form, text, start, end });
}

/** FTS5's NOT stands between two operands: all that must be there, and any of what must not. */
function conjunction(children: readonly QueryTree[], level: number): string | null {
  const wanted = joined(
    children.filter(({ kind }) => kind !== 'not'),
    ' AND ',
    level,
  );
  const denied = children.flatMap((child) => (child.kind === 'not' ? [child.child] : []));
  if (denied.length === 0 || wanted === null) return wanted;
  const unwanted = joined(denied, ' OR ', level);
  return unwanted === null ? null : `(${wanted}) NOT (${unwanted})`;
}

function joined(children: readonly QueryTree[], operator: string, level: number): string | null {
  const parts: string[] = [];
  for (const child of children) {
    const part = expressionOf(child, level + 1);
    if (part === null) return null;
    parts.push(child.kind === 'text' ? part : `(${part})`);
  }
  return parts.length === 0 ? null : parts.join(operator);
}
