import { type Answers, INDEX_ANSWERS, WHOLE_LANGUAGE } from './answers.js';
import type { ParsedIndexQuery, ParsedQuery, QueryNode, QueryProblem, QueryTree } from './ast.js';
import { lex } from './lex.js';
import { Parser } from './parser.js';
import { Refusal } from './refusal.js';
import { simplify } from './simplify.js';
import { hasPositive } from './tree-queries.js';
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
