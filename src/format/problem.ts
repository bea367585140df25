/**
 * What can be wrong with a piece of a session file. A problem is a value, not an error: reading goes on (F7).
 *
 * - `unparsable`: a line that is not JSON; skipped.
 * - `torn`: the last line, without a newline, that does not parse: a write that did not finish (F9); skipped.
 * - `nul-bytes`: a run of NUL bytes, as a crash leaves behind; skipped.
 * - `not-an-entry`: JSON, but no object with a string `type`; skipped.
 * - `glued`: several objects on one line; each is read.
 * - `too-long`: a line over `MAX_LINE_BYTES`; skipped.
 * - `invalid-utf8`: bytes that are no UTF-8; read with replacement characters.
 * - `byte-order-mark`, `carriage-returns`, `blank-lines`: harmless; reported once a file, at the first place.
 */
export type ProblemKind =
  | 'unparsable'
  | 'torn'
  | 'nul-bytes'
  | 'not-an-entry'
  | 'glued'
  | 'too-long'
  | 'invalid-utf8'
  | 'byte-order-mark'
  | 'carriage-returns'
  | 'blank-lines';

export interface Problem {
  readonly kind: ProblemKind;
  /** Bytes from the start of the file. */
  readonly byteOffset: number;
  /** Bytes. */
  readonly byteLength: number;
  /** Counted from 1; only `\n` ends a line. */
  readonly line: number;
  readonly message: string;
}

/** Problems whose bytes a rewrite of the parsed entries would lose or change (F15). */
const LOSSY: ReadonlySet<ProblemKind> = new Set([
  'unparsable',
  'torn',
  'nul-bytes',
  'not-an-entry',
  'too-long',
  'invalid-utf8',
]);

export function losesBytesOnRewrite(problem: Problem): boolean {
  return LOSSY.has(problem.kind);
}
