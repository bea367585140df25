import type { Answers } from './answers.js';
import type { QueryTree, Span } from './ast.js';
import type { Clock } from './dates.js';
import type { Token } from './lex.js';
import { readFilter } from './read-filter.js';
import { readRegex, readText, readTextWord } from './read-text.js';
import { Refusal, unclosedQuote } from './refusal.js';
import { readWord } from './words.js';

/** Deeper nesting is no query that a person wrote, and would overflow the stack. */
const MAX_DEPTH = 100;

/** Tokens to a tree: OR binds least, then AND, then NOT. */
export class Parser {
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
        return readText(token.form, token.text, token, this.#answers);
      case 'regex':
        return readRegex(token, this.#answers);
      case 'word':
        return this.#word(token.text, token);
      case 'operator':
        return readText('phrase', token.name, token, this.#answers);
      case 'not':
      case 'close':
        return readText('phrase', '', token, this.#answers); // lex gives these only where they were handled before
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

  #word(word: string, { start, end }: Span): QueryTree {
    const reading = readWord(word);
    if (reading.kind !== 'filter') return readTextWord(word, reading, { start, end }, this.#answers);
    const { name, valueAt } = reading;
    return readFilter({ name, word, valueAt, start, end }, this.#answers, this.#clock);
  }
}
