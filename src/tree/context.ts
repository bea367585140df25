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
  let compactionAt = -1;
  let start = 0;
  for (let i = 0; i < path.length; i += 1) {
    const entry = path[i] as SessionEntry;
    const type: string = entry.type;
    if (type === 'message') settings.message(entry);
    else if (type === 'compaction') compactionAt = i;
    else if (type === 'reset_boundary') {
      start = i + 1;
      compactionAt = -1;
    } else settings.change(entry);
  }
  return settings.finish(messagesOf(path, start, compactionAt, entryAt));
}

/** F27: what the changes along a path add up to. */
class Settings {
  #thinkingLevel = 'off';
  #mode = 'none';
  #modeData: JsonObject | undefined;
  #hasDefaultModel = false;
  #lastAssistant: JsonObject | undefined;
  readonly #models = new Map<string, string>();
  readonly #rules = new Set<string>();

  message(entry: SessionEntry): void {
    const message = entry.message;
    if (isObject(message) && message.role === 'assistant' && nonEmptyString(message.model) !== undefined)
      this.#lastAssistant = message;
  }

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

  finish(messages: AgentMessage[]): SessionContext {
    if (!this.#hasDefaultModel && this.#lastAssistant !== undefined) {
      const provider = nonEmptyString(this.#lastAssistant.provider);
      const model = String(this.#lastAssistant.model);
      this.#models.set('default', provider === undefined ? model : `${provider}/${model}`);
    }
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

/** F28, F29. `start` is where the path begins for the model: after the last `reset_boundary`. */
function messagesOf(
  path: readonly SessionEntry[],
  start: number,
  compactionAt: number,
  entryAt: (position: number) => FileEntry | undefined,
): AgentMessage[] {
  const messages: AgentMessage[] = [];
  const compaction = path[compactionAt];
  if (compaction === undefined) {
    pushMessages(messages, path, start, path.length);
    return messages;
  }
  messages.push(compactionMessage(compaction));
  const firstKept = firstKeptIndex(path, compactionAt, compaction, entryAt);
  if (firstKept >= 0) pushMessages(messages, path, Math.max(firstKept, start), compactionAt);
  pushMessages(messages, path, compactionAt + 1, path.length);
  return messages;
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

function pushMessages(
  messages: AgentMessage[],
  path: readonly SessionEntry[],
  start: number,
  end: number,
): void {
  for (let i = start; i < end; i += 1) {
    const entry = path[i] as SessionEntry;
    switch (entry.type) {
      case 'message':
        if (isObject(entry.message)) messages.push(entry.message);
        break;
      case 'custom_message':
        messages.push(customMessage(entry));
        break;
      case 'branch_summary':
        messages.push({
          role: 'branchSummary',
          summary: stringOr(entry.summary, ''),
          fromId: stringOr(entry.fromId, 'root'),
          timestamp: timestampMs(entry.timestamp) ?? 0,
        });
        break;
      default:
    }
  }
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
