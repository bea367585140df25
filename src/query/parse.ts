import type { FilterName, FilterNode, Interval, ParsedQuery, QueryNode, QueryProblem, Span } from './ast.js';
import { parseDate } from './dates.js';
import { FILTER_NAMES, FILTERS, isFilterName, nearestFilter } from './filters.js';
import { lex, type Token } from './lex.js';
import { termsOf } from './terms.js';

/**
 * Understands a query, or says where and why not and what would work. Never throws, whatever the text.
 *
 * @param nowMs Unix ms, for relative dates
 */
export function parseQuery(text: string, nowMs: number): ParsedQuery {
  try {
    return { ok: true, root: new Parser(lex(text), nowMs).parse() };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, problem: error.problem };
    throw error;
  }
}

/** Ends parsing from any depth; never leaves this module. */
class Refusal extends Error {
  readonly problem: QueryProblem;

  constructor({ start, end }: Span, message: string, hint: string) {
    super(message);
    this.problem = { start, end, message, hint };
  }
}

/** Deeper nesting is no query that a person wrote, and would overflow the stack. */
const MAX_DEPTH = 100;

class Parser {
  readonly #tokens: readonly Token[];
  readonly #nowMs: number;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], nowMs: number) {
    this.#tokens = tokens;
    this.#nowMs = nowMs;
  }

  parse(): QueryNode {
    return this.#or();
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#at];
  }

  /** An operator counts as one only between two operands; elsewhere it is a word. */
  #isOperator(name: 'AND' | 'OR' | 'NOT'): boolean {
    const token = this.#peek();
    if (token?.kind !== 'operator' || token.name !== name) return false;
    const next = this.#tokens[this.#at + 1];
    return next !== undefined && next.kind !== 'close';
  }

  #or(): QueryNode {
    const children = [this.#and()];
    while (this.#isOperator('OR')) {
      this.#at += 1;
      children.push(this.#and());
    }
    return children.length === 1 ? (children[0] as QueryNode) : { kind: 'or', children };
  }

  #and(): QueryNode {
    const children: QueryNode[] = [];
    for (let token = this.#peek(); token && token.kind !== 'close'; token = this.#peek()) {
      if (children.length > 0 && this.#isOperator('OR')) break;
      if (children.length > 0 && this.#isOperator('AND')) this.#at += 1;
      children.push(this.#unary());
    }
    return children.length === 1 ? (children[0] as QueryNode) : { kind: 'and', children };
  }

  #unary(): QueryNode {
    const token = this.#peek() as Token;
    if (token.kind !== 'not' && !this.#isOperator('NOT')) return this.#primary();
    this.#at += 1;
    this.#deeper(token);
    const child = this.#unary();
    this.#depth -= 1;
    return { kind: 'not', child };
  }

  #primary(): QueryNode {
    const token = this.#peek() as Token;
    this.#at += 1;
    switch (token.kind) {
      case 'open':
        return this.#group(token);
      case 'phrase':
        return phraseOf(token);
      case 'word':
        return this.#word(token.text, { start: token.start, end: token.end });
      case 'operator':
        return textOf('word', token.name, token);
      case 'not':
      case 'close':
        return textOf('word', '', token); // lex gives these only where they were handled before
    }
  }

  #group(open: Span): QueryNode {
    this.#deeper(open);
    const inner = this.#or();
    this.#depth -= 1;
    if (this.#peek()?.kind !== 'close') {
      throw new Refusal(open, 'this parenthesis is never closed', 'Close it with ")", or leave it out.');
    }
    this.#at += 1;
    if (inner.kind === 'and' && inner.children.length === 0) {
      throw new Refusal(
        open,
        'there is nothing in these parentheses',
        'Leave them out, or put words between them.',
      );
    }
    return inner;
  }

  #deeper(at: Span): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new Refusal(at, 'this is nested too deeply', 'Use fewer parentheses.');
  }

  #word(text: string, span: Span): QueryNode {
    const colon = text.indexOf(':');
    if (colon > 0) {
      const name = text.slice(0, colon).toLowerCase();
      if (isFilterName(name)) return this.#filter(name, text.slice(colon + 1), span, colon + 1);
      const near = nearestFilter(name);
      if (near) {
        const meant = `${near}:${text.slice(colon + 1)}`;
        throw new Refusal(
          span,
          `there is no filter "${name}:"`,
          `Did you mean ${meant}? To search for the text, quote it: "${text}".`,
        );
      }
    }
    if (text.length > 2 && text.startsWith('/') && text.endsWith('/') && !text.slice(1, -1).includes('/')) {
      throw new Refusal(
        span,
        'regular expressions cannot be searched for',
        `Search for its words: ${wordsOf(text)}.`,
      );
    }
    if (text.startsWith('*')) {
      throw new Refusal(
        span,
        'words cannot be searched for by their end',
        `Search for a beginning: ${text.replace(/^\*+/, '').replace(/\*+$/, '')}*.`,
      );
    }
    if (text.endsWith('*')) return textOf('prefix', text.replace(/\*+$/, ''), span);
    return textOf('word', text, span);
  }

  #filter(name: FilterName, written: string, span: Span, offset: number): FilterNode {
    const values = valuesOf(written);
    const valueSpan = { start: span.start + offset, end: span.end };
    if (values.length === 0) {
      throw new Refusal(span, `${name}: needs a value`, `For example ${name}:${exampleOf(name)}`);
    }
    const allowed = FILTERS[name];
    if (allowed === 'text') return { kind: 'filter', name, values, intervals: [], ...span };
    if (allowed === 'date') {
      return {
        kind: 'filter',
        name,
        values,
        intervals: values.map((value) => this.#date(value, valueSpan)),
        ...span,
      };
    }
    const wrong = values.find((value) => !allowed.includes(value.toLowerCase()));
    if (wrong !== undefined) {
      throw new Refusal(valueSpan, `${name}: does not know "${wrong}"`, `It takes ${allowed.join(', ')}.`);
    }
    return {
      kind: 'filter',
      name,
      values: values.map((value) => value.toLowerCase()),
      intervals: [],
      ...span,
    };
  }

  #date(value: string, span: Span): Interval {
    const interval = parseDate(value, this.#nowMs);
    if (interval) return interval;
    throw new Refusal(
      span,
      `"${value}" is no date`,
      'Give a date such as 2026-02-16, 2026-02, 7d, 2w, yesterday or monday.',
    );
  }
}

