/** Types of the corpus generator for tests and benchmarks; the shapes are explained in `index.mjs`. */

export interface CorpusOptions {
  readonly dir: string;
  readonly seed: number;
  readonly sessions: number;
  readonly projects: number;
  /** Bytes. */
  readonly bytes: number;
  /** Share of sessions with damage, and of further files that are no sessions. */
  readonly damage: number;
}

export interface EntryTruth {
  readonly id: string | null;
  readonly type: string;
  readonly role: string | null;
  readonly timestampMs: number | null;
  readonly byteOffset: number;
  readonly byteLength: number;
  readonly parentIndex: number | null;
}

export interface SessionTruth {
  /** Relative to the sessions' folder. */
  readonly path: string;
  readonly id: string;
  readonly cwd: string;
  readonly version: number;
  readonly title: string | null;
  readonly parentSession: string | null;
  readonly createdMs: number;
  readonly modifiedMs: number | null;
  readonly messageCount: number;
  readonly entryCount: number;
  readonly leafId: string | null;
  readonly labels: readonly { readonly targetId: string; readonly label: string }[];
  readonly firstUserMessage: string | null;
  readonly leafCount: number;
  readonly branchPoints: number;
  readonly orphans: number;
  readonly problems: readonly { readonly line: number; readonly byteOffset: number; readonly kind: string }[];
  readonly entries: readonly EntryTruth[];
}

export interface UsageSum {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** US dollars. */
  readonly cost: number;
}

export interface Truth {
  readonly sessions: readonly SessionTruth[];
  readonly notSessions: readonly { readonly path: string; readonly reason: string }[];
  readonly ignored: readonly string[];
  readonly usage: {
    readonly total: UsageSum;
    readonly byModel: Readonly<Record<string, UsageSum>>;
    readonly byDay: Readonly<Record<string, UsageSum>>;
    readonly bySession: Readonly<Record<string, UsageSum>>;
  };
  readonly planted: readonly {
    readonly word: string;
    readonly part: string;
    readonly original: { readonly path: string; readonly entryIndex: number | null };
    readonly copies: readonly { readonly path: string; readonly entryIndex: number }[];
  }[];
  readonly files: number;
  readonly bytes: number;
}

export function makeCorpus(options: CorpusOptions): Truth;
