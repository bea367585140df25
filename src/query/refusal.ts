import type { QueryProblem, Span } from './ast.js';

/** Ends parsing from any depth; `parseQuery` turns it into its answer. */
export class Refusal extends Error {
  readonly problem: QueryProblem;

  constructor({ start, end }: Span, message: string, hint: string) {
    super(message);
    this.problem = { start, end, message, hint };
  }
}

export function unclosedQuote(at: number): Refusal {
  return new Refusal(
    { start: at, end: at + 1 },
    'this quotation mark is never closed',
    'Close it with ", or leave it out.',
  );
}
