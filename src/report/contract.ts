/**
 * Every document that `--json` prints. Stable: a change of meaning raises `SCHEMA_VERSION`; fields may be added.
 * Times are ISO 8601 UTC, sizes and offsets bytes, costs US dollars, durations ms; null is what the files do not say.
 */
export const SCHEMA_VERSION = 1;

export interface ProblemDocument {
  readonly path: string;
  readonly byteOffset: number;
  /** Counted from 1. */
  readonly line: number;
  readonly kind: string;
  readonly message: string;
}

export interface UsageDocument {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly totalTokens: number;
  readonly premiumRequests: number;
  readonly cost: number;
}

export interface SessionDocument {
  readonly id: string;
  readonly path: string;
  readonly root: string;
  readonly project: string;
  readonly title: string | null;
  readonly firstMessage: string | null;
  readonly created: string | null;
  readonly modified: string;
  readonly version: number;
  readonly messageCount: number;
  readonly entryCount: number;
  readonly branchCount: number;
  readonly orphanCount: number;
  readonly problemCount: number;
  readonly labels: readonly { readonly targetId: string; readonly label: string }[];
  readonly models: readonly string[];
  readonly parentSession: string | null;
  readonly status: string;
  readonly sizeBytes: number;
  readonly usage: UsageDocument;
}

export interface ListDocument {
  readonly schema: number;
  readonly total: number;
  readonly sessions: readonly SessionDocument[];
  /** Files that are no sessions, and damaged lines of those that are. */
  readonly problems: readonly ProblemDocument[];
}

export interface HitDocument {
  readonly sessionId: string;
  readonly path: string;
  readonly project: string;
  readonly title: string | null;
  readonly entryId: string | null;
  readonly type: string;
  readonly role: string | null;
  readonly timestamp: string | null;
  readonly score: number;
  /** Plain text. */
  readonly snippet: string;
  /** Places of the words in `snippet`, in UTF-16 units: start, end (exclusive). */
  readonly matches: readonly (readonly [number, number])[];
  readonly part: string;
  readonly byteOffset: number;
  readonly byteLength: number;
  readonly onActiveBranch: boolean;
  readonly alsoIn: readonly string[];
}

export interface SearchDocument {
  readonly schema: number;
  readonly query: string;
  readonly total: number;
  readonly hits: readonly HitDocument[];
}

export interface ShowDocument {
  readonly schema: number;
  readonly session: SessionDocument;
  readonly leafId: string | null;
  /** As in the file. */
  readonly entries: readonly unknown[];
}

export interface SyncDocument {
  readonly schema: number;
  readonly files: {
    readonly seen: number;
    readonly indexed: number;
    readonly unchanged: number;
    readonly removed: number;
    readonly failed: number;
    readonly notSessions: number;
  };
  readonly entries: number;
  readonly bytes: number;
  readonly elapsedMs: number;
  readonly problems: readonly ProblemDocument[];
}

export interface DifferenceDocument {
  readonly kind: string;
  readonly path: string | null;
  readonly sessionId: string | null;
  readonly entryId?: string;
  readonly field?: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

export interface VerifyDocument {
  readonly schema: number;
  readonly ok: boolean;
  readonly files: number;
  readonly entries: number;
  readonly bytes: number;
  readonly elapsedMs: number;
  readonly differences: readonly DifferenceDocument[];
  /** More were found than are listed. */
  readonly isCut: boolean;
}

export interface CheckDocument {
  readonly name: string;
  readonly status: 'ok' | 'warning' | 'error';
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
}

export interface DoctorDocument {
  readonly schema: number;
  readonly versions: Readonly<Record<string, string>>;
  readonly dbPath: string;
  readonly roots: readonly string[];
  readonly builtAt: string | null;
  readonly sizeBytes: number;
  readonly files: number;
  readonly sessions: number;
  readonly notSessions: number;
  readonly unreadable: number;
  readonly entries: number;
  readonly sessionBytes: number;
  readonly checks: readonly CheckDocument[];
}

export interface ErrorDocument {
  readonly schema: number;
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly path?: string;
    readonly byteOffset?: number;
    readonly hint?: string;
  };
}
