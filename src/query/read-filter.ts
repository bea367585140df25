import type { Answers } from './answers.js';
import type { Filter, FilterName, Interval, Span } from './ast.js';
import { type Clock, dateHint, parseDate } from './dates.js';
import { type FilterValue, valuesIn } from './filter-values.js';
import { exampleOf, FILTERS, type FilterValues } from './filters.js';
import { nearest } from './near.js';
import { quote } from './quoted.js';
import { Refusal } from './refusal.js';
import { nearestRole, ROLE_LIST, roleOf } from './roles.js';

/** A filter as written: `name:value,value`. */
export interface WrittenFilter extends Span {
  readonly name: FilterName;
  readonly word: string;
  /** Where in the word its values begin. */
  readonly valueAt: number;
}

/** @throws Refusal */
export function readFilter(written: WrittenFilter, answers: Answers, clock: () => Clock): Filter {
  const { name, word, valueAt, start, end } = written;
  const asText = `To search for the text, quote it: ${quote(word)}.`;
  const taken: FilterValues | undefined = answers.filters[name];
  if (taken === undefined) {
    throw new Refusal(written, `the filter "${name}:" is not answered here`, asText);
  }
  const values = valuesIn(word, valueAt, start);
  if (values.length === 0) {
    const example = `${name}:${exampleOf(name, taken)}`;
    throw new Refusal(
      written,
      `${name}: needs a value`,
      `For example ${example}, without a blank. ${asText}`,
    );
  }
  const texts = values.map((value) => normalValue(name, value, taken, asText));
  const intervals = taken === 'date' ? values.map((value) => intervalOf(name, value, clock())) : [];
  return { kind: 'filter', name, values: texts, intervals, start, end };
}

function normalValue(name: FilterName, value: FilterValue, taken: FilterValues, asText: string): string {
  const { text, isQuoted } = value;
  if (taken === 'text' || taken === 'date') return text;
  if (taken === 'role') {
    const near = isQuoted ? undefined : nearestRole(text);
    if (near === undefined) return roleOf(text);
    throw new Refusal(
      value,
      `there is no usual role "${text}"`,
      `Did you mean role:${near}? Usual ones are ${ROLE_LIST}. For a role of that name, quote it: role:${quote(text)}.`,
    );
  }
  const lower = text.toLowerCase();
  if (taken.includes(lower)) return lower;
  const near = nearest(text, taken);
  const meant = near === undefined ? '' : `Did you mean ${name}:${near}? `;
  const all = FILTERS[name] as readonly string[];
  const message = all.includes(lower)
    ? `${name}:${lower} is not answered here`
    : `${name}: does not know "${text}"`;
  throw new Refusal(value, message, `${meant}It takes ${taken.join(', ')}. ${asText}`);
}

function intervalOf(name: FilterName, value: FilterValue, clock: Clock): Interval {
  const { text } = value;
  const interval = parseDate(text, clock);
  if (!interval) throw new Refusal(value, `"${text}" is no date`, dateHint(text, clock));
  if (name !== 'on' || interval.toMs > interval.fromMs) return interval;
  const day = new Date(clock.zone.toWall(interval.fromMs)).toISOString().slice(0, 10);
  throw new Refusal(
    value,
    `on: takes a day, a month or a year, and "${text}" is a moment`,
    `For all since then, after:${text}. For that day, on:${day}.`,
  );
}
