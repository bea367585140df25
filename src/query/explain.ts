import type { QueryProblem } from './ast.js';

/** UTF-16 units of a query that are shown on each side of the problem. */
const CONTEXT_CHARS = 60;
const MAX_MARK_CHARS = 60;

/** The query in one line with the place of its problem marked beneath it, and what would work. */
export function explain(text: string, { start, end, hint }: QueryProblem): string {
  const markEnd = Math.min(end, start + MAX_MARK_CHARS);
  const from = start > CONTEXT_CHARS ? start - CONTEXT_CHARS : 0;
  const to = Math.min(text.length, markEnd + CONTEXT_CHARS);
  const before = `${from > 0 ? '…' : ''}${visible(text.slice(from, start))}`;
  const marked = visible(text.slice(start, markEnd));
  const after = `${visible(text.slice(markEnd, to))}${to < text.length ? '…' : ''}`;
  return `  ${before}${marked}${after}\n  ${blanks(before)}${'^'.repeat(Math.max(1, blanks(marked).length))}\n${hint}`;
}

/** Every blank a space, nothing that a terminal would obey or that turns the direction of writing. */
function visible(text: string): string {
  return text.replace(/\s/gu, ' ').replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]|\p{Cs}/gu, '\ufffd');
}

/** Characters as wide as two; those of two UTF-16 units count as two anyway. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/g;
const NO_WIDTH = /[\p{Mn}\p{Me}\u200b-\u200d]/gu;

/** Spaces that take as much room on a terminal as a text. */
function blanks(text: string): string {
  return text.replace(NO_WIDTH, '').replace(WIDE, '  ').replace(/[^ ]/g, ' ');
}
