/**
 * Scripts that are written without spaces between words: each of their characters is a word of the index, so that any
 * run of characters is found as a phrase.
 */
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';

const UNSPACED_CHARACTER = new RegExp(`[${UNSPACED}]`, 'u');

/** Letters and digits as the index's tokenizer (unicode61) sees them, characters of private use and unknown ones included. */
const LETTER_OR_DIGIT = '\\p{L}\\p{N}\\p{Co}\\p{Cn}';

/**
 * Where the tokenizer separates all the same: vowel signs that were marks when its table was made, and two that SQLite
 * takes for the replacement character.
 */
const NO_LETTERS = '\\u19b0-\\u19c0\\u19c8\\u19c9\\u1cf2\\u1cf3\\ufffe\\uffff';

/** Accents that the tokenizer lets stand within a word. */
const ACCENTS =
  '\\u0300-\\u0304\\u0306-\\u030c\\u030f\\u0311\\u031b\\u0323-\\u0328\\u032d\\u032e\\u0330\\u0331';

/**
 * The tokenizer takes what its table does not know for letters: younger emoji, currencies and vowel signs. They separate
 * words like older ones.
 */
const SEPARATOR = new RegExp(`[^\\p{ASCII}${LETTER_OR_DIGIT}${ACCENTS}]`, 'u');

/** Where such characters begin, of unspaced scripts too; ASCII and most European text is told apart by this alone, without a copy. */
const MAY_NEED_CARE =
  /[\u0530-\u1fff\u2060-\u206f\u20ba-\u20ff\u218a-\u218f\u23f4-\u23ff\u2427-\u245f\u2700\u2b4d-\ufdff\ufe10-\uffff]/;

/** Most texts have few such characters: only these are looked at one by one. */
const CARE_RUNS = new RegExp(`${MAY_NEED_CARE.source}+`, 'g');

/**
 * A text as the full-text index is given it: unspaced scripts with a space around each character, and a space for each
 * separator that the tokenizer does not know as one. The same string where there is nothing to do.
 */
export function toSearchText(text: string): string {
  return MAY_NEED_CARE.test(text) ? text.replace(CARE_RUNS, parted) : text;
}

const SPACE = 0x20;

const fromUnits = new TextDecoder('utf-16le');

/** UTF-16 units that are worked on at a time, so that a text of many megabytes needs no more memory than its copy. */
const CHUNK_UNITS = 64 * 1024;

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;

function parted(text: string): string {
  let result = '';
  for (let from = 0; from < text.length; ) {
    const end = Math.min(from + CHUNK_UNITS, text.length);
    const to = end < text.length && isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
    result += partedChunk(text, from, to);
    from = to;
  }
  return result;
}

/** Written into units of its own: replacing and joining strings takes five times as long for unspaced scripts. */
function partedChunk(text: string, from: number, to: number): string {
  const units = new Uint16Array((to - from) * 3);
  let length = 0;
  for (let at = from; at < to; at += 1) {
    const point = text.codePointAt(at) as number;
    const kind = kindOf(point);
    if (kind !== KIND.word) units[length++] = SPACE;
    if (kind !== KIND.separator) units[length++] = text.charCodeAt(at);
    if (point > 0xffff) {
      at += 1;
      if (kind !== KIND.separator) units[length++] = text.charCodeAt(at);
    }
    if (kind === KIND.unspaced) units[length++] = SPACE;
  }
  return fromUnits.decode(units.subarray(0, length));
}

const KIND = { unknown: 0, word: 1, unspaced: 2, separator: 3 } as const;

/** By code point: to ask the expressions each time costs twenty times as much. */
const kinds = new Uint8Array(0x11_0000);

function kindOf(point: number): number {
  const known = kinds[point] as number;
  if (known !== KIND.unknown) return known;
  const character = String.fromCodePoint(point);
  const isUnspaced = UNSPACED_CHARACTER.test(character);
  const kind = SEPARATOR.test(character) ? KIND.separator : isUnspaced ? KIND.unspaced : KIND.word;
  kinds[point] = kind;
  return kind;
}

const TERM = new RegExp(
  `(?![${NO_LETTERS}])[${LETTER_OR_DIGIT}](?:(?![${NO_LETTERS}])[${LETTER_OR_DIGIT}${ACCENTS}])*`,
  'gu',
);

/**
 * The words of a text in order, as the index's tokenizer takes them from `toSearchText`, case and accents as written. A
 * query's word is found as these, one after the other. None for a text without letters and digits.
 */
export function toMatchTerms(text: string): string[] {
  return toSearchText(text).match(TERM) ?? [];
}

/** `toMatchTerms` under the name that the index's query plan has for it. */
export const termsOf = toMatchTerms;

/** Letters that have an accent of their own. */
const ACCENTED = /[\u00c0-\u024f\u0386-\u03ce\u0400-\u0457\u1e00-\u1fff]/g;

/** A text without accents, every UTF-16 unit in its place. */
export function withoutAccents(text: string): string {
  return text.replace(ACCENTED, (letter) => letter.normalize('NFD')[0] ?? letter);
}

/** How a term may look in a text `withoutAccents`: any case, and accents that stand apart. */
function patternOf(term: string): string {
  return [...term.normalize('NFD').replace(/[\u0300-\u036f]/g, '')]
    .map((character) => `${escaped(character)}[\\u0300-\\u036f]*`)
    .join('');
}

function escaped(character: string): string {
  return character.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}

/**
 * How the terms, one after the other, look in a text `withoutAccents`, for marking them there.
 */
export function highlightPattern(terms: readonly string[], isPrefix: boolean): string {
  const isUnspaced = (term: string | undefined) =>
    term !== undefined && /^.$/u.test(term) && UNSPACED_CHARACTER.test(term);
  let pattern = isUnspaced(terms[0]) ? '' : `(?<![${LETTER_OR_DIGIT}])`;
  terms.forEach((term, n) => {
    const previous = terms[n - 1];
    if (previous !== undefined) {
      pattern += `[^${LETTER_OR_DIGIT}]${isUnspaced(term) || isUnspaced(previous) ? '*' : '+'}`;
    }
    pattern += patternOf(term);
  });
  return isPrefix || isUnspaced(terms.at(-1)) ? pattern : `${pattern}(?![${LETTER_OR_DIGIT}])`;
}
