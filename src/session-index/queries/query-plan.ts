import type { SearchPlan } from './search-plan.js';
export function planSearch(text: string, _nowMs: number): SearchPlan {
  return {
    root: { kind: 'text', match: JSON.stringify(text) },
    tables: ['prose', 'thinking', 'tools'],
    highlight: new RegExp(text, 'giu'),
  };
}
