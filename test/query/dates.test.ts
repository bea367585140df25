import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDate } from '../../src/query/dates.js';
import { Zone } from '../../src/query/zone.js';

function meaning(text: string, timeZone: string, now: string): string | undefined {
  const interval = parseDate(text, { nowMs: Date.parse(now), zone: new Zone(timeZone) });
  if (!interval) return undefined;
  const [from, to] = [interval.fromMs, interval.toMs].map((ms) =>
    new Date(ms).toISOString().replace('.000Z', 'Z'),
  );
  return from === to ? from : `${from} ${to}`;
}

const MONDAY_NOON = '2026-02-16T12:00:00Z';
const BERLIN = 'Europe/Berlin';
const NEW_YORK = 'America/New_York';

describe('a date', () => {
  it.each([
    ['2026-02-16', 'UTC', '2026-02-16T00:00:00Z 2026-02-17T00:00:00Z'],
    ['2026-02-16', 'Asia/Kathmandu', '2026-02-15T18:15:00Z 2026-02-16T18:15:00Z'],
    ['2026-02', BERLIN, '2026-01-31T23:00:00Z 2026-02-28T23:00:00Z'],
    ['2026', NEW_YORK, '2026-01-01T05:00:00Z 2027-01-01T05:00:00Z'],
    ['2024-02-29', 'UTC', '2024-02-29T00:00:00Z 2024-03-01T00:00:00Z'],
    ['2026-12', 'UTC', '2026-12-01T00:00:00Z 2027-01-01T00:00:00Z'],
    ['2026-02-16T10:00', BERLIN, '2026-02-16T09:00:00Z 2026-02-16T09:01:00Z'],
    ['2026-02-16 10:00:05', BERLIN, '2026-02-16T09:00:05Z 2026-02-16T09:00:06Z'],
    ['2026-02-16T10:00:00.250Z', BERLIN, '2026-02-16T10:00:00.250Z 2026-02-16T10:00:00.251Z'],
    ['2026-02-16T10:00+05:30', BERLIN, '2026-02-16T04:30:00Z 2026-02-16T04:31:00Z'],
    ['now', BERLIN, MONDAY_NOON],
    ['Today', BERLIN, '2026-02-15T23:00:00Z 2026-02-16T23:00:00Z'],
    ['yesterday', BERLIN, '2026-02-14T23:00:00Z 2026-02-15T23:00:00Z'],
    ['monday', 'UTC', '2026-02-09T00:00:00Z 2026-02-10T00:00:00Z'],
    ['sun', 'UTC', '2026-02-15T00:00:00Z 2026-02-16T00:00:00Z'],
    ['tuesday', 'UTC', '2026-02-10T00:00:00Z 2026-02-11T00:00:00Z'],
    ['7d', 'UTC', '2026-02-09T12:00:00Z'],
    ['12h', 'UTC', '2026-02-16T00:00:00Z'],
    ['2w', 'UTC', '2026-02-02T12:00:00Z'],
    ['3m', 'UTC', '2025-11-16T12:00:00Z'],
    ['1y', 'UTC', '2025-02-16T12:00:00Z'],
  ])('%s in %s is %s', (text, timeZone, expected) => {
    expect(meaning(text, timeZone, MONDAY_NOON)).toBe(expected);
  });

  it.each([
    ['2026-02-30'],
    ['2025-02-29'],
    ['2026-04-31'],
    ['2026-00'],
    ['2026-13-01'],
    ['2026-01-00'],
    ['0026'],
    ['2026-02-16T24:00'],
    ['2026-02-16T10:60'],
    ['2026-2-5'],
    ['someday'],
    ['7'],
    ['d'],
    ['9999y'],
    [''],
  ])('%j is none', (text) => {
    expect(meaning(text, BERLIN, MONDAY_NOON)).toBeUndefined();
  });

  it('a month before its end is the end of a shorter month', () => {
    expect(meaning('3m', 'UTC', '2026-05-31T12:00:00Z')).toBe('2026-02-28T12:00:00Z');
    expect(meaning('1y', 'UTC', '2024-02-29T12:00:00Z')).toBe('2023-02-28T12:00:00Z');
    expect(meaning('14m', 'UTC', '2026-03-31T12:00:00Z')).toBe('2025-01-31T12:00:00Z');
  });

  it('today is the day where the clock hangs', () => {
    const now = '2026-03-29T22:30:00Z';
    expect(meaning('today', BERLIN, now)).toBe('2026-03-29T22:00:00Z 2026-03-30T22:00:00Z');
    expect(meaning('today', NEW_YORK, now)).toBe('2026-03-29T04:00:00Z 2026-03-30T04:00:00Z');
  });
});

