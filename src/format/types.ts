/**
 * What a session file holds, as TypeScript types (FORMAT section 2).
 *
 * Files are read leniently: every field but `type` may be missing or of another shape in a real file, so code that
 * reads foreign data goes through `spellings.ts` instead of trusting these types. What the project writes, it writes
 * exactly as typed here.
 */

/** The version that new files carry and that migration ends at (F11-F13). */
export const CURRENT_SESSION_VERSION = 3;

/** Unknown fields survive load, rewrite and fork unchanged (F10). */
export interface Extensible {
  [field: string]: unknown;
}

export interface SessionHeader extends Extensible {
  type: 'session';
  /** Absent in version 1 files. */
  version?: number;
  id: string;
  /** ISO 8601. */
  timestamp: string;
  /** Absolute working directory; decides which project the session belongs to (F1). */
  cwd: string;
  title?: string;
  titleSource?: TitleSource;
  /** Opaque lineage: an id or a path. */
  parentSession?: string;
}

/** Who chose a title: a name set by the user is never replaced by an automatic one. */
export type TitleSource = 'user' | 'auto' | (string & {});

/** The fixed-width title line that some writers put before the header; not an entry. */
export interface TitleSlot extends Extensible {
  type: 'title';
  v?: number;
  title: string;
  source?: TitleSource;
  updatedAt?: string;
  pad?: string;
}

export interface SessionEntryBase extends Extensible {
  type: string;
  /** 8 characters when written by us; any non-empty string is read. */
  id: string;
  /** null for a root. */
  parentId: string | null;
  /** ISO 8601. */
  timestamp: string;
}

export interface SessionMessageEntry extends SessionEntryBase {
  type: 'message';
  message: AgentMessage;
}

export interface ModelChangeEntry extends SessionEntryBase {
  type: 'model_change';
  /** `provider/modelId`. */
  model: string;
  /** Absent means `default`. */
  role?: string;
}

export interface ThinkingLevelChangeEntry extends SessionEntryBase {
  type: 'thinking_level_change';
  /** null or absent means `off`. */
  thinkingLevel?: string | null;
}

export interface CompactionEntry extends SessionEntryBase {
  type: 'compaction';
  summary: string;
  shortSummary?: string;
  firstKeptEntryId: string;
  /** Tokens in the context before the compaction. */
  tokensBefore: number;
  details?: unknown;
  preserveData?: Record<string, unknown>;
  fromExtension?: boolean;
}

export interface BranchSummaryEntry extends SessionEntryBase {
  type: 'branch_summary';
  /** The entry branched from, or the literal `root`. */
  fromId: string;
  summary: string;
  details?: unknown;
  fromExtension?: boolean;
}

export interface CustomEntry extends SessionEntryBase {
  type: 'custom';
  customType: string;
  data?: unknown;
}

export interface CustomMessageEntry extends SessionEntryBase {
  type: 'custom_message';
  customType: string;
  content: string | ContentBlock[];
  display: boolean;
  details?: unknown;
}

export interface LabelEntry extends SessionEntryBase {
  type: 'label';
  targetId: string;
  /** Absent clears the label of the target. */
  label?: string | undefined;
}

export interface TtsrInjectionEntry extends SessionEntryBase {
  type: 'ttsr_injection';
  injectedRules: string[];
}

export interface SessionInitEntry extends SessionEntryBase {
  type: 'session_init';
  systemPrompt: string;
  task: string;
  tools: string[];
  outputSchema?: unknown;
}

export interface ModeChangeEntry extends SessionEntryBase {
  type: 'mode_change';
  /** `none` leaves a mode. */
  mode: string;
  data?: Record<string, unknown>;
}

/** Every entry type that the project writes. Types it does not know are carried as `SessionEntryBase`. */
export type SessionEntry =
  | SessionMessageEntry
  | ModelChangeEntry
  | ThinkingLevelChangeEntry
  | CompactionEntry
  | BranchSummaryEntry
  | CustomEntry
  | CustomMessageEntry
  | LabelEntry
  | TtsrInjectionEntry
  | SessionInitEntry
  | ModeChangeEntry;

export type SessionEntryType = SessionEntry['type'];

/** A line of a session file: the header or an entry. */
export type FileEntry = SessionHeader | SessionEntry;

export interface TextBlock extends Extensible {
  type: 'text';
  text: string;
  textSignature?: string;
}

export interface ThinkingBlock extends Extensible {
  type: 'thinking';
  thinking: string;
  thinkingSignature?: string;
}

export interface ToolCallBlock extends Extensible {
  type: 'toolCall';
  id: string;
  name: string;
  arguments: Record<string, unknown>;
}

export interface ImageBlock extends Extensible {
  type: 'image';
  /** base64, or `blob:sha256:<64 hex digits>` in a file (F36-F38). */
  data: string;
  mimeType: string;
}

export type ContentBlock = TextBlock | ThinkingBlock | ToolCallBlock | ImageBlock;

/** Tokens by kind, and US dollars. */
export interface Usage extends Extensible {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  totalTokens?: number;
  premiumRequests?: number;
  cost: UsageCost;
}

/** US dollars. */
export interface UsageCost extends Extensible {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  total: number;
}

export interface UserMessage extends Extensible {
  role: 'user';
  content: string | ContentBlock[];
  /** Unix ms. */
  timestamp?: number;
}

export interface AssistantMessage extends Extensible {
  role: 'assistant';
  content: ContentBlock[];
  provider: string;
  model: string;
  api?: string;
  usage: Usage;
  stopReason?: string;
  errorMessage?: string;
  timestamp?: number;
}

export interface ToolResultMessage extends Extensible {
  role: 'toolResult';
  toolCallId: string;
  toolName: string;
  content: ContentBlock[];
  details?: unknown;
  isError: boolean;
  timestamp?: number;
}

export interface BashExecutionMessage extends Extensible {
  role: 'bashExecution';
  command: string;
  output: string;
  exitCode?: number | null;
  timestamp?: number;
}

export interface PythonExecutionMessage extends Extensible {
  role: 'pythonExecution';
  code: string;
  output: string;
  timestamp?: number;
}

export interface CustomMessage extends Extensible {
  role: 'custom';
  customType: string;
  content: string | ContentBlock[];
  display: boolean;
  details?: unknown;
  timestamp: number;
}

export interface BranchSummaryMessage extends Extensible {
  role: 'branchSummary';
  summary: string;
  fromId: string;
  timestamp: number;
}

export interface CompactionSummaryMessage extends Extensible {
  role: 'compactionSummary';
  summary: string;
  shortSummary?: string | undefined;
  tokensBefore: number;
  timestamp: number;
}

export interface FileMentionMessage extends Extensible {
  role: 'fileMention';
  files: unknown[];
  timestamp?: number;
}

/** Any role that is none of the others: carried as it is. */
export interface OtherMessage extends Extensible {
  role: string & {};
}

export type AgentMessage =
  | UserMessage
  | AssistantMessage
  | ToolResultMessage
  | BashExecutionMessage
  | PythonExecutionMessage
  | CustomMessage
  | BranchSummaryMessage
  | CompactionSummaryMessage
  | FileMentionMessage
  | OtherMessage;
