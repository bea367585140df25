import type { CommandContext } from './context.js';
import type { OptionSpec, OptionValues } from './option-types.js';

/** 0 done, 1 nothing found or drift found, 2 wrong usage, 3 failed. */
export const EXIT = { done: 0, nothing: 1, usage: 2, failed: 3, interrupted: 130 } as const;

/** A subcommand is one of these: everything about it is here. */
export interface CommandSpec {
  readonly name: string;
  /** Arguments as commander takes them: `<session>`, `[query...]`. */
  readonly arguments?: string;
  readonly summary: string;
  readonly options: readonly OptionSpec[];
  /** Shown under `--help`. */
  readonly examples: readonly string[];
  /** Gives the exit code. */
  run(args: readonly string[], options: OptionValues, context: CommandContext): Promise<number>;
}
