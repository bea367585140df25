import { withoutAccents } from '../../query/terms.js';

/** A piece of a text with the places of the words in it, in UTF-16 units. */
export interface Snippet {
  readonly snippet: string;
  readonly matches: readonly (readonly [start: number, end: number])[];
}

/** UTF-16 units of a snippet. */
const SNIPPET_CHARS = 240;
/** Of these, before the first word. */
const LEAD_CHARS = 60;

/** Whether a text has any of the words. */
export function hasMatch(text: string, highlight: RegExp | undefined): boolean {
  return highlight !== undefined && withoutAccents(text).search(highlight) >= 0;
}

/** Cuts the piece of a text that has the most of the words, at word borders where there are any nearby. */
export function cutSnippet(text: string, highlight: RegExp | undefined): Snippet {
  const found = highlight ? matchesIn(text, highlight) : [];
  const start = startAround(text, found);
  const end = endAfter(text, start);
  const matches = found
    .filter(([from, to]) => from >= start && to <= end)
    .map(([from, to]) => [from - start, to - start] as const);
  return { snippet: text.slice(start, end), matches };
}

/** Marks beyond this are not looked for: a word can stand ten thousand times in a log. */
const MAX_MATCHES = 500;

function matchesIn(text: string, highlight: RegExp): [number, number][] {
  const found: [number, number][] = [];
  for (const match of withoutAccents(text).matchAll(highlight)) {
    found.push([match.index, match.index + match[0].length]);
    if (found.length >= MAX_MATCHES) break;
  }
  return found;
}

/** The start of the window with the most different words, the earliest of those. */
function startAround(text: string, found: readonly (readonly [number, number])[]): number {
  let best = 0;
  let bestCount = 0;
  for (let i = 0; i < found.length; i += 1) {
    const from = found[i]?.[0] ?? 0;
    const words = new Set<string>();
    for (let j = i; j < found.length; j += 1) {
      const [start, end] = found[j] as readonly [number, number];
      if (end > from - LEAD_CHARS + SNIPPET_CHARS) break;
      words.add(text.slice(start, end).toLowerCase());
    }
    if (words.size > bestCount) {
      bestCount = words.size;
      best = from;
    }
  }
  return atBorder(text, Math.max(0, best - LEAD_CHARS), best);
}

const BORDER_SEARCH_CHARS = 20;

/** The start of a word near `at`, before `latest`. */
function atBorder(text: string, at: number, latest: number): number {
  if (at === 0) return 0;
  const space = text.slice(at, Math.min(at + BORDER_SEARCH_CHARS, latest)).search(/\s/);
  return afterHalfPair(text, space < 0 ? at : at + space + 1);
}

function endAfter(text: string, start: number): number {
  const end = Math.min(text.length, start + SNIPPET_CHARS);
  return end === text.length ? end : afterHalfPair(text, end);
}

/** Never between the two halves of a surrogate pair. */
function afterHalfPair(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at;
}
