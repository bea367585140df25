import type { Interval } from './ast.js';
import type { Zone } from './zone.js';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** Calendars before are another matter. */
const FIRST_YEAR = 1000;
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

export interface Clock {
  /** Unix ms. */
  readonly nowMs: number;
  readonly zone: Zone;
}

/**
 * What a date means where `clock` hangs; undefined when it is none. Relative ones are moments: `7d` is the same time of
 * day 7 days ago. A weekday is the last one before today.
 */
export function parseDate(text: string, clock: Clock): Interval | undefined {
  const lower = text.toLowerCase();
  return parseNamed(lower, clock) ?? parseRelative(lower, clock) ?? parseIso(lower, clock.zone);
}

/** What to write instead of a text that is no date. */
export function dateHint(text: string, clock: Clock): string {
  const [, year, month = '', day = ''] = /^(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?$/.exec(text) ?? [];
  const general = 'Give a date such as 2026-02-16, 2026-02, 2026-02-16T10:00, 7d, 2w, yesterday or monday.';
  if (year === undefined) return general;
  const padded = [year, month, day].filter((part) => part !== '').map((part) => part.padStart(2, '0'));
  const meant = padded.join('-');
  if (meant !== text && parseDate(meant, clock)) return `Did you mean ${meant}?`;
  if (Number(month) < 1 || Number(month) > 12) return `Months go from 01 to 12. ${general}`;
  return `${year}-${padded[1]} has ${daysInMonth(Number(year), Number(month) - 1)} days. ${general}`;
}

function moment(ms: number): Interval {
  return { fromMs: ms, toMs: ms };
}

/** From midnight to midnight: a day is 23 or 25 hours long when clocks change. */
function calendar(zone: Zone, from: number, to: number): Interval {
  return { fromMs: zone.fromWall(from), toMs: zone.fromWall(to) };
}

function parseNamed(name: string, { nowMs, zone }: Clock): Interval | undefined {
  if (name === 'now') return moment(nowMs);
  const today = new Date(zone.toWall(nowMs));
  const daysAgo = (count: number) => {
    const midnight = (ago: number) =>
      Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() - ago);
    return calendar(zone, midnight(count), midnight(count - 1));
  };
  if (name === 'today') return daysAgo(0);
  if (name === 'yesterday') return daysAgo(1);
  const weekday = WEEKDAYS.findIndex((full) => full === name || full.slice(0, 3) === name);
  return weekday < 0 ? undefined : daysAgo((today.getUTCDay() - weekday + 7) % 7 || 7);
}

function parseRelative(text: string, { nowMs, zone }: Clock): Interval | undefined {
  const [, digits = '', unit = ''] = /^(\d{1,6})([hdwmy])$/.exec(text) ?? [];
  if (unit === '') return undefined;
  const count = Number(digits);
  if (unit === 'h') return moment(nowMs - count * HOUR_MS);
  const then = wallAgo(zone.toWall(nowMs), count, unit);
  return new Date(then).getUTCFullYear() >= FIRST_YEAR ? moment(zone.fromWall(then)) : undefined;
}

/** A month ago is the same day of the month before, or its last: three months before 31 May is 28 February. */
function wallAgo(wall: number, count: number, unit: string): number {
  const then = new Date(wall);
  const day = then.getUTCDate();
  if (unit === 'd' || unit === 'w') return then.setUTCDate(day - count * (unit === 'w' ? 7 : 1));
  then.setUTCDate(1);
  then.setUTCMonth(then.getUTCMonth() - count * (unit === 'y' ? 12 : 1));
  return then.setUTCDate(Math.min(day, daysInMonth(then.getUTCFullYear(), then.getUTCMonth())));
}

function daysInMonth(year: number, monthIndex: number): number {
  return new Date(Date.UTC(year, monthIndex + 1, 0)).getUTCDate();
}

const ISO =
  /^([1-9]\d{3})(?:-(\d\d)(?:-(\d\d)(?:[t ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(z|[+-]\d\d:?\d\d)?)?)?)?$/;

function parseIso(text: string, zone: Zone): Interval | undefined {
  const match = ISO.exec(text);
  if (!match) return undefined;
  const [, yearText, monthText, dayText, hourText] = match;
  const year = Number(yearText);
  const month = Number(monthText ?? 1) - 1;
  const day = Number(dayText ?? 1);
  if (month < 0 || month > 11 || day < 1 || day > daysInMonth(year, month)) return undefined;
  if (hourText !== undefined) return timeOfDay(Date.UTC(year, month, day), match, zone);
  if (dayText !== undefined)
    return calendar(zone, Date.UTC(year, month, day), Date.UTC(year, month, day + 1));
  if (monthText !== undefined) return calendar(zone, Date.UTC(year, month), Date.UTC(year, month + 1));
  return calendar(zone, Date.UTC(year, 0), Date.UTC(year + 1, 0));
}

/** A minute, second or millisecond: as much as is written. */
function timeOfDay(midnight: number, match: RegExpExecArray, zone: Zone): Interval | undefined {
  const [, , , , hour, minute, second, fraction, offset] = match;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second ?? 0) > 59) return undefined;
  const wall =
    midnight +
    Number(hour) * HOUR_MS +
    Number(minute) * MINUTE_MS +
    Number(second ?? 0) * SECOND_MS +
    Number((fraction ?? '').slice(0, 3).padEnd(3, '0'));
  const fromMs = offset === undefined ? zone.fromWall(wall) : wall - offsetMs(offset);
  const grain = second === undefined ? MINUTE_MS : fraction === undefined ? SECOND_MS : 1;
  return { fromMs, toMs: fromMs + grain };
}

function offsetMs(offset: string): number {
  if (offset === 'z') return 0;
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(offset) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS);
}
