/**
 * Scripts that are written without spaces between words: each of their characters is a word of the index, so that any
 * run of characters is found as a phrase.
 */
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';

const UNSPACED_CHARACTER = new RegExp(`[${UNSPACED}]`, 'gu');

/** The first character of those scripts; ASCII and most European text is told apart without the larger expression. */
const MAY_BE_UNSPACED =
  /[\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\ud840-\ud8ff]/;

/** A text as the full-text index is given it: unspaced scripts with a space around each character. */
export function toSearchText(text: string): string {
  return MAY_BE_UNSPACED.test(text) ? text.replace(UNSPACED_CHARACTER, ' $& ') : text;
}

/** Letters and digits, as the index's tokenizer sees them, with the accents that may follow them. */
const TERM = /[\p{L}\p{N}\p{Co}](?:[\p{L}\p{N}\p{Co}]|[\u0300-\u036f])*/gu;

/** The words of a text, in order. */
export function termsOf(text: string): string[] {
  return toSearchText(text).match(TERM) ?? [];
}

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

const LETTER_OR_DIGIT = '\\p{L}\\p{N}\\p{Co}';

/**
 * How the terms, one after the other, look in a text `withoutAccents`, for marking them there.
 */
export function highlightPattern(terms: readonly string[], isPrefix: boolean): string {
  const isUnspaced = (term: string | undefined) =>
    term !== undefined && /^.$/u.test(term) && MAY_BE_UNSPACED.test(term);
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
