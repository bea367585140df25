import type { Span } from './ast.js';

export type Token =
  | ({ readonly kind: 'open' | 'close' | 'not' } & Span)
  | ({ readonly kind: 'operator'; readonly name: 'AND' | 'OR' | 'NOT' } & Span)
  | ({ readonly kind: 'phrase'; readonly text: string; readonly isClosed: boolean } & Span)
  | ({ readonly kind: 'word'; readonly text: string } & Span);

const SPACE = /\s/u;

/**
 * Cuts a query into tokens. Parentheses group only where a word could start or end; within a word, as in `foo()`, they
 * belong to it. A minus negates only before something; `--force` is a word.
 */
export function lex(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let depth = 0;
  while (at < text.length) {
    const character = text[at] as string;
    if (SPACE.test(character)) at += 1;
    else if (character === '(') {
      tokens.push({ kind: 'open', start: at, end: at + 1 });
      depth += 1;
      at += 1;
    } else if (character === ')' && depth > 0) {
      tokens.push({ kind: 'close', start: at, end: at + 1 });
      depth -= 1;
      at += 1;
    } else if (isNegation(text, at)) {
      tokens.push({ kind: 'not', start: at, end: at + 1 });
      at += 1;
    } else {
      const token = character === '"' ? phraseAt(text, at) : wordAt(text, at, depth);
      tokens.push(token);
      at = token.end;
    }
  }
  return tokens;
}

/** What a minus can negate; before anything else it is part of a word, as in `->` or `--force`. */
const NEGATABLE = /["(\p{L}\p{N}_./@#*]/u;

function isNegation(text: string, at: number): boolean {
  return text[at] === '-' && NEGATABLE.test(text[at + 1] ?? '');
}

function phraseAt(text: string, start: number): Token {
  const close = text.indexOf('"', start + 1);
  const end = close < 0 ? text.length : close + 1;
  const content = text.slice(start + 1, close < 0 ? text.length : close);
  return { kind: 'phrase', text: content, isClosed: close >= 0, start, end };
}

function wordAt(text: string, start: number, depth: number): Token {
  let own = 0;
  let at = start;
  for (; at < text.length; at += 1) {
    const character = text[at] as string;
    if (SPACE.test(character)) break;
    if (character === '(') own += 1;
    else if (character === ')') {
      if (own === 0 && depth > 0) break;
      own = Math.max(0, own - 1);
    } else if (character === '"' && text[at - 1] === ':' && at > start) {
      const close = text.indexOf('"', at + 1);
      at = close < 0 ? text.length - 1 : close;
    }
  }
  const word = text.slice(start, at);
  if (word === 'AND' || word === 'OR' || word === 'NOT')
    return { kind: 'operator', name: word, start, end: at };
  return { kind: 'word', text: word, start, end: at };
}
