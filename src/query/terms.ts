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

/**
 * Runs of characters that may be of either kind, surrogate pairs whole. ASCII and most European text has none, and is
 * told apart by this alone, without a copy.
 */
const CAREFUL_RUN =
  /[\u0530-\u1fff\u2060-\u206f\u20ba-\u20ff\u218a-\u218f\u23f4-\u23ff\u2427-\u245f\u2700\u2b4d-\ufdff\ufe10-\uffff]+/g;

/**
 * A text as the full-text index is given it: unspaced scripts with a space around each character, and a space for each
 * separator that the tokenizer does not know as one. The same string where there is nothing to do.
 */
export function toSearchText(text: string): string {
  return text.search(CAREFUL_RUN) < 0 ? text : text.replace(CAREFUL_RUN, parted);
}

function parted(run: string): string {
  let result = '';
  for (const character of run) {
    const kind = kindOf(character);
    if (kind === UNSPACED_KIND) result += ` ${character} `;
    else result += kind === SEPARATOR_KIND ? ' ' : character;
  }
  return result;
}

const [SEPARATOR_KIND, UNSPACED_KIND, OTHER_KIND] = [1, 2, 3];

/** By code point, 0 for not asked yet: to ask the expressions each time costs twenty times as much. */
const KINDS = new Uint8Array(0x11_0000);

function kindOf(character: string): number {
  const point = character.codePointAt(0) as number;
  const known = KINDS[point] as number;
  if (known !== 0) return known;
  const isSeparator = SEPARATOR.test(character);
  const kind = isSeparator ? SEPARATOR_KIND : UNSPACED_CHARACTER.test(character) ? UNSPACED_KIND : OTHER_KIND;
  KINDS[point] = kind as number;
  return kind as number;
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
