/** The syntax tree of the search language. Positions are UTF-16 units of the query's text: start, end (exclusive). */

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A word with its punctuation, an exact phrase, or the beginning of a word or phrase. */
export interface TextNode extends Span {
  readonly kind: 'text';
  readonly form: 'word' | 'phrase' | 'prefix';
  readonly text: string;
}

export type FilterName =
  | 'role'
  | 'type'
  | 'in'
  | 'project'
  | 'model'
  | 'provider'
  | 'tool'
  | 'session'
  | 'label'
  | 'title'
  | 'after'
  | 'before'
  | 'on'
  | 'is'
  | 'has';

/** Moments from `fromMs` up to, not including, `toMs`, in Unix ms. */
export interface Interval {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface FilterNode extends Span {
  readonly kind: 'filter';
  readonly name: FilterName;
  /** Any of them; as written, without quotes. */
  readonly values: readonly string[];
  /** Of `after`, `before` and `on`: what each value means. */
  readonly intervals: readonly Interval[];
}

export type QueryNode =
  | TextNode
  | FilterNode
  | { readonly kind: 'and' | 'or'; readonly children: readonly QueryNode[] }
  | { readonly kind: 'not'; readonly child: QueryNode };

/** Why a query cannot be understood, where, and what would work. */
export interface QueryProblem extends Span {
  readonly message: string;
  readonly hint: string;
}

export type ParsedQuery =
  | { readonly ok: true; readonly root: QueryNode }
  | { readonly ok: false; readonly problem: QueryProblem };
