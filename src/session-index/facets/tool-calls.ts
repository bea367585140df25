import type { Database } from 'better-sqlite3';
import { isObject, nonEmptyString } from '../../format/json.js';
import { rowKey } from '../keys.js';
import { RowInserter } from '../row-inserter.js';
import { toolCalls } from '../schema.js';
import type { Facet, IndexedEntry } from './facet.js';

interface Result {
  readonly seq: number;
  readonly isError: boolean;
}

/** The assistant's tool calls, each with its result by call id; of several results for one call the first counts. */
export class ToolCallsFacet implements Facet {
  readonly #rows: RowInserter<typeof toolCalls.$inferInsert>;
  #fileId = 0;
  #calls: { readonly entrySeq: number; readonly callId: string; readonly name: string }[] = [];
  #results = new Map<string, Result>();

  constructor(db: Database) {
    this.#rows = new RowInserter(db, toolCalls);
  }

  begin(fileId: number): void {
    this.#fileId = fileId;
    this.#calls = [];
    this.#results = new Map();
  }

  entry(entry: IndexedEntry): void {
    for (const { callId, name } of entry.content.toolCalls) {
      this.#calls.push({ entrySeq: entry.seq, callId, name });
    }
    const message = entry.value.message;
    if (entry.role !== 'toolResult' || !isObject(message)) return;
    const callId = nonEmptyString(message.toolCallId);
    if (callId === undefined || this.#results.has(callId)) return;
    this.#results.set(callId, { seq: entry.seq, isError: message.isError === true });
  }

  finish(): void {
    this.#calls.forEach(({ entrySeq, callId, name }, n) => {
      const result = this.#results.get(callId);
      this.#rows.add({
        id: rowKey(this.#fileId, n),
        entrySeq,
        name,
        resultSeq: result?.seq ?? null,
        outcome: outcomeOf(result),
      });
    });
  }

  flush(): void {
    this.#rows.flush();
  }
}

function outcomeOf(result: Result | undefined): 'ok' | 'error' | 'none' {
  if (!result) return 'none';
  return result.isError ? 'error' : 'ok';
}
