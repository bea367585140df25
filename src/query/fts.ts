import type { TextNode } from './ast.js';
import { toSearchText } from './terms.js';

/** A text as an FTS5 expression: a quoted string, which FTS5 takes apart into a phrase as it did the text itself. */
export function ftsExpression({ form, text }: TextNode): string {
  const quoted = `"${toSearchText(text).replaceAll('\0', ' ').replaceAll('"', '""')}"`;
  return form === 'prefix' ? `${quoted} *` : quoted;
}
