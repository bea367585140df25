import type { Database } from 'better-sqlite3';
import { isObject, type JsonObject, nonEmptyString } from '../../format/json.js';
import { lineageOf, readTitle, timestampMs, versionOf } from '../../format/spellings.js';
import type { SessionHeader, TitleSlot } from '../../format/types.js';
import { type FileTree, ROOT } from '../file-tree.js';
import { RowInserter } from '../row-inserter.js';
import { sessions } from '../schema.js';
import type { Facet, IndexedEntry } from './facet.js';

type Status = (typeof sessions.$inferInsert)['status'];

/** What a message says of how its session stands; `undefined`: nothing, look further up the path. */
function statusAfter(role: string, message: JsonObject): Status | undefined {
  switch (role) {
    case 'user':
      return 'pending';
    case 'toolResult':
      return 'interrupted';
    case 'assistant':
      if (message.stopReason === 'aborted') return 'aborted';
      if (message.stopReason === 'error') return 'error';
      return message.stopReason === 'toolUse' ? 'interrupted' : 'complete';
    default:
      return undefined;
  }
}

/** One row a session: its names, times, counts and how it ended. */
export class SessionsFacet implements Facet {
  readonly #rows: RowInserter<typeof sessions.$inferInsert>;
  #fileId = 0;
  #header: SessionHeader | undefined;
  #slot: TitleSlot | undefined;
  #title: { readonly title: string; readonly source: string | undefined } | undefined;
  #firstMessage: string | undefined;
  #shortSummary: string | undefined;
  #oldestMs: number | undefined;
  #newestMs: number | undefined;
  #counts = noCounts();
  #statuses: (Status | undefined)[] = [];

  constructor(db: Database) {
    this.#rows = new RowInserter(db, sessions);
  }

  begin(fileId: number): void {
    this.#fileId = fileId;
    this.#header = undefined;
    this.#slot = undefined;
    this.#title = undefined;
    this.#firstMessage = undefined;
    this.#shortSummary = undefined;
    this.#oldestMs = undefined;
    this.#newestMs = undefined;
    this.#counts = noCounts();
    this.#statuses = [];
  }

  header(header: SessionHeader, slot: TitleSlot | undefined): void {
    this.#header = header;
    this.#slot = slot;
  }

  entry(entry: IndexedEntry): void {
    if (entry.seq === 0) return;
    const { type, value, timestampMs: ms } = entry;
    this.#counts.entryCount += 1;
    if (ms !== undefined) {
      if (this.#oldestMs === undefined || ms < this.#oldestMs) this.#oldestMs = ms;
      if (this.#newestMs === undefined || ms > this.#newestMs) this.#newestMs = ms;
    }
    if (type === 'message') this.#message(entry);
    else if (type === 'compaction') {
      this.#counts.compactionCount += 1;
      this.#shortSummary = nonEmptyString(value.shortSummary) ?? this.#shortSummary;
    } else this.#title = readTitle(value) ?? this.#title;
  }

  finish(tree: FileTree): void {
    const header = this.#header;
    if (!header) return;
    const headerMs = timestampMs(header.timestamp);
    const created = [headerMs, this.#oldestMs].filter((ms) => ms !== undefined);
    this.#rows.add({
      id: this.#fileId,
      sessionId: header.id,
      cwd: nonEmptyString(header.cwd) ?? '',
      version: versionOf(header),
      ...this.#readTitle(header),
      parentSession: lineageOf(header) ?? null,
      parentFileId: null,
      headerMs: headerMs ?? null,
      createdMs: created.length > 0 ? Math.min(...created) : null,
      modifiedMs: this.#newestMs ?? null,
      firstMessage: this.#firstMessage ?? null,
      shortSummary: this.#shortSummary ?? null,
      ...this.#counts,
      leafCount: tree.leafCount,
      branchPointCount: tree.branchPointCount,
      orphanCount: tree.orphanCount,
      leafSeq: tree.leafSeq ?? null,
      status: this.#statusAt(tree),
      ...NOTHING_COUNTED,
    });
  }

  flush(): void {
    this.#rows.flush();
  }

  #message({ seq, role, value }: IndexedEntry): void {
    this.#counts.messageCount += 1;
    if (role === 'user') this.#counts.userCount += 1;
    else if (role === 'assistant') this.#counts.assistantCount += 1;
    else if (role === 'toolResult') this.#counts.toolResultCount += 1;
    if (!isObject(value.message)) return;
    this.#statuses[seq] = statusAfter(role, value.message);
    if (role === 'user') this.#firstMessage ??= firstText(value.message.content);
  }

  #readTitle(header: SessionHeader): { title: string | null; titleSource: string | null } {
    const slot = nonEmptyString(this.#slot?.title);
    const fallback =
      slot === undefined
        ? { title: nonEmptyString(header.title), source: nonEmptyString(header.titleSource) }
        : { title: slot, source: nonEmptyString(this.#slot?.source) };
    const title = nonEmptyString((this.#title ?? fallback).title);
    if (title === undefined) return { title: null, titleSource: null };
    return { title, titleSource: (this.#title ?? fallback).source ?? null };
  }

  /** The last message on the path to the leaf decides; bounded by the tree's size, since a path may be a cycle. */
  #statusAt(tree: FileTree): Status {
    let seq = tree.leafSeq ?? ROOT;
    for (let steps = 0; seq > 0 && steps < tree.size; steps += 1) {
      const status = this.#statuses[seq];
      if (status) return status;
      seq = tree.parents[seq] ?? ROOT;
    }
    return 'pending';
  }
}

function firstText(content: unknown): string | undefined {
  if (typeof content === 'string') return nonEmptyString(content);
  if (!Array.isArray(content)) return undefined;
  for (const block of content) {
    if (isObject(block) && block.type === 'text' && nonEmptyString(block.text))
      return nonEmptyString(block.text);
  }
  return undefined;
}

function noCounts() {
  return {
    entryCount: 0,
    messageCount: 0,
    userCount: 0,
    assistantCount: 0,
    toolResultCount: 0,
    compactionCount: 0,
  };
}

/** Filled in by `settle.ts`, which knows what counts. */
const NOTHING_COUNTED = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  premiumRequests: 0,
  costUsd: 0,
};
