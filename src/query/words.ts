import type { FilterName } from './ast.js';
import { filterNamed, nearestFilter } from './filters.js';
import { lex } from './lex.js';

/** What a word of a query says. */
export type WordReading =
  | { readonly kind: 'text'; readonly form: 'word' | 'prefix' | 'substring'; readonly text: string }
  | { readonly kind: 'filter'; readonly name: FilterName; readonly valueAt: number }
  /** `roel:user` */
  | {
      readonly kind: 'near-filter';
      readonly written: string;
      readonly name: FilterName;
      readonly valueAt: number;
    }
  /** `*end`, with its text */
  | { readonly kind: 'suffix'; readonly text: string };

export function readWord(word: string): WordReading {
  const stars = /^(\**)(.*?)(\**)$/su.exec(word);
  const [, before = '', text = '', after = ''] = stars ?? [];
  if (text === '') return { kind: 'text', form: 'word', text: word };
  if (before !== '')
    return after === '' ? { kind: 'suffix', text } : { kind: 'text', form: 'substring', text };
  const filter = readFilter(word);
  if (filter) return filter;
  return after === '' ? { kind: 'text', form: 'word', text } : { kind: 'text', form: 'prefix', text };
}

/** A name and a colon; not `https://x.y`, `file:///a` or `session::open`. */
const NAMED = /^([a-z]+):(?!:|\/\/)/i;

function readFilter(word: string): WordReading | undefined {
  const [named = '', written = ''] = NAMED.exec(word) ?? [];
  if (named === '') return undefined;
  const name = filterNamed(written);
  if (name) return { kind: 'filter', name, valueAt: named.length };
  const near = word.length > named.length ? nearestFilter(written) : undefined;
  return near && { kind: 'near-filter', written, name: near, valueAt: named.length };
}

/** Whether a text is one word to the language wherever it stands: in parentheses, before a quotation mark. */
export function isOneWord(text: string): boolean {
  if (/^[\p{L}\p{N}_.,;:@#%+=~*]+$/u.test(text) && !/^(?:AND|OR|NOT)$/.test(text)) return true;
  const [word, quoted] = lex(`${text} "x"`);
  if (word?.kind !== 'word' || word.text !== text || quoted?.kind !== 'quoted') return false;
  const [, inner, close] = lex(`(${text})`);
  return inner?.kind === 'word' && inner.text === text && close?.kind === 'close';
}