function valuesOf(written: string): string[] {
  if (written.startsWith('"')) return [written.slice(1).replace(/"$/, '')].filter((value) => value !== '');
  return written.split(',').filter((value) => value !== '');
}

function exampleOf(name: FilterName): string {
  const values = FILTERS[name];
  if (values === 'date') return 'yesterday';
  if (values !== 'text') return values[0] as string;
  return name === 'role' ? 'user' : name === 'type' ? 'compaction' : 'name';
}

function wordsOf(text: string): string {
  return termsOf(text).join(' ') || 'a word';
}

function phraseOf(token: Token & { kind: 'phrase' }): QueryNode {
  if (token.isClosed) return textOf('phrase', token.text, token);
  throw new Refusal(
    { start: token.start, end: token.start + 1 },
    'this quotation mark is never closed',
    'Close it with ", or leave it out.',
  );
}

function textOf(form: 'word' | 'phrase' | 'prefix', text: string, { start, end }: Span): QueryNode {
  if (termsOf(text).length === 0) {
    throw new Refusal(
      { start, end },
      'there is no letter or digit in this to search for',
      'Leave it out, or add a word.',
    );
  }
  return { kind: 'text', form, text, start, end };
}

/** Every filter, for messages. */
export const KNOWN_FILTERS = FILTER_NAMES.map((name) => `${name}:`).join(' ');
