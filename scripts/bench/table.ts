import type { Spread, TrialResult } from './trial.js';

/** Prints one row a trial: times, ratio with its spread, target. */
export function printTable(results: readonly TrialResult[]): void {
  const rows = [
    ['what', 'against', 'ours ms', 'rival ms', 'ratio (min-max)', 'at most', ''],
    ...results.map((result) => [
      result.name,
      result.against,
      times(result.oursMs),
      times(result.rivalMs),
      `${result.ratio.median.toFixed(2)} (${result.ratio.min.toFixed(2)}-${result.ratio.max.toFixed(2)})`,
      result.atMost === null ? '-' : String(result.atMost),
      result.atMost === null ? '' : result.isMet ? 'met' : 'MISSED',
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of rows) {
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
  }
}

function times({ min, median, max }: Spread): string {
  return `${median.toFixed(0)} (${min.toFixed(0)}-${max.toFixed(0)})`;
}
