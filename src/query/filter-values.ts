import type { Span } from './ast.js';
import { quotedAt } from './quoted.js';
import { unclosedQuote } from './refusal.js';

/** One of a filter's values. Positions are those of the query. */
export interface FilterValue extends Span {
  readonly text: string;
  readonly isQuoted: boolean;
}

/** The values behind a filter's colon, without empty ones. */
export function valuesIn(word: string, from: number, wordStart: number): FilterValue[] {
  const values: FilterValue[] = [];
  let at = from;
  while (at < word.length) {
    const value = valueAt(word, at, wordStart);
    if (value.text !== '') values.push(value);
    at = value.end - wordStart + 1;
  }
  return values;
}

function valueAt(word: string, at: number, wordStart: number): FilterValue {
  const quoted = word[at] === '"' ? quotedAt(word, at) : undefined;
  if (quoted && !quoted.isClosed) throw unclosedQuote(wordStart + at);
  const restAt = quoted?.end ?? at;
  const comma = word.indexOf(',', restAt);
  const end = comma < 0 ? word.length : comma;
  return {
    text: (quoted?.text ?? '') + word.slice(restAt, end),
    isQuoted: quoted !== undefined,
    start: wordStart + at,
    end: wordStart + end,
  };
}
