/** The public API of sessiondex, and nothing else. */

export { type ErrorCode, type ErrorReport, SessiondexError, type Where } from './errors.js';
export { type LoadedFile, loadEntries, type Place, parseSessionEntries } from './format/load.js';
export { migrateSessionEntries } from './format/migrate/migrate.js';
export type { Problem, ProblemKind } from './format/problem.js';
export type { FileKind } from './format/recognise.js';
export {
  type AgentMessage,
  type AssistantMessage,
  type BashExecutionMessage,
  type BranchSummaryEntry,
  type BranchSummaryMessage,
  type CompactionEntry,
  type CompactionSummaryMessage,
  type ContentBlock,
  CURRENT_SESSION_VERSION,
  type CustomEntry,
  type CustomMessage,
  type CustomMessageEntry,
  type FileEntry,
  type FileMentionMessage,
  type ImageBlock,
  type LabelEntry,
  type ModeChangeEntry,
  type ModelChangeEntry,
  type OtherMessage,
  type PythonExecutionMessage,
  type SessionEntry,
  type SessionEntryBase,
  type SessionEntryType,
  type SessionHeader,
  type SessionInitEntry,
  type SessionMessageEntry,
  type TextBlock,
  type ThinkingBlock,
  type ThinkingLevelChangeEntry,
  type TitleSlot,
  type TitleSource,
  type ToolCallBlock,
  type ToolResultMessage,
  type TtsrInjectionEntry,
  type Usage,
  type UsageCost,
  type UserMessage,
} from './format/types.js';
export { type Host, processHost } from './host.js';
export type { NewSessionOptions } from './session/live-session.js';
export { loadEntriesFromFile } from './session/load-entries.js';
export { type AgentLocations, agentLocations } from './session/locations.js';
export type { RecentSessionInfo } from './session/recent.js';
export {
  AmbiguousSessionError,
  findMostRecentSession,
  getRecentSessions,
  type ResolvedSessionMatch,
  resolveResumableSession,
} from './session/resume.js';
export { type CopyOptions, SessionManager, type SessionManagerState } from './session/session-manager.js';
export type { Progress, RunOptions } from './session-index/progress.js';
export type { FileProblem, SyncReport } from './session-index/reports.js';
export type {
  Difference,
  IndexHealth,
  ListOptions,
  ListResult,
  PlacedEntry,
  SearchHit,
  SearchOptions,
  SearchPart,
  SearchResult,
  SessionStatus,
  SessionSummary,
  ShowOptions,
  ShowResult,
  UsageTotals,
  VerifyResult,
} from './session-index/results.js';
export { SessionIndex, type SessionIndexOptions } from './session-index/session-index.js';
export { BlobStore, type BlobStoreOptions } from './storage/blob-store.js';
export type { CatalogScope, SessionCatalog, SessionInfo } from './storage/catalog.js';
export { FileSessionStorage, type FileStorageOptions } from './storage/file-storage.js';
export { MemorySessionStorage } from './storage/memory-storage.js';
export type {
  LogDrift,
  OpenLogOptions,
  OpenWriterOptions,
  SeenPosition,
  SessionLog,
  SessionStorage,
  SessionStorageStat,
  SessionStorageWriter,
  StorageSupports,
} from './storage/session-storage.js';
export { buildSessionContext, getLatestCompactionEntry, type SessionContext } from './tree/context.js';
export { type Finding, type FindingKind, inspectEntries } from './tree/inspect.js';
export type { SessionTreeNode } from './tree/nodes.js';
export type { UsageStatistics } from './tree/stats.js';
