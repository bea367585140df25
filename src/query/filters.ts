import type { FilterName } from './ast.js';

/** What each filter takes: one of a list, a date, or any text. */
export type FilterValues = readonly string[] | 'date' | 'text';

export const FILTERS: Readonly<Record<FilterName, FilterValues>> = {
  role: 'text',
  type: 'text',
  in: ['prose', 'thinking', 'tools'],
  project: 'text',
  model: 'text',
  provider: 'text',
  tool: 'text',
  session: 'text',
  label: 'text',
  title: 'text',
  after: 'date',
  before: 'date',
  on: 'date',
  is: ['error', 'fork'],
  has: ['image', 'label'],
};

export const FILTER_NAMES = Object.keys(FILTERS) as readonly FilterName[];

export function isFilterName(name: string): name is FilterName {
  return Object.hasOwn(FILTERS, name);
}

/** Names shorter than this are too near to everything. */
const NEAR_MIN_CHARS = 4;

/** The filter that a name is a slip of the keyboard away from. */
export function nearestFilter(name: string): FilterName | undefined {
  if (name.length < NEAR_MIN_CHARS) return undefined;
  return FILTER_NAMES.find((filter) => filter.length >= NEAR_MIN_CHARS && isOneSlip(name, filter));
}

/** Whether two words differ by one letter too many, too few, another, or two exchanged. */
export function isOneSlip(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const restA = a.slice(start);
  const restB = b.slice(start);
  if (restA.slice(1) === restB.slice(1) || restA.slice(1) === restB || restA === restB.slice(1)) return true;
  return restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
}