describe('when clocks change', () => {
  it.each([
    // Europe/Berlin: forward on 29 March, back on 25 October 2026, both at 01:00 UTC
    ['2026-03-29', BERLIN, '2026-03-28T23:00:00Z 2026-03-29T22:00:00Z'],
    ['2026-10-25', BERLIN, '2026-10-24T22:00:00Z 2026-10-25T23:00:00Z'],
    ['2026-03', BERLIN, '2026-02-28T23:00:00Z 2026-03-31T22:00:00Z'],
    ['2026-03-29T02:30', BERLIN, '2026-03-29T01:00:00Z 2026-03-29T01:01:00Z'],
    ['2026-10-25T02:30', BERLIN, '2026-10-25T00:30:00Z 2026-10-25T00:31:00Z'],
    // America/New_York: forward on 8 March at 07:00 UTC, back on 1 November 2026 at 06:00 UTC
    ['2026-03-08', NEW_YORK, '2026-03-08T05:00:00Z 2026-03-09T04:00:00Z'],
    ['2026-11-01', NEW_YORK, '2026-11-01T04:00:00Z 2026-11-02T05:00:00Z'],
    ['2026-11', NEW_YORK, '2026-11-01T04:00:00Z 2026-12-01T05:00:00Z'],
    // there was no midnight: clocks went from 00:00 to 01:00
    ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00Z 2018-11-05T02:00:00Z'],
    // midnight came twice: at 01:00 clocks went back to 00:00
    ['2023-11-05', 'America/Havana', '2023-11-05T04:00:00Z 2023-11-06T05:00:00Z'],
  ])('%s in %s is %s', (text, timeZone, expected) => {
    expect(meaning(text, timeZone, MONDAY_NOON)).toBe(expected);
  });

  it('a day ago is the same time of day, 24 hours ago are 24 hours', () => {
    const now = '2026-03-29T10:00:00Z'; // 12:00, where the day before it was 11:00 UTC
    expect(meaning('1d', BERLIN, now)).toBe('2026-03-28T11:00:00Z');
    expect(meaning('24h', BERLIN, now)).toBe('2026-03-28T10:00:00Z');
    expect(meaning('yesterday', BERLIN, now)).toBe('2026-03-27T23:00:00Z 2026-03-28T23:00:00Z');
    expect(meaning('1w', NEW_YORK, '2026-11-04T17:00:00Z')).toBe('2026-10-28T16:00:00Z');
  });

  it('every day begins at its first moment and ends at its last, by the calendars of the zones themselves', () => {
    const zones = [
      BERLIN,
      NEW_YORK,
      'America/Sao_Paulo',
      'America/Havana',
      'Australia/Lord_Howe',
      'Asia/Beirut',
    ];
    const anyDay = fc.integer({
      min: Date.UTC(2000, 0, 1) / 86_400_000,
      max: Date.UTC(2030, 0, 1) / 86_400_000,
    });
    fc.assert(
      fc.property(fc.constantFrom(...zones), anyDay, (timeZone, dayNumber) => {
        const day = new Date(dayNumber * 86_400_000).toISOString().slice(0, 10);
        const interval = parseDate(day, { nowMs: 0, zone: new Zone(timeZone) });
        const dayAt = (ms: number) => new Date(ms).toLocaleDateString('sv-SE', { timeZone });
        const { fromMs = Number.NaN, toMs = Number.NaN } = interval ?? {};
        expect([fromMs - 1, fromMs, toMs - 1, toMs].map((ms) => dayAt(ms) === day)).toEqual([
          false,
          true,
          true,
          false,
        ]);
      }),
      { numRuns: 300 },
    );
  });
});
