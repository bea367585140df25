/** Options as commander gives them, by camel-case name. */
export type OptionValues = Readonly<Record<string, unknown>>;

export interface OptionSpec {
  /** As commander takes it: `--limit <n>`. */
  readonly flags: string;
  readonly description: string;
  /** Checks and converts what was typed. */
  readonly parse?: (value: string) => unknown;
}
