import type { SyncReport } from '../session-index/reports.js';
import type {
  ListResult,
  SearchHit,
  SearchResult,
  SessionSummary,
  ShowResult,
  UsageTotals,
  VerifyResult,
} from '../session-index/results.js';
import {
  type HitDocument,
  type ListDocument,
  type ProblemDocument,
  SCHEMA_VERSION,
  type SearchDocument,
  type SessionDocument,
  type ShowDocument,
  type SyncDocument,
  type UsageDocument,
  type VerifyDocument,
} from './contract.js';

/** Results of the index as the documents of the contract. */

/** The last and first moment that ISO 8601 can write with a four-digit year. */
const MIN_MS = Date.parse('0000-01-01T00:00:00.000Z');
const MAX_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** null also for times that are none: a file may say any number. */
export function isoTime(ms: number | null): string | null {
  return ms === null || !(ms >= MIN_MS && ms <= MAX_MS) ? null : new Date(ms).toISOString();
}

function usageDocument({ costUsd, ...tokens }: UsageTotals): UsageDocument {
  return { ...tokens, cost: costUsd };
}

export function sessionDocument(session: SessionSummary): SessionDocument {
  const { createdMs, modifiedMs, usage, ...rest } = session;
  return {
    ...rest,
    created: isoTime(createdMs),
    modified: isoTime(modifiedMs) ?? new Date(0).toISOString(),
    usage: usageDocument(usage),
  };
}

export function listDocument(result: ListResult, problems: readonly ProblemDocument[]): ListDocument {
  return {
    schema: SCHEMA_VERSION,
    total: result.total,
    sessions: result.sessions.map(sessionDocument),
    problems,
  };
}

export function hitDocument({ timestampMs, ...rest }: SearchHit): HitDocument {
  return { ...rest, timestamp: isoTime(timestampMs) };
}

export function searchDocument({ query, total, hits }: SearchResult): SearchDocument {
  return { schema: SCHEMA_VERSION, query, total, hits: hits.map(hitDocument) };
}

export function showDocument({ session, leafId, entries }: ShowResult): ShowDocument {
  return {
    schema: SCHEMA_VERSION,
    session: sessionDocument(session),
    leafId,
    entries: entries.map(({ value }) => value),
  };
}

export function syncDocument(report: SyncReport): SyncDocument {
  return { schema: SCHEMA_VERSION, ...report };
}

export function verifyDocument(result: VerifyResult): VerifyDocument {
  return { schema: SCHEMA_VERSION, ...result };
}
