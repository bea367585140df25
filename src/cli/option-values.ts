import { SessiondexError } from '../errors.js';
import type { OptionSpec, OptionValues } from './option-types.js';

/** A whole number of at least 0. */
export function wholeNumber(name: string): (value: string) => number {
  return (value) => {
    if (/^\d{1,9}$/.test(value)) return Number(value);
    throw new SessiondexError('USAGE', `${name} takes a whole number, not "${value}"`);
  };
}

export function oneOf<Value extends string>(
  name: string,
  values: readonly Value[],
): (value: string) => Value {
  return (value) => {
    const found = values.find((one) => one === value);
    if (found !== undefined) return found;
    throw new SessiondexError('USAGE', `${name} takes ${values.join(', ')}, not "${value}"`);
  };
}

export const LIMIT: OptionSpec = {
  flags: '--limit <n>',
  description: 'at most so many',
  parse: wholeNumber('--limit'),
};

export const OFFSET: OptionSpec = {
  flags: '--offset <n>',
  description: 'leave out the first so many',
  parse: wholeNumber('--offset'),
};

export function numberOption(options: OptionValues, name: string): number | undefined {
  const value = options[name];
  return typeof value === 'number' ? value : undefined;
}

export function stringOption(options: OptionValues, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}
