import { finiteOrZero, isObject, type JsonObject, nonEmptyString } from './json.js';

/** Tokens by kind and US dollars, every absent number read as 0, never NaN. */
export interface UsageReading {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** As written, else the sum of the four kinds. */
  readonly totalTokens: number;
  readonly premiumRequests: number;
  /** US dollars; the written total, else the sum of the written parts, else 0. */
  readonly costUsd: number;
  /** Whether the record says a cost at all: an unknown price is not a free one. */
  readonly isPriced: boolean;
}

/**
 * Where usage was recorded.
 *
 * - `message`: an assistant's answer
 * - `model_usage`: a call outside the transcript (omp)
 * - `compaction`, `branch_summary`: the call that wrote the summary
 * - `task`: a subagent's usage rolled up in its tool result; counts only where the subagent's own session is not there
 * - `child`: a child session's usage attributed to this one (prime-agent); counts like `task`
 */
export type UsageSource = 'message' | 'model_usage' | 'compaction' | 'branch_summary' | 'task' | 'child';

export interface UsageRecord {
  readonly source: UsageSource;
  readonly provider: string;
  readonly model: string;
  readonly usage: UsageReading;
  /** Of a `task` result: the name of the subagent, whose own session file is called so; empty when not known. */
  readonly agent: string;
  /** Why an answer ended; empty where the record is no answer or does not say. */
  readonly stopReason: string;
  /** Unix ms written on the message itself, where it is. */
  readonly messageMs: number | undefined;
}

const COST_PARTS = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;

export function readUsage(value: unknown): UsageReading | undefined {
  if (!isObject(value)) return undefined;
  const input = finiteOrZero(value.input);
  const output = finiteOrZero(value.output);
  const cacheRead = finiteOrZero(value.cacheRead);
  const cacheWrite = finiteOrZero(value.cacheWrite);
  const total = value.totalTokens;
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    totalTokens:
      typeof total === 'number' && Number.isFinite(total) ? total : input + output + cacheRead + cacheWrite,
    premiumRequests: finiteOrZero(value.premiumRequests),
    ...readCost(value.cost),
  };
}

function readCost(cost: unknown): { costUsd: number; isPriced: boolean } {
  if (!isObject(cost)) return { costUsd: 0, isPriced: false };
  if (typeof cost.total === 'number' && Number.isFinite(cost.total))
    return { costUsd: cost.total, isPriced: true };
  const parts = COST_PARTS.filter((part) => typeof cost[part] === 'number');
  return {
    costUsd: parts.reduce((sum, part) => sum + finiteOrZero(cost[part]), 0),
    isPriced: parts.length > 0,
  };
}

export const NO_USAGE: UsageReading = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  premiumRequests: 0,
  costUsd: 0,
  isPriced: false,
};

/** What an entry records of usage. Every assistant message has one record, written or not. */
export function usageOf(entry: JsonObject): readonly UsageRecord[] {
  switch (entry.type) {
    case 'message':
      return isObject(entry.message) ? usageOfMessage(entry.message) : [];
    case 'model_usage':
      return record('model_usage', entry, readUsage(entry.usage));
    case 'compaction':
    case 'branch_summary':
      return record(entry.type, entry, readUsage(entry.usage));
    case 'child_usage_attributed':
      return record('child', entry, readUsage(entry.childUsage));
    default:
      return [];
  }
}

function usageOfMessage(message: JsonObject): readonly UsageRecord[] {
  if (message.role === 'assistant') return record('message', message, readUsage(message.usage) ?? NO_USAGE);
  if (message.role !== 'toolResult' || message.toolName !== 'task' || !isObject(message.details)) return [];
  const results = Array.isArray(message.details.results) ? message.details.results.filter(isObject) : [];
  const records = results.flatMap((result) =>
    record('task', result, readUsage(result.usage), agentOf(result)),
  );
  return records.length > 0 ? records : record('task', message.details, readUsage(message.details.usage));
}

function agentOf(result: JsonObject): string {
  return nonEmptyString(result.id) ?? '';
}

function record(
  source: UsageSource,
  from: JsonObject,
  usage: UsageReading | undefined,
  agent = '',
): readonly UsageRecord[] {
  if (!usage) return [];
  const ms = from.timestamp;
  return [
    {
      source,
      provider: nonEmptyString(from.provider) ?? '',
      model: nonEmptyString(from.model) ?? '',
      usage,
      agent,
      stopReason: nonEmptyString(from.stopReason) ?? '',
      messageMs: typeof ms === 'number' && Number.isFinite(ms) ? ms : undefined,
    },
  ];
}
