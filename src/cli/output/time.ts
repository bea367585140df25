const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const RELATIVE_DAYS = 30;

/** How long ago, in one short word; a date for what is older than a month or in the future. */
export function ago(ms: number, nowMs: number): string {
  const past = nowMs - ms;
  if (past < -MINUTE_MS || past >= RELATIVE_DAYS * DAY_MS) return localDate(ms);
  if (past < MINUTE_MS) return 'now';
  if (past < HOUR_MS) return `${Math.floor(past / MINUTE_MS)}m ago`;
  if (past < DAY_MS) return `${Math.floor(past / HOUR_MS)}h ago`;
  return `${Math.floor(past / DAY_MS)}d ago`;
}

/** `2026-02-16`, in local time. */
export function localDate(ms: number): string {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) return '?';
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** `2026-02-16 14:05`, in local time. */
export function localTime(ms: number): string {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) return '?';
  return `${localDate(ms)} ${String(date.getHours()).padStart(2, '0')}:${String(date.getMinutes()).padStart(2, '0')}`;
}
