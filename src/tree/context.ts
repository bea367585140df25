import { isObject, type JsonObject, nonEmptyString, stringOr } from '../format/json.js';
import {
  readCompaction,
  readDisplay,
  readModel,
  readThinkingLevel,
  timestampMs,
} from '../format/spellings.js';
import type {
  AgentMessage,
  CompactionEntry,
  ContentBlock,
  FileEntry,
  SessionEntry,
} from '../format/types.js';
import { type EntriesById, indexById, pathTo } from './path.js';

/** What the model would be sent at a leaf, and the settings in force there (F27-F29). */
export interface SessionContext {
  messages: AgentMessage[];
  thinkingLevel: string;
  /** `provider/modelId` by role. */
  models: Record<string, string>;
  injectedTtsrRules: string[];
  /** `none` when no mode is on. */
  mode: string;
  modeData?: Record<string, unknown>;
}

/**
 * The context at a leaf (F26-F29).
 *
 * @param entries the session's entries in file order; a header before them is passed over
 * @param leafId null: an empty context; an unknown id or undefined: the last entry
 * @param byId the entries by id, when the caller has that at hand
 */
export function buildSessionContext(
  entries: readonly FileEntry[],
  leafId?: string | null,
  byId?: EntriesById,
): SessionContext {
  if (leafId === null) return emptyContext();
  const isWithHeader = entries[0]?.type === 'session';
  const own = entries.some(({ type }) => type === 'session') ? entries.filter(isEntry) : entries;
  const index = byId ?? indexById(own as readonly SessionEntry[]);
  const leaf = (leafId === undefined ? undefined : index.get(leafId)) ?? own.at(-1);
  if (leaf === undefined) return emptyContext();
  const path = pathTo(leaf as SessionEntry, index);
  return contextOfPath(path, (position) => entries[isWithHeader ? position : position - 1]);
}

function isEntry(entry: FileEntry): entry is SessionEntry {
  return entry.type !== 'session';
}

export function emptyContext(): SessionContext {
  return { messages: [], thinkingLevel: 'off', models: {}, injectedTtsrRules: [], mode: 'none' };
}

/** The last compaction of these entries, or null. */
export function getLatestCompactionEntry(entries: readonly FileEntry[]): CompactionEntry | null {
  for (let i = entries.length - 1; i >= 0; i -= 1) {
    const entry = entries[i];
    if (entry?.type === 'compaction') return entry as CompactionEntry;
  }
  return null;
}

/**
 * The context at the end of a path that runs from the root (F27-F29).
 *
 * @param entryAt the file's entry at a position, header = 0: what an old compaction's `firstKeptEntryIndex` means
 */
export function contextOfPath(
  path: readonly SessionEntry[],
  entryAt: (position: number) => FileEntry | undefined,
): SessionContext {
  const settings = new Settings();
  const messages = new MessageList(path.length);
  let compactionAt = -1;
  let start = 0;
  for (let i = 0; i < path.length; i += 1) {
    const entry = path[i] as SessionEntry;
    const type: string = entry.type;
    if (type === 'compaction') compactionAt = i;
    else if (type === 'reset_boundary') {
      start = i + 1;
      compactionAt = -1;
    } else if (!messages.add(entry)) settings.change(entry);
  }
  const isWhole = compactionAt < 0 && start === 0;
  return settings.finish(path, isWhole ? messages.finish() : partOf(path, start, compactionAt, entryAt));
}

/** Messages in the making. The array has its full size from the beginning: growing it would cost more than the rest. */
class MessageList {
  readonly #messages: AgentMessage[];
  #count = 0;

  constructor(maxLength: number) {
    this.#messages = new Array<AgentMessage>(maxLength);
  }

  /** F28: what an entry says to the model; false when it says nothing. */
  add(entry: SessionEntry): boolean {
    switch (entry.type) {
      case 'message':
        if (isObject(entry.message)) this.push(entry.message);
        return true;
      case 'custom_message':
        this.push(customMessage(entry));
        return true;
      case 'branch_summary':
        this.push(branchSummaryMessage(entry));
        return true;
      default:
        return false;
    }
  }

  push(message: AgentMessage): void {
    this.#messages[this.#count] = message;
    this.#count += 1;
  }

  finish(): AgentMessage[] {
    this.#messages.length = this.#count;
    return this.#messages;
  }
}

/** F27: what the changes along a path add up to. */
class Settings {
  #thinkingLevel = 'off';
  #mode = 'none';
  #modeData: JsonObject | undefined;
  #hasDefaultModel = false;
  readonly #models = new Map<string, string>();
  readonly #rules = new Set<string>();

