import pc from 'picocolors';

/** Where output goes, and what it can do. Only data goes to stdout; everything else to stderr. */
export interface Terminal {
  /** Columns of a line. */
  readonly columns: number;
  readonly rows: number;
  readonly isInteractive: boolean;
  readonly colors: Colors;
  out(text: string): void;
  err(text: string): void;
}

export type Colors = ReturnType<typeof pc.createColors>;

/** Columns where nobody says how wide the terminal is. */
const DEFAULT_COLUMNS = 100;
const DEFAULT_ROWS = 24;

export function processTerminal(): Terminal {
  return {
    columns: process.stdout.columns ?? (Number(process.env['COLUMNS']) || DEFAULT_COLUMNS),
    rows: process.stdout.rows ?? DEFAULT_ROWS,
    isInteractive: process.stdout.isTTY === true,
    colors: pc.createColors(wantsColor()),
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  };
}

/** `NO_COLOR` says no, `FORCE_COLOR` says yes (0 says no), else a terminal does. */
function wantsColor(): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return process.stdout.isTTY === true && TERM !== 'dumb';
}
