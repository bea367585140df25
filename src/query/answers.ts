import type { FilterNode, TextForm, TextNode } from './ast.js';
import { FILTERS, type FilterTable } from './filters.js';

/** Which part of the language whoever asks can answer; the rest is refused with its place and a way round. */
export interface Answers {
  readonly forms: readonly TextForm[];
  /** Whether a text without any letter or digit may be asked for. */
  readonly wordless: boolean;
  readonly filters: FilterTable;
}

export const WHOLE_LANGUAGE: Answers = {
  forms: ['word', 'phrase', 'prefix', 'substring', 'regex'],
  wordless: true,
  filters: FILTERS,
};

const { file: _, ...indexFilters } = FILTERS;

/** What `QueryNode` can hold, and of the lists what the full-text index can tell. */
export const INDEX_ANSWERS = {
  forms: ['word', 'phrase', 'prefix'],
  wordless: false,
  filters: { ...indexFilters, is: ['error', 'fork'], has: ['image', 'label'] },
} as const satisfies Answers & {
  readonly forms: readonly TextNode['form'][];
  readonly filters: Readonly<Record<FilterNode['name'], unknown>>;
};
