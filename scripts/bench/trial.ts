/** One thing that is measured, and what it is measured against, in the same run on the same files. */
export interface Trial {
  readonly name: string;
  /** What the ratio is against. */
  readonly against: string;
  /** The ratio must be at most this; only for information when not given. */
  readonly atMost?: number;
  /** ms, measured in a process of its own. */
  ours(): number;
  /** ms, likewise. */
  rival(): number;
}

export interface TrialResult {
  readonly name: string;
  readonly against: string;
  readonly atMost: number | null;
  readonly oursMs: Spread;
  readonly rivalMs: Spread;
  readonly ratio: Spread;
  readonly isMet: boolean;
}

export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/** Runs both in turn, so that a machine that slows down slows both; ratios are taken pair by pair. */
export function runTrial(trial: Trial, runs: number, onRun: (run: number) => void): TrialResult {
  const pairs = Array.from({ length: runs }, (_, run) => {
    onRun(run + 1);
    const rival = trial.rival();
    return { ours: trial.ours(), rival };
  });
  const ratio = spreadOf(pairs.map(({ ours, rival }) => ours / rival));
  return {
    name: trial.name,
    against: trial.against,
    atMost: trial.atMost ?? null,
    oursMs: spreadOf(pairs.map(({ ours }) => ours)),
    rivalMs: spreadOf(pairs.map(({ rival }) => rival)),
    ratio,
    isMet: trial.atMost === undefined || ratio.median <= trial.atMost,
  };
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const median =
    sorted.length % 2 === 1
      ? (sorted[middle] ?? Number.NaN)
      : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
  return { min: sorted[0] ?? Number.NaN, median, max: sorted.at(-1) ?? Number.NaN };
}
