import { type Answers, INDEX_ANSWERS, WHOLE_LANGUAGE } from './answers.js';
import type {
  ParsedIndexQuery,
  ParsedQuery,
  QueryNode,
  QueryProblem,
  QueryTree,
  Span,
  Text,
  TextForm,
} from './ast.js';
import type { Clock } from './dates.js';
import { lex, type Token } from './lex.js';
import { quote } from './quoted.js';
import { readFilter } from './read-filter.js';
import { Refusal, unclosedQuote } from './refusal.js';
import { simplify } from './simplify.js';
import { toMatchTerms } from './terms.js';
import { hasPositive } from './tree-queries.js';
import { isOneWord, readWord } from './words.js';
import { Zone } from './zone.js';

/** What a query's meaning depends on besides its text. */
export interface QueryContext {
  readonly now: Date;
  /** An IANA name; dates are of the local zone when absent. */
  readonly timeZone?: string;
  /** What can be answered; the whole language when absent. */
  readonly answers?: Answers;
}

/**
 * Understands a query, or says where and why not and what would work. Never throws, whatever the text.
 *
 * Given a number, Unix ms of now, it takes what the full-text index answers, in local time.
 *
 * @throws TypeError for a context that makes no sense: an invalid `now`, an unknown `timeZone`
 */
export function parseQuery(text: string, nowMs: number): ParsedIndexQuery;
export function parseQuery(text: string, context: QueryContext): ParsedQuery;
export function parseQuery(text: string, context: QueryContext | number): ParsedIndexQuery | ParsedQuery {
  if (typeof context !== 'number') {
    const parsed = parse(text, context);
    if (!('root' in parsed)) return parsed;
    return { ok: true, query: { root: parsed.root, hasPositive: hasPositive(parsed.root) } };
  }
  const parsed = parse(text, { now: new Date(context), answers: INDEX_ANSWERS });
  // INDEX_ANSWERS lets nothing else through: its type demands the forms and filters of QueryNode.
  return 'root' in parsed ? { ok: true, root: parsed.root as QueryNode } : parsed;
}

type Parsed = { readonly root: QueryTree } | { readonly ok: false; readonly problem: QueryProblem };

function parse(text: string, { now, timeZone, answers = WHOLE_LANGUAGE }: QueryContext): Parsed {
  const nowMs = now.getTime();
  if (Number.isNaN(nowMs)) throw new TypeError('now is no valid date');
  let zone = timeZone === undefined ? undefined : new Zone(timeZone);
  const clock = () => {
    zone ??= new Zone();
    return { nowMs, zone };
  };
  try {
    return { root: simplify(new Parser(lex(text), answers, clock).parse()) };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, problem: error.problem };
    throw error;
  }
}

/** Deeper nesting is no query that a person wrote, and would overflow the stack. */
const MAX_DEPTH = 100;

class Parser {
  readonly #tokens: readonly Token[];
  readonly #answers: Answers;
  readonly #clock: () => Clock;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], answers: Answers, clock: () => Clock) {
    this.#tokens = tokens;
    this.#answers = answers;
    this.#clock = clock;
  }

  parse(): QueryTree {
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

  #or(): QueryTree {
    const children = [this.#and()];
    while (this.#isOperator('OR')) {
      this.#at += 1;
      children.push(this.#and());
    }
    return children.length === 1 ? (children[0] as QueryTree) : { kind: 'or', children };
  }

  #and(): QueryTree {
    const children: QueryTree[] = [];
    for (let token = this.#peek(); token && token.kind !== 'close'; token = this.#peek()) {
      if (children.length > 0 && this.#isOperator('OR')) break;
      if (children.length > 0 && this.#isOperator('AND')) this.#at += 1;
      children.push(this.#unary());
    }
    return children.length === 1 ? (children[0] as QueryTree) : { kind: 'and', children };
  }

  #unary(): QueryTree {
    const token = this.#peek() as Token;
    if (token.kind !== 'not' && !this.#isOperator('NOT')) return this.#primary();
    this.#at += 1;
    this.#deeper(token);
    const child = this.#unary();
    this.#depth -= 1;
    return { kind: 'not', child };
  }

  #primary(): QueryTree {
    const token = this.#peek() as Token;
    this.#at += 1;
    switch (token.kind) {
      case 'open':
        return this.#group(token);
      case 'quoted':
        if (!token.isClosed) throw unclosedQuote(token.start);
        return this.#text(token.form, token.text, token);
      case 'regex':
        return this.#regex(token);
      case 'word':
        return this.#word(token.text, token);
      case 'operator':
        return this.#text('phrase', token.name, token);
      case 'not':
      case 'close':
        return this.#text('phrase', '', token); // lex gives these only where they were handled before
    }
  }

  #group(open: Span): QueryTree {
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

  #word(word: string, span: Span): QueryTree {
    const { start, end } = span;
    const reading = readWord(word);
    switch (reading.kind) {
      case 'filter':
        return readFilter(
          { name: reading.name, word, valueAt: reading.valueAt, start, end },
          this.#answers,
          this.#clock,
        );
      case 'near-filter':
        throw new Refusal(
          span,
          `there is no filter "${reading.written.toLowerCase()}:"`,
          `Did you mean ${reading.name}:${word.slice(reading.valueAt)}? To search for the text, quote it: ${quote(word)}.`,
        );
      case 'suffix':
        throw new Refusal(
          span,
          'words cannot be searched for by their end',
          this.#answers.forms.includes('substring')
            ? `Search for it anywhere: *${reading.text}*. To search for the text, quote it: ${quote(word)}.`
            : `Search for a beginning: ${reading.text}*. To search for the text, quote it: ${quote(word)}.`,
        );
      case 'text':
        // So that a word is one wherever it is printed.
        return this.#text(
          reading.form === 'word' && !isOneWord(word) ? 'phrase' : reading.form,
          reading.text,
          span,
        );
    }
  }

  #regex(token: Token & { kind: 'regex' }): Text {
    const { source, start, end } = token;
    this.#mustAnswer('regex', source, token);
    const flags = token.flags === '' ? 'i' : [...token.flags].toSorted().join('');
    try {
      new RegExp(source, flags);
    } catch (error) {
      const reason = error instanceof Error ? error.message.replace(/^.*: /s, '') : String(error);
      throw new Refusal(
        token,
        `this is no regular expression: ${reason}`,
        `Mend it, or, to search for the text, quote it: ${quote(`/${source}/${token.flags}`)}.`,
      );
    }
    return { kind: 'text', form: 'regex', text: source, flags, start, end };
  }

  #text(form: TextForm, text: string, { start, end }: Span): Text {
    const span = { start, end };
    this.#mustAnswer(form, text, span);
    const isWordless = form !== 'substring' && toMatchTerms(text).length === 0;
    if (isWordless && !this.#answers.wordless) {
      throw new Refusal(
        span,
        'there is no letter or digit in this to search for',
        'Leave it out, or add a word.',
      );
    }
    return { kind: 'text', form, text, start, end };
  }

  #mustAnswer(form: TextForm, text: string, span: Span): void {
    if (this.#answers.forms.includes(form)) return;
    const what = form === 'regex' ? 'regular expressions' : 'parts of words';
    throw new Refusal(
      span,
      `${what} cannot be searched for`,
      `Search for its words: ${toMatchTerms(text).join(' ') || 'a word'}.`,
    );
  }
}
