import type { Interval } from './ast.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** What a date means, in local time; undefined when it is none. Relative ones are moments: `7d` is now minus 7 days. */
export function parseDate(text: string, nowMs: number): Interval | undefined {
  return parseNamed(text.toLowerCase(), nowMs) ?? parseRelative(text, nowMs) ?? parseIso(text);
}

function moment(ms: number): Interval {
  return { fromMs: ms, toMs: ms };
}

/** Calendar arithmetic goes through local dates: a day is 23 or 25 hours long when clocks change. */
function days(year: number, month: number, day: number, count: number): Interval {
  return { fromMs: new Date(year, month, day).getTime(), toMs: new Date(year, month, day + count).getTime() };
}

function parseNamed(name: string, nowMs: number): Interval | undefined {
  const now = new Date(nowMs);
  const daysAgo = (count: number) => days(now.getFullYear(), now.getMonth(), now.getDate() - count, 1);
  if (name === 'now') return moment(nowMs);
  if (name === 'today') return daysAgo(0);
  if (name === 'yesterday') return daysAgo(1);
  const weekday = WEEKDAYS.findIndex((full) => full === name || full.slice(0, 3) === name);
  if (weekday < 0) return undefined;
  return daysAgo((now.getDay() - weekday + 7) % 7 || 7);
}

function parseRelative(text: string, nowMs: number): Interval | undefined {
  const [, digits = '', unit = ''] = /^(\d{1,6})(h|d|w|m|y)$/.exec(text) ?? [];
  const count = Number(digits);
  const then = new Date(nowMs);
  switch (unit) {
    case 'h':
      return moment(nowMs - (count * DAY_MS) / 24);
    case 'd':
      then.setDate(then.getDate() - count);
      break;
    case 'w':
      then.setDate(then.getDate() - count * 7);
      break;
    case 'm':
      then.setMonth(then.getMonth() - count);
      break;
    case 'y':
      then.setFullYear(then.getFullYear() - count);
      break;
    default:
      return undefined;
  }
  return moment(then.getTime());
}

function parseIso(text: string): Interval | undefined {
  const date = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/.exec(text);
  if (date) return calendarInterval(Number(date[1]), date[2], date[3]);
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : moment(ms);
}

function calendarInterval(
  year: number,
  month: string | undefined,
  day: string | undefined,
): Interval | undefined {
  if (month === undefined)
    return { fromMs: new Date(year, 0, 1).getTime(), toMs: new Date(year + 1, 0, 1).getTime() };
  const monthIndex = Number(month) - 1;
  if (monthIndex < 0 || monthIndex > 11) return undefined;
  if (day === undefined) {
    return {
      fromMs: new Date(year, monthIndex, 1).getTime(),
      toMs: new Date(year, monthIndex + 1, 1).getTime(),
    };
  }
  const interval = days(year, monthIndex, Number(day), 1);
  const isReal = new Date(interval.fromMs).getMonth() === monthIndex && Number(day) > 0;
  return isReal ? interval : undefined;
}
