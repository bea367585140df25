/** The syntax tree of the search language. Positions are UTF-16 units of the query's text: start, end (exclusive). */

export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * How a text is looked for: a word with its punctuation, an exact phrase, the beginning of a word or phrase, a run of
 * characters anywhere, a regular expression.
 */
export type TextForm = 'word' | 'phrase' | 'prefix' | 'substring' | 'regex';

export interface Text<Form extends TextForm = TextForm> extends Span {
  readonly kind: 'text';
  readonly form: Form;
  /** Without quotes, stars and slashes. */
  readonly text: string;
  /** Of a regular expression alone: JavaScript's flags. */
  readonly flags?: string;
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
  | 'file'
  | 'after'
  | 'before'
  | 'on'
  | 'is'
  | 'has';

/** Moments from `fromMs` up to, not including, `toMs`, in Unix ms; a single moment has both the same. */
export interface Interval {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Filter<Name extends FilterName = FilterName> extends Span {
  readonly kind: 'filter';
  readonly name: Name;
  /** Any of them; as written, without quotes. Those of a fixed list are in the list's spelling. */
  readonly values: readonly string[];
  /** Of `after`, `before` and `on`: what each value means. */
  readonly intervals: readonly Interval[];
}

export interface And<Leaf> {
  readonly kind: 'and';
  readonly children: readonly Tree<Leaf>[];
}

export interface Or<Leaf> {
  readonly kind: 'or';
  readonly children: readonly Tree<Leaf>[];
}

export interface Not<Leaf> {
  readonly kind: 'not';
  readonly child: Tree<Leaf>;
}

/** An `and` of nothing is the query that asks for nothing in particular. */
export type Tree<Leaf> = Leaf | And<Leaf> | Or<Leaf> | Not<Leaf>;

/** A tree of the whole language. */
export type QueryTree = Tree<Text | Filter>;

/** What the full-text index can look for and the filters that it knows: a part of the language. */
export type TextNode = Text<'word' | 'phrase' | 'prefix'>;
export type FilterNode = Filter<Exclude<FilterName, 'file'>>;
export type QueryNode = Tree<TextNode | FilterNode>;

export interface Query {
  /** Simplified. */
  readonly root: QueryTree;
  /**
   * Whether each way to satisfy the query holds a text that must be there. If not (`-foo`, `role:user`, nothing), a
   * full-text index alone has no place to start.
   */
  readonly hasPositive: boolean;
}

/** Why a query cannot be understood, where, and what would work. */
export interface QueryProblem extends Span {
  readonly message: string;
  readonly hint: string;
}

export type ParsedQuery =
  | { readonly ok: true; readonly query: Query }
  | { readonly ok: false; readonly problem: QueryProblem };

export type ParsedIndexQuery =
  | { readonly ok: true; readonly root: QueryNode }
  | { readonly ok: false; readonly problem: QueryProblem };
