import type { SessionEntry } from '../format/types.js';
import { usageOf } from '../format/usage.js';

/** Tokens by kind, premium requests, and US dollars. */
export interface UsageStatistics {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly totalTokens: number;
  readonly premiumRequests: number;
  /** US dollars. */
  readonly cost: number;
}

/**
 * Sums usage entry by entry: assistant messages, calls outside the transcript, compactions and branch summaries, and
 * what subagents report in a task's result. Absent numbers count as 0.
 */
export class UsageTotals {
  #input = 0;
  #output = 0;
  #cacheRead = 0;
  #cacheWrite = 0;
  #totalTokens = 0;
  #premiumRequests = 0;
  #cost = 0;

  add(entry: SessionEntry): void {
    for (const { usage } of usageOf(entry)) {
      this.#input += usage.input;
      this.#output += usage.output;
      this.#cacheRead += usage.cacheRead;
      this.#cacheWrite += usage.cacheWrite;
      this.#totalTokens += usage.totalTokens;
      this.#premiumRequests += usage.premiumRequests;
      this.#cost += usage.costUsd;
    }
  }

  read(): UsageStatistics {
    return {
      input: this.#input,
      output: this.#output,
      cacheRead: this.#cacheRead,
      cacheWrite: this.#cacheWrite,
      totalTokens: this.#totalTokens,
      premiumRequests: this.#premiumRequests,
      cost: this.#cost,
    };
  }
}

/** The usage of these entries: of a whole session, or of one path when given `getBranch()`. */
export function usageStatistics(entries: Iterable<SessionEntry>): UsageStatistics {
  const totals = new UsageTotals();
  for (const entry of entries) totals.add(entry);
  return totals.read();
}
