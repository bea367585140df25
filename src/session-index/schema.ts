import { sql } from 'drizzle-orm';
import { index, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * The schema of the derived index, written once: drizzle-kit makes the migrations of it, Kysely takes its types from it.
 *
 * Keys. A session file has a number, `files.id`, that is never used again: a file that was rewritten gets a new one.
 * Everything that belongs to a file has the key `fileId * ROW_SPAN + n` (`keys.ts`), so that a file's rows of any table
 * are one range of its primary key. For entries, `n` is the entry's sequence number in the file, the header being 0.
 * Columns named `…_seq` hold such a sequence number of the same file.
 *
 * Times are Unix ms, sizes and offsets bytes, costs US dollars. NULL means that the file does not say.
 */

/** One row: what this database is and how far it has come. */
export const indexState = sqliteTable('index_state', {
  id: integer('id').primaryKey(),
  /** Changes when the database is made anew: a revision is comparable only together with it. */
  uuid: text('uuid').notNull(),
  /** Counts every change of content. */
  revision: integer('revision').notNull(),
  /** The version of the rules by which rows were derived; another one means that they are derived again. */
  derivation: integer('derivation').notNull(),
  /** The next unused `files.id`. */
  nextFileId: integer('next_file_id').notNull(),
  /** Names the current shards' files; a full rebuild begins a new generation. */
  generation: text('generation').notNull(),
  /** When the last full build ended; NULL before the first. */
  builtMs: integer('built_ms'),
});

/** The search databases beside this one, by number. */
export const shards = sqliteTable('shards', {
  id: integer('id').primaryKey(),
  /** File name in the folder of this database. */
  fileName: text('file_name').notNull(),
});

/** Numbers of files that are gone and whose text still stands in a shard; it is removed by a later change. */
export const retiredFiles = sqliteTable('retired_files', {
  id: integer('id').primaryKey(),
  shardId: integer('shard_id').notNull(),
  /** The revision from which on the file was gone. */
  revision: integer('revision').notNull(),
});

/** The folders that were searched for session files, as absolute paths. */
export const roots = sqliteTable('roots', {
  id: integer('id').primaryKey(),
  path: text('path').notNull().unique(),
});

/** Every `*.jsonl` that was seen: the memory of the drift detector. */
export const files = sqliteTable('files', {
  id: integer('id').primaryKey(),
  /** Absolute. */
  path: text('path').notNull().unique(),
  /** Device, inode, size, mtime and ctime in ns, as `stamp.ts` writes them: equal stamps mean an unchanged file. */
  stamp: text('stamp').notNull(),
  sizeBytes: integer('size_bytes').notNull(),
  mtimeMs: integer('mtime_ms').notNull(),
  /** Bytes that were read into the index. */
  indexedBytes: integer('indexed_bytes').notNull(),
  /** CRC-32 of those bytes. */
  checksum: integer('checksum').notNull(),
  /** `session`, `not-a-session` or `unreadable`. */
  status: text('status', { enum: ['session', 'not-a-session', 'unreadable'] }).notNull(),
  /** What the file is instead of a session, or the system's error code. */
  kind: text('kind').notNull(),
  /** One sentence; empty for a session. */
  reason: text('reason').notNull(),
  lineCount: integer('line_count').notNull(),
  /** All problems, of which `problems` holds at most the first `MAX_STORED_PROBLEMS`. */
  problemCount: integer('problem_count').notNull(),
  shardId: integer('shard_id').notNull(),
});

/** Lines that could not be read, or not as they should be. Key: file and number of the problem. */
export const problems = sqliteTable('problems', {
  id: integer('id').primaryKey(),
  kind: text('kind').notNull(),
  byteOffset: integer('byte_offset').notNull(),
  byteLength: integer('byte_length').notNull(),
  line: integer('line').notNull(),
  message: text('message').notNull(),
});

/** One row for each file that is a session; same id as in `files`. */
export const sessions = sqliteTable(
  'sessions',
  {
    id: integer('id').primaryKey(),
    /** The header's id; may stand in several files. */
    sessionId: text('session_id').notNull(),
    /** The header's cwd: the project. Empty when the header does not say. */
    cwd: text('cwd').notNull(),
    /** As written; absent means 1. */
    version: integer('version').notNull(),
    /** The last title entry, else the title slot, else the header's. */
    title: text('title'),
    titleSource: text('title_source'),
    /** `parentSession` or `branchedFrom` as written: an id or a path. */
    parentSession: text('parent_session'),
    /** The parent session's file, where one is known. */
    parentFileId: integer('parent_file_id'),
    headerMs: integer('header_ms'),
    /** The earliest of the header's and the entries' times. */
    createdMs: integer('created_ms'),
    /** The newest entry's time. */
    modifiedMs: integer('modified_ms'),
    firstMessage: text('first_message'),
    /** Of the last compaction that has one. */
    shortSummary: text('short_summary'),
    entryCount: integer('entry_count').notNull(),
    messageCount: integer('message_count').notNull(),
    userCount: integer('user_count').notNull(),
    assistantCount: integer('assistant_count').notNull(),
    toolResultCount: integer('tool_result_count').notNull(),
    compactionCount: integer('compaction_count').notNull(),
    /** Entries that are nobody's parent. */
    leafCount: integer('leaf_count').notNull(),
    /** Entries with more than one child. */
    branchPointCount: integer('branch_point_count').notNull(),
    /** Entries whose parent is not in the file. */
    orphanCount: integer('orphan_count').notNull(),
    leafSeq: integer('leaf_seq'),
    /** From the last message on the path to the leaf. */
    status: text('status', { enum: ['complete', 'interrupted', 'aborted', 'error', 'pending'] }).notNull(),
    /** Tokens and US dollars of the entries that count here (`usage.is_counted`). */
    input: integer('input').notNull(),
    output: integer('output').notNull(),
    cacheRead: integer('cache_read').notNull(),
    cacheWrite: integer('cache_write').notNull(),
    totalTokens: integer('total_tokens').notNull(),
    premiumRequests: real('premium_requests').notNull(),
    costUsd: real('cost_usd').notNull(),
  },
  (table) => [index('sessions_by_session_id').on(table.sessionId)],
);

/** Every type and role of entries. Ids of the format's own types are fixed, others derived from the name (`keys.ts`). */
export const kinds = sqliteTable('kinds', {
  id: integer('id').primaryKey(),
  type: text('type').notNull(),
  /** Of a message; empty otherwise. */
  role: text('role').notNull(),
});

/** The header (number 0) and every entry: where its line stands. Content stays in the file. */
export const entries = sqliteTable(
  'entries',
  {
    id: integer('id').primaryKey(),
    /** NULL: not addressable. Of version 1 files, the id that migration gives. */
    entryId: text('entry_id'),
    kindId: integer('kind_id').notNull(),
    timestampMs: integer('timestamp_ms'),
    byteOffset: integer('byte_offset').notNull(),
    byteLength: integer('byte_length').notNull(),
    /** Of the text, time, type and usage: equal in copies of one entry. */
    digest: integer('digest').notNull(),
  },
  (table) => [index('entries_by_entry_id').on(table.entryId)],
);

/**
 * The tree's edges, run-length encoded. Key: the run's first entry. Every entry of a run but the first has the entry
 * before it as parent; the first has `parent_seq`, NULL for a root or an orphan.
 */
export const parents = sqliteTable('parents', {
  id: integer('id').primaryKey(),
  lastSeq: integer('last_seq').notNull(),
  parentSeq: integer('parent_seq'),
});

/** Entries whose parent is not in the file. Key: the entry. */
export const orphans = sqliteTable('orphans', {
  id: integer('id').primaryKey(),
  parentId: text('parent_id').notNull(),
});

/** Every label entry. Key: the entry. */
export const labels = sqliteTable('labels', {
  id: integer('id').primaryKey(),
  targetId: text('target_id').notNull(),
  /** NULL: the target is not in the file. */
  targetSeq: integer('target_seq'),
  /** NULL: clears. */
  label: text('label'),
  /** 1 for the label that stands on its target now. */
  isCurrent: integer('is_current').notNull(),
});

/** Images in entries. Key: file and number of the image. Whether a blob is there is asked of the disk, not stored. */
export const blobRefs = sqliteTable(
  'blob_refs',
  {
    id: integer('id').primaryKey(),
    entrySeq: integer('entry_seq').notNull(),
    /** NULL: the image is inline. */
    hash: text('hash'),
    mediaType: text('media_type').notNull(),
    /** Characters of base64 of an inline image. */
    inlineChars: integer('inline_chars').notNull(),
  },
  (table) => [index('blob_refs_by_hash').on(table.hash)],
);

/** Models by provider. The id is derived from the names. */
export const models = sqliteTable('models', {
  id: integer('id').primaryKey(),
  provider: text('provider').notNull(),
  model: text('model').notNull(),
});

/** What each model answer used. Key: file and number of the record. */
export const usage = sqliteTable(
  'usage',
  {
    id: integer('id').primaryKey(),
    entrySeq: integer('entry_seq').notNull(),
    source: text('source', {
      enum: ['message', 'model_usage', 'compaction', 'branch_summary', 'task', 'child'],
    }).notNull(),
    modelId: integer('model_id').notNull(),
    timestampMs: integer('timestamp_ms'),
    input: integer('input').notNull(),
    output: integer('output').notNull(),
    cacheRead: integer('cache_read').notNull(),
    cacheWrite: integer('cache_write').notNull(),
    totalTokens: integer('total_tokens').notNull(),
    premiumRequests: real('premium_requests').notNull(),
    costUsd: real('cost_usd').notNull(),
    /** 0: no cost was recorded, which is not the same as free. */
    isPriced: integer('is_priced').notNull(),
    /** Of a task's result: the subagent, whose own session file is called so; empty otherwise. */
    agent: text('agent').notNull(),
    /** Empty where the record is no answer or does not say. */
    stopReason: text('stop_reason').notNull(),
    /** 0: a copy of an entry that counts elsewhere, or a roll-up of a subagent whose own session is indexed. */
    isCounted: integer('is_counted').notNull(),
  },
  (table) => [
    // Which of these count depends on other files: they are looked at again whenever one changes.
    index('usage_roll_ups').on(table.source).where(sql`source IN ('task', 'child')`),
  ],
);

/** Model, thinking level and mode over time. Key: the entry. */
export const modelChanges = sqliteTable('model_changes', {
  id: integer('id').primaryKey(),
  kind: text('kind', { enum: ['model', 'thinking', 'mode'] }).notNull(),
  /** Of a model change; empty otherwise. */
  role: text('role').notNull(),
  value: text('value').notNull(),
});

/** Calls of tools by the assistant. Key: file and number of the call. */
export const toolCalls = sqliteTable('tool_calls', {
  id: integer('id').primaryKey(),
  entrySeq: integer('entry_seq').notNull(),
  name: text('name').notNull(),
  /** NULL: no result is in the file. */
  resultSeq: integer('result_seq'),
  outcome: text('outcome', { enum: ['ok', 'error', 'none'] }).notNull(),
});

/** Entries that are copies of an entry in another file. Key: the copy. */
export const copies = sqliteTable(
  'copies',
  {
    id: integer('id').primaryKey(),
    /** Key of the entry that was there first. */
    originalId: integer('original_id').notNull(),
  },
  (table) => [index('copies_by_original').on(table.originalId)],
);
