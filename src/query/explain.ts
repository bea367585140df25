import type { QueryProblem } from './ast.js';

/** The query with the place of its problem marked beneath it, and what would work. */
export function explain(text: string, { start, end, hint }: QueryProblem): string {
  const line = text.replace(/\s/gu, ' ');
  const mark = `${' '.repeat(start)}${'^'.repeat(Math.max(1, end - start))}`;
  return `  ${line}\n  ${mark}\n${hint}`;
}