  change(entry: SessionEntry): void {
    switch (entry.type) {
      case 'thinking_level_change':
        this.#thinkingLevel = readThinkingLevel(entry);
        return;
      case 'model_change':
        this.#changeModel(entry);
        return;
      case 'ttsr_injection':
        if (!Array.isArray(entry.injectedRules)) return;
        for (const rule of entry.injectedRules) if (typeof rule === 'string') this.#rules.add(rule);
        return;
      case 'mode_change':
        this.#mode = nonEmptyString(entry.mode) ?? 'none';
        this.#modeData = isObject(entry.data) ? entry.data : undefined;
        return;
      default:
    }
  }

  finish(path: readonly SessionEntry[], messages: AgentMessage[]): SessionContext {
    const answered = this.#hasDefaultModel ? undefined : lastModelOf(path);
    if (answered !== undefined) this.#models.set('default', answered);
    return {
      messages,
      thinkingLevel: this.#thinkingLevel,
      models: Object.fromEntries(this.#models), // not assigned key by key: a role may be called `__proto__`
      injectedTtsrRules: [...this.#rules],
      mode: this.#mode,
      ...(this.#modeData === undefined ? {} : { modeData: this.#modeData }),
    };
  }

  #changeModel(entry: SessionEntry): void {
    const change = readModel(entry);
    if (change === undefined) return;
    this.#models.set(change.role, change.model);
    if (change.role === 'default') this.#hasDefaultModel = true;
  }
}

/** `provider/model` of the last assistant message that says a model. */
function lastModelOf(path: readonly SessionEntry[]): string | undefined {
  for (let i = path.length - 1; i >= 0; i -= 1) {
    const entry = path[i] as SessionEntry;
    const message: unknown = entry.type === 'message' ? entry.message : undefined;
    if (!isObject(message) || message.role !== 'assistant') continue;
    const model = nonEmptyString(message.model);
    const provider = nonEmptyString(message.provider);
    if (model !== undefined) return provider === undefined ? model : `${provider}/${model}`;
  }
  return undefined;
}

/** F29. `start` is where the path begins for the model: after the last `reset_boundary`. */
function partOf(
  path: readonly SessionEntry[],
  start: number,
  compactionAt: number,
  entryAt: (position: number) => FileEntry | undefined,
): AgentMessage[] {
  const messages = new MessageList(path.length - start + 1);
  const addAll = (from: number, end: number) => {
    for (let i = from; i < end; i += 1) messages.add(path[i] as SessionEntry);
  };
  const compaction = path[compactionAt];
  if (compaction === undefined) {
    addAll(start, path.length);
    return messages.finish();
  }
  messages.push(compactionMessage(compaction));
  const firstKept = firstKeptIndex(path, compactionAt, compaction, entryAt);
  if (firstKept >= 0) addAll(Math.max(firstKept, start), compactionAt);
  addAll(compactionAt + 1, path.length);
  return messages.finish();
}

/** Where the kept part of the path begins, or -1: a first kept entry that is not on the path keeps none (F29). */
function firstKeptIndex(
  path: readonly SessionEntry[],
  compactionAt: number,
  compaction: SessionEntry,
  entryAt: (position: number) => FileEntry | undefined,
): number {
  const { firstKeptEntryId, firstKeptEntryIndex } = readCompaction(compaction);
  if (firstKeptEntryId === undefined && firstKeptEntryIndex === undefined) return -1;
  const kept = firstKeptEntryId === undefined ? entryAt(firstKeptEntryIndex as number) : undefined;
  for (let i = 0; i < compactionAt; i += 1) {
    const entry = path[i];
    if (firstKeptEntryId === undefined ? entry === kept : entry?.id === firstKeptEntryId) return i;
  }
  return -1;
}

function branchSummaryMessage(entry: SessionEntry): AgentMessage {
  return {
    role: 'branchSummary',
    summary: stringOr(entry.summary, ''),
    fromId: stringOr(entry.fromId, 'root'),
    timestamp: timestampMs(entry.timestamp) ?? 0,
  };
}

function customMessage(entry: SessionEntry): AgentMessage {
  return {
    role: 'custom',
    customType: stringOr(entry.customType, ''),
    content: (entry.content ?? '') as string | ContentBlock[],
    display: readDisplay(entry),
    details: entry.details,
    ...(entry.attribution === undefined ? {} : { attribution: entry.attribution }),
    timestamp: timestampMs(entry.timestamp) ?? 0,
  };
}

function compactionMessage(entry: SessionEntry): AgentMessage {
  const { summary, shortSummary, tokensBefore } = readCompaction(entry);
  return {
    role: 'compactionSummary',
    summary,
    shortSummary,
    tokensBefore,
    timestamp: timestampMs(entry.timestamp) ?? 0,
  };
}
