import type { FilterName } from './ast.js';
import { nearest } from './near.js';

/** What a filter takes: one of a list, a date, a role, or any text. */
export type FilterValues = readonly string[] | 'date' | 'role' | 'text';

export type FilterTable = Readonly<Partial<Record<FilterName, FilterValues>>>;

/** Every filter of the language. */
export const FILTERS = {
  role: 'role',
  type: 'text',
  in: ['prose', 'thinking', 'tools'],
  project: 'text',
  model: 'text',
  provider: 'text',
  tool: 'text',
  session: 'text',
  label: 'text',
  title: 'text',
  file: 'text',
  after: 'date',
  before: 'date',
  on: 'date',
  is: ['active', 'abandoned', 'compacted', 'error', 'fork'],
  has: ['image', 'label', 'branch'],
} as const satisfies Record<FilterName, FilterValues>;

export const FILTER_NAMES = Object.keys(FILTERS) as readonly FilterName[];

const EXAMPLES: Readonly<Partial<Record<FilterName, string>>> = {
  type: 'compaction',
  project: 'shop',
  model: 'claude',
  provider: 'anthropic',
  tool: 'bash',
  session: '8d1f',
  label: 'decision',
  title: 'queue',
  file: 'main.ts',
};

/** A value that the filter would take. */
export function exampleOf(name: FilterName, values: FilterValues): string {
  if (values === 'date') return 'yesterday';
  if (values === 'role') return 'user';
  return values === 'text' ? (EXAMPLES[name] ?? 'name') : (values[0] ?? 'name');
}

/** Names shorter than this are too near to everything. */
const NEAR_MIN_CHARS = 4;

const LONG_NAMES = FILTER_NAMES.filter((name) => name.length >= NEAR_MIN_CHARS);

/** The filter that a name is a slip of the keyboard away from. */
export function nearestFilter(name: string): FilterName | undefined {
  return name.length < NEAR_MIN_CHARS ? undefined : nearest(name, LONG_NAMES);
}

/** The filter of this name, in any case. */
export function filterNamed(name: string): FilterName | undefined {
  const lower = name.toLowerCase();
  return Object.hasOwn(FILTERS, lower) ? (lower as FilterName) : undefined;
}
