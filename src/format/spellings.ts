import { isObject, type JsonObject, nonEmptyString } from './json.js';
import type { SessionHeader, TitleSlot } from './types.js';

/**
 * The one place that knows how the agents of the family spell the same thing (FORMAT, "Spellings found in the wild").
 * Each function gives the canonical reading of a raw object and never changes it.
 */

/** A header as F8 demands: type `session` and a string id. */
export function isHeader(value: unknown): value is SessionHeader {
  return isObject(value) && value.type === 'session' && typeof value.id === 'string';
}

/** The line that omp writes before the header. It is no entry. */
export function isTitleSlot(value: unknown): value is TitleSlot {
  return (
    isObject(value) && value.type === 'title' && typeof value.title === 'string' && !('parentId' in value)
  );
}

/** The header's version; absent or no number means 1. */
export function versionOf(header: JsonObject): number {
  const version = header.version;
  return typeof version === 'number' && Number.isFinite(version) ? version : 1;
}

/** ms: what a Date can hold, to either side of 1970. */
const MAX_TIME_MS = 8.64e15;

/** Unix ms of an ISO string or a ms integer; undefined when it says no time. */
export function timestampMs(value: unknown): number | undefined {
  if (typeof value === 'number') return Math.abs(value) <= MAX_TIME_MS ? Math.trunc(value) : undefined;
  if (typeof value !== 'string' || value === '') return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}

/** The session's parent as written: an id or a path; `branchedFrom` in version 1. */
export function lineageOf(header: JsonObject): string | undefined {
  return nonEmptyString(header.parentSession) ?? nonEmptyString(header.branchedFrom);
}

export interface ModelReading {
  /** `provider/modelId`, or what there is of it. */
  readonly model: string;
  readonly role: string;
}

/** Of a `model_change`: `model` (omp, xcsh) or `provider` + `modelId` (pi). */
export function readModel(entry: JsonObject): ModelReading | undefined {
  const role = nonEmptyString(entry.role) ?? 'default';
  const model = nonEmptyString(entry.model);
  if (model !== undefined) return { model, role };
  const modelId = nonEmptyString(entry.modelId);
  const provider = nonEmptyString(entry.provider);
  if (modelId === undefined) return undefined;
  return { model: provider === undefined ? modelId : `${provider}/${modelId}`, role };
}

const THINKING_LEVELS = new Set(['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']);

/** `provider/model` without the `:level` that omp may append. */
export function withoutLevel(model: string): string {
  const colon = model.lastIndexOf(':');
  return colon > 0 && THINKING_LEVELS.has(model.slice(colon + 1)) ? model.slice(0, colon) : model;
}

/** Of a `thinking_level_change`: null or absent means `off`. */
export function readThinkingLevel(entry: JsonObject): string {
  return nonEmptyString(entry.thinkingLevel) ?? 'off';
}

export interface TitleReading {
  /** Empty: the title is cleared. */
  readonly title: string;
  readonly source: string | undefined;
}

/** What an entry says of the session's title: pi's `session_info`, omp's `title_change`; undefined when it is neither. */
export function readTitle(entry: JsonObject): TitleReading | undefined {
  if (entry.type === 'session_info') return { title: nonEmptyString(entry.name) ?? '', source: 'user' };
  if (entry.type !== 'title_change') return undefined;
  return { title: nonEmptyString(entry.title) ?? '', source: nonEmptyString(entry.source) };
}

/** Of a `label`: undefined clears (absent, null or empty). */
export function readLabel(entry: JsonObject): string | undefined {
  return nonEmptyString(entry.label);
}

export interface CompactionReading {
  readonly summary: string;
  readonly shortSummary: string | undefined;
  readonly firstKeptEntryId: string | undefined;
  /** Index into the file's entries, header = 0; only honoured where the id is absent. */
  readonly firstKeptEntryIndex: number | undefined;
  readonly tokensBefore: number;
  readonly fromExtension: boolean;
}

export function readCompaction(entry: JsonObject): CompactionReading {
  const index = entry.firstKeptEntryIndex;
  const tokens = entry.tokensBefore;
  return {
    summary: nonEmptyString(entry.summary) ?? '',
    shortSummary: nonEmptyString(entry.shortSummary),
    firstKeptEntryId: nonEmptyString(entry.firstKeptEntryId),
    firstKeptEntryIndex: typeof index === 'number' && Number.isInteger(index) ? index : undefined,
    tokensBefore: typeof tokens === 'number' && Number.isFinite(tokens) ? tokens : 0,
    fromExtension: isFromExtension(entry),
  };
}

/** `fromHook` is pi's older word for `fromExtension`. */
export function isFromExtension(entry: JsonObject): boolean {
  return entry.fromExtension === true || entry.fromHook === true;
}

/** Of a `custom` entry: `data`, or `payload` in some writers. */
export function readCustomData(entry: JsonObject): unknown {
  return 'data' in entry ? entry.data : entry.payload;
}

/** Of a `custom_message`: shown unless it says no. */
export function readDisplay(entry: JsonObject): boolean {
  return entry.display !== false;
}

/** An entry's id, if it can be addressed. */
export function entryIdOf(entry: JsonObject): string | undefined {
  return nonEmptyString(entry.id);
}

/** An entry's parent as written; absent and null are the same: a root. */
export function parentIdOf(entry: JsonObject): string | null {
  return nonEmptyString(entry.parentId) ?? null;
}
