const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `1.2 MB`, by thousands. */
export function bytes(count: number): string {
  let value = count;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 99.5 ? value.toFixed(0) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** US dollars; nothing where nothing was recorded. */
export function dollars(cost: number): string {
  if (cost === 0) return '';
  return cost < 0.01 ? '<$0.01' : `$${cost.toFixed(2)}`;
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;
}

export function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
