import type { FileProblem } from './reports.js';

/** Shapes that `SessionIndex` answers with. Times are Unix ms, sizes and offsets bytes, costs US dollars. */

export interface UsageTotals {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly totalTokens: number;
  readonly premiumRequests: number;
  readonly costUsd: number;
}

export type SessionStatus = 'complete' | 'interrupted' | 'aborted' | 'error' | 'pending';

/** A session, as lists show it. */
export interface SessionSummary {
  /** The header's id: a label that may stand in several files. */
  readonly id: string;
  /** Absolute; the identity of a stored session. */
  readonly path: string;
  /** The root below which it was found. */
  readonly root: string;
  /** The header's cwd; empty when it does not say. */
  readonly project: string;
  readonly title: string | null;
  /** The first user text, in full. */
  readonly firstMessage: string | null;
  readonly createdMs: number | null;
  /** The newest entry's time, else the file's. */
  readonly modifiedMs: number;
  readonly version: number;
  readonly messageCount: number;
  /** Without the header. */
  readonly entryCount: number;
  /** Branches: entries that are nobody's parent. 1 for a linear session, 0 for an empty one. */
  readonly branchCount: number;
  readonly orphanCount: number;
  /** The labels that stand now. */
  readonly labels: readonly { readonly targetId: string; readonly label: string }[];
  /** `provider/model` of the answers, in order of first use. */
  readonly models: readonly string[];
  /** As written in the header: an id or a path. */
  readonly parentSession: string | null;
  readonly status: SessionStatus;
  readonly sizeBytes: number;
  /** Problems found in the file. */
  readonly problemCount: number;
  /** What counts here: copies of another session's entries do not. */
  readonly usage: UsageTotals;
}

export interface ListOptions {
  /** In the search language; empty: everything. */
  readonly query?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

export interface ListResult {
  /** Without limit and offset. */
  readonly total: number;
  readonly sessions: readonly SessionSummary[];
}

export type SearchPart = 'prose' | 'thinking' | 'tools';

export interface SearchHit {
  readonly sessionId: string;
  readonly path: string;
  readonly project: string;
  readonly title: string | null;
  /** null: the session's own title, or an entry without an id. */
  readonly entryId: string | null;
  readonly type: string;
  /** Of a message. */
  readonly role: string | null;
  readonly timestampMs: number | null;
  /** Higher is better; comparable within one answer only. */
  readonly score: number;
  /** Plain text, as in the file: control characters included. */
  readonly snippet: string;
  /** Where the words stand in the snippet, in UTF-16 units: start, end (exclusive). */
  readonly matches: readonly (readonly [start: number, end: number])[];
  readonly part: SearchPart;
  readonly byteOffset: number;
  readonly byteLength: number;
  /** Whether the entry lies on the path to its session's leaf. */
  readonly onActiveBranch: boolean;
  /** Ids of the other sessions in which a copy of the entry stands. */
  readonly alsoIn: readonly string[];
}

export interface SearchOptions {
  /** Hits; 20 when not given. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** `best` when not given. */
  readonly sort?: 'best' | 'newest' | 'oldest' | undefined;
}

export interface SearchResult {
  readonly query: string;
  /** Hits without limit and offset; copies of one entry count once. */
  readonly total: number;
  readonly hits: readonly SearchHit[];
}

/** An entry with where it stands. */
export interface PlacedEntry {
  readonly seq: number;
  readonly entryId: string | null;
  readonly type: string;
  readonly role: string | null;
  readonly timestampMs: number | null;
  readonly byteOffset: number;
  readonly byteLength: number;
}

export interface ShowOptions {
  /** The path to this entry; the session's leaf when not given. */
  readonly leafId?: string | undefined;
  /** Every entry in file order instead of one path. */
  readonly all?: boolean | undefined;
}

export interface ShowResult {
  readonly session: SessionSummary;
  readonly leafId: string | null;
  /** In order; `value` as in the file. */
  readonly entries: readonly (PlacedEntry & { readonly value: Readonly<Record<string, unknown>> })[];
}

/** One way in which the index and the files differ. */
export interface Difference {
  readonly kind: 'file' | 'row' | 'text' | 'database';
  readonly path: string | null;
  readonly sessionId: string | null;
  readonly entryId?: string;
  /** `table.column`, or the word of a text difference. */
  readonly field?: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

export interface VerifyResult {
  /** No difference. */
  readonly ok: boolean;
  readonly files: number;
  readonly entries: number;
  readonly bytes: number;
  readonly elapsedMs: number;
  readonly differences: readonly Difference[];
  /** More were found than are listed. */
  readonly isCut: boolean;
}

/** What is where, for people who wonder. */
export interface IndexHealth {
  readonly dbPath: string;
  readonly exists: boolean;
  readonly roots: readonly string[];
  /** Unix ms of the last full build. */
  readonly builtMs: number | null;
  readonly revision: number | null;
  readonly generation: string | null;
  /** Bytes on disk: the main database and its shards. */
  readonly sizeBytes: number;
  readonly files: number;
  readonly sessions: number;
  readonly notSessions: number;
  readonly unreadable: number;
  readonly entries: number;
  /** Bytes of the session files. */
  readonly sessionBytes: number;
  readonly isBeingBuilt: boolean;
  readonly problems: readonly FileProblem[];
}
