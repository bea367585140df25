import stringWidth from 'string-width';

/**
 * What must not reach a terminal as it is: C0 and C1 control characters, DEL, line and paragraph separators, and the
 * marks that turn the direction of what follows. Session text is written by others, and by the programs they ran.
 */
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c\ufeff]/g;

/** Lone halves of surrogate pairs, which terminals show as they please. */
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const CONTROL_PICTURES = 0x2400;

function visible(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES + code);
  return code === 0x7f ? '\u2421' : '\ufffd';
}

/** A text for one line of a terminal: every control character is shown as a sign that does nothing. */
export function safeLine(text: string): string {
  return text.replace(UNSAFE, visible).replace(LONE_SURROGATE, '\ufffd');
}

/** A text for a terminal, with its line breaks and tabs. */
export function safeText(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.split('\t').map(safeLine).join('    '))
    .join('\n');
}

/** A text as one line without runs of blanks, as titles and snippets are shown. */
export function oneLine(text: string): string {
  return safeLine(text.replace(/\s+/gu, ' ').trim());
}

const segmenter = new Intl.Segmenter();

/** The beginning of a line that fits into so many columns, with … where something was cut; never half a character. */
export function fitTo(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  let fitted = '';
  let width = 0;
  for (const { segment } of segmenter.segment(text)) {
    width += stringWidth(segment);
    if (width > columns - 1) break;
    fitted += segment;
  }
  return `${fitted}…`;
}

/** `fitTo`, filled up with blanks. */
export function padTo(text: string, columns: number): string {
  const fitted = fitTo(text, columns);
  return fitted + ' '.repeat(Math.max(0, columns - stringWidth(fitted)));
}
