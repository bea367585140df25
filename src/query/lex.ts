import type { Span } from './ast.js';
import { quotedAt } from './quoted.js';

export type Token =
  | ({ readonly kind: 'open' | 'close' | 'not' } & Span)
  | ({ readonly kind: 'operator'; readonly name: 'AND' | 'OR' | 'NOT' } & Span)
  | ({
      readonly kind: 'quoted';
      readonly form: 'phrase' | 'prefix' | 'substring';
      readonly text: string;
      readonly isClosed: boolean;
    } & Span)
  | ({ readonly kind: 'regex'; readonly source: string; readonly flags: string } & Span)
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
    if (SPACE.test(character)) {
      at += 1;
      continue;
    }
    const token = tokenAt(text, at, depth);
    if (token.kind === 'open') depth += 1;
    if (token.kind === 'close') depth -= 1;
    tokens.push(token);
    at = token.end;
  }
  return tokens;
}

function tokenAt(text: string, at: number, depth: number): Token {
  const character = text[at];
  if (character === '(') return { kind: 'open', start: at, end: at + 1 };
  if (character === ')' && depth > 0) return { kind: 'close', start: at, end: at + 1 };
  if (character === '-' && isNegatable(text.slice(at + 1, at + 3)))
    return { kind: 'not', start: at, end: at + 1 };
  return quotedTokenAt(text, at, depth) ?? regexAt(text, at, depth) ?? wordAt(text, at, depth);
}

/** What a minus can negate; before anything else it is part of a word, as in `->` or `--force`. */
export function isNegatable(text: string): boolean {
  return /^["(\p{L}\p{N}_./@#*]/u.test(text);
}

/** Whether a word ends before `at`. */
function isEnd(text: string, at: number, depth: number): boolean {
  const character = text[at];
  return character === undefined || SPACE.test(character) || (character === ')' && depth > 0);
}

/** `"phrase"`, `"beginning of a phrase"*`, `*"part of a phrase"*`. */
function quotedTokenAt(text: string, start: number, depth: number): Token | undefined {
  const isPart = text.startsWith('*"', start);
  if (!isPart && text[start] !== '"') return undefined;
  const { text: content, end, isClosed } = quotedAt(text, isPart ? start + 1 : start);
  const isStarred = text[end] === '*' && isEnd(text, end + 1, depth);
  if (isPart && !(isClosed && isStarred)) return undefined;
  const form = isPart ? 'substring' : isStarred ? 'prefix' : 'phrase';
  return { kind: 'quoted', form, text: content, isClosed, start, end: isStarred ? end + 1 : end };
}

/** A slash, anything up to the next slash that is neither escaped nor in brackets, and flags. */
const REGEX = /\/((?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])+)\/([a-z]*)/suy;

/** Where a slash follows within the word, as in `/usr/local/`, it is a path. */
function regexAt(text: string, start: number, depth: number): Token | undefined {
  REGEX.lastIndex = start;
  const match = text[start] === '/' ? REGEX.exec(text) : null;
  if (!match || !isEnd(text, REGEX.lastIndex, depth)) return undefined;
  const [, source = '', flags = ''] = match;
  if (!/^[imsu]*$/.test(flags)) return undefined;
  return { kind: 'regex', source, flags, start, end: start + match[0].length };
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
    } else if (character === '"' && isValueStart(text, start, at)) {
      const { end, isClosed } = quotedAt(text, at);
      if (isClosed) at = end - 1;
    }
  }
  const word = text.slice(start, at);
  if (word === 'AND' || word === 'OR' || word === 'NOT')
    return { kind: 'operator', name: word, start, end: at };
  return { kind: 'word', text: word, start, end: at };
}

/** Whether a filter's value may start here: after the colon, or after a comma behind it. */
function isValueStart(text: string, start: number, at: number): boolean {
  if (at === start) return false;
  return text[at - 1] === ':' || (text[at - 1] === ',' && /^[a-z]+:/i.test(text.slice(start, at)));
}
