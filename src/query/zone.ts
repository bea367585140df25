const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The clocks of a time zone. A clock's reading ("wall") is a number, too: the Unix ms at which clocks in Greenwich show
 * the same, so that calendar arithmetic on readings is that of UTC.
 */
export class Zone {
  readonly #format: Intl.DateTimeFormat;

  /**
   * @param timeZone an IANA name; the local zone when absent
   * @throws TypeError where there is no such zone
   */
  constructor(timeZone?: string) {
    try {
      this.#format = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
        timeZone,
        hourCycle: 'h23',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      });
    } catch (cause) {
      throw new TypeError(`there is no time zone ${JSON.stringify(timeZone)}`, { cause });
    }
  }

  /** What clocks show at a moment, from the year 1000 on. */
  toWall(ms: number): number {
    const part: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
    for (const { type, value } of this.#format.formatToParts(ms)) part[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
    return Date.UTC(year, month - 1, day, hour, minute, second) + (((ms % 1000) + 1000) % 1000);
  }

  /**
   * The first moment at which clocks show `wall`. Where clocks are put forward over it, the moment at which they are.
   */
  fromWall(wall: number): number {
    const before = this.#offset(wall - DAY_MS);
    const after = this.#offset(wall + DAY_MS);
    const earliest = wall - Math.max(before, after);
    const latest = wall - Math.min(before, after);
    if (this.toWall(earliest) === wall) return earliest;
    if (this.toWall(latest) === wall) return latest;
    return this.#firstAtOrPast(wall, earliest, latest);
  }

  #offset(ms: number): number {
    return this.toWall(ms) - ms;
  }

  /** The first moment after `low`, up to `high`, at which clocks show `wall` or more. */
  #firstAtOrPast(wall: number, low: number, high: number): number {
    let [before, after] = [low, high];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (this.toWall(middle) >= wall) after = middle;
      else before = middle;
    }
    return after;
  }
}
