import type { Answers } from './answers.js';
import type { Span, Text, TextForm } from './ast.js';
import { quote } from './quoted.js';
import { Refusal } from './refusal.js';
import { toMatchTerms } from './terms.js';
import { isOneWord, type WordReading } from './words.js';

/** @throws Refusal where no such text can be looked for */
export function readText(form: TextForm, text: string, { start, end }: Span, answers: Answers): Text {
  const span = { start, end };
  mustAnswer(form, text, span, answers);
  const isWordless = form !== 'substring' && toMatchTerms(text).length === 0;
  if (isWordless && !answers.wordless) {
    throw new Refusal(
      span,
      'there is no letter or digit in this to search for',
      'Leave it out, or add a word.',
    );
  }
  return { kind: 'text', form, text, start, end };
}

/** @throws Refusal for what is nearly a filter, and for an end of words */
export function readTextWord(
  word: string,
  reading: Exclude<WordReading, { kind: 'filter' }>,
  span: Span,
  answers: Answers,
): Text {
  const asText = `To search for the text, quote it: ${quote(word)}.`;
  switch (reading.kind) {
    case 'near-filter':
      throw new Refusal(
        span,
        `there is no filter "${reading.written.toLowerCase()}:"`,
        `Did you mean ${reading.name}:${word.slice(reading.valueAt)}? ${asText}`,
      );
    case 'suffix': {
      const nearest = answers.forms.includes('substring')
        ? `Search for it anywhere: *${reading.text}*.`
        : `Search for a beginning: ${reading.text}*.`;
      throw new Refusal(span, 'words cannot be searched for by their end', `${nearest} ${asText}`);
    }
    case 'text': {
      // A word is one wherever it is printed; what would not be is a phrase.
      const form = reading.form === 'word' && !isOneWord(word) ? 'phrase' : reading.form;
      return readText(form, reading.text, span, answers);
    }
  }
}

/** @throws Refusal where it is none */
export function readRegex(token: Span & { source: string; flags: string }, answers: Answers): Text {
  const { source, start, end } = token;
  mustAnswer('regex', source, token, answers);
  const flags = token.flags === '' ? 'i' : [...token.flags].toSorted().join('');
  try {
    new RegExp(source, flags);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*: /s, '') : String(error);
    throw new Refusal(
      token,
      `this is no regular expression: ${reason}`,
      `Mend it, or, to search for the text, quote it: ${quote(`/${source}/${token.flags}`)}.`,
    );
  }
  return { kind: 'text', form: 'regex', text: source, flags, start, end };
}

function mustAnswer(form: TextForm, text: string, span: Span, answers: Answers): void {
  if (answers.forms.includes(form)) return;
  const what = form === 'regex' ? 'regular expressions' : 'parts of words';
  throw new Refusal(
    span,
    `${what} cannot be searched for`,
    `Search for its words: ${toMatchTerms(text).join(' ') || 'a word'}.`,
  );
}
