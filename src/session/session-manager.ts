import path from 'node:path';
import { isObject } from '../format/json.js';
import type { Problem } from '../format/problem.js';
import type {
  AgentMessage,
  ContentBlock,
  SessionEntry,
  SessionHeader,
  TitleSource,
} from '../format/types.js';
import { type Host, processHost } from '../host.js';
import type { SessionInfo } from '../storage/catalog.js';
import { FileSessionStorage } from '../storage/file-storage.js';
import { MemorySessionStorage } from '../storage/memory-storage.js';
import type { SessionStorage } from '../storage/session-storage.js';
import type { SessionContext } from '../tree/context.js';
import type { SessionTreeNode } from '../tree/nodes.js';
import type { UsageStatistics } from '../tree/stats.js';
import { Breadcrumbs } from './breadcrumbs.js';
import { listAllSessions, listSessions } from './discovery.js';
import { storedName } from './display-name.js';
import { branchOut, type ForkResult, forkSession } from './fork.js';
import { EntryIds } from './ids.js';
import { LiveSession, type NewSessionOptions } from './live-session.js';
import { agentLocations, defaultSessionDir } from './locations.js';
import { destinationOf, moveSession } from './move.js';
import { rename } from './rename.js';
import { mostRecentFor } from './resume.js';

/** A session that a manager had, to go back to when switching to another one fails. */
export interface SessionManagerState {
  readonly cwd: string;
  readonly sessionDir: string;
  readonly live: LiveSession;
  readonly leafId: string | null;
}

export interface CopyOptions {
  /** Whether this manager goes on in the copy. Default: it goes on in the original. */
  readonly follow?: boolean;
}

/**
 * One session: an append-only tree of entries in a JSONL file, and the leaf that the next append hangs under.
 *
 * When an `append…` call returns, the entry is in memory, and on its way in the file: the line has been handed to the
 * operating system, once the session holds an answer (F31). When `flush` resolves, the disk has it. docs/log.md says
 * what holds after a crash, on a full disk and with several processes.
 */
export class SessionManager {
  readonly #storage: SessionStorage;
  readonly #host: Host;
  readonly #isPersisted: boolean;
  readonly #ids: EntryIds;
  readonly #breadcrumbs: Breadcrumbs;
  #cwd: string;
  #sessionDir: string;
  #live: LiveSession;

  private constructor(
    cwd: string,
    sessionDir: string,
    isPersisted: boolean,
    storage: SessionStorage,
    host: Host,
  ) {
    this.#cwd = cwd;
    this.#sessionDir = sessionDir;
    this.#isPersisted = isPersisted;
    this.#storage = storage;
    this.#host = host;
    this.#ids = new EntryIds(host);
    this.#breadcrumbs = new Breadcrumbs(storage, host);
    this.#live = this.#fresh();
  }

  // ---- opening ----------------------------------------------------------------------------------------------------

  /** A new session. Its file appears with the first answer (F31). */
  static create(
    cwd: string,
    sessionDir?: string,
    storage: SessionStorage = new FileSessionStorage(),
    host: Host = processHost,
  ): SessionManager {
    const directory = path.resolve(cwd);
    const dir = sessionDir ?? SessionManager.getDefaultSessionDir(directory, undefined, storage, host);
    const manager = new SessionManager(directory, path.resolve(dir), true, storage, host);
    manager.#leaveBreadcrumb();
    return manager;
  }

  /**
   * The session in a file (F16-F18). Where there is none, a new one begins at that path; bytes that were no session are
   * kept beside it (F15). Throws FILE_IO when the file cannot be read.
   *
   * @param sessionDir where sessions made from this one go; the file's own directory by default
   */
  static async open(
    filePath: string,
    sessionDir?: string,
    storage: SessionStorage = new FileSessionStorage(),
    host: Host = processHost,
  ): Promise<SessionManager> {
    const dir = path.resolve(sessionDir ?? path.dirname(filePath));
    const manager = new SessionManager(process.cwd(), dir, true, storage, host);
    await manager.setSessionFile(filePath);
    manager.#cwd = manager.getHeader().cwd || manager.#cwd;
    manager.#leaveBreadcrumb();
    return manager;
  }

  /** The terminal's last session in this directory, else the newest one of the project, else a new one (F4). */
  static async continueRecent(
    cwd: string,
    sessionDir?: string,
    storage: SessionStorage = new FileSessionStorage(),
    host: Host = processHost,
  ): Promise<SessionManager> {
    const directory = path.resolve(cwd);
    const found = await mostRecentFor(directory, sessionDir, storage, host);
    if (found === undefined) return SessionManager.create(directory, sessionDir, storage, host);
    const dir = sessionDir ?? path.dirname(found);
    const manager = new SessionManager(directory, path.resolve(dir), true, storage, host);
    await manager.setSessionFile(found);
    return manager;
  }

  /** A copy of another session's file, in this project. Throws SESSION_NOT_FOUND when there is no session. */
  static async forkFrom(
    sourcePath: string,
    cwd: string,
    sessionDir?: string,
    storage: SessionStorage = new FileSessionStorage(),
    host: Host = processHost,
  ): Promise<SessionManager> {
    const source = path.resolve(sourcePath);
    const from = await LiveSession.read(source, { storage, host });
    const manager = SessionManager.create(cwd, sessionDir, storage, host);
    const target = manager.#target({ parentSession: from.content.header.id });
    await manager.#switchTo(await forkSession(from, source, target, manager.#environment()));
    return manager;
  }

  /** A session without a file (F30). */
  static inMemory(
    cwd: string = process.cwd(),
    storage: SessionStorage = new MemorySessionStorage(),
    host: Host = processHost,
  ): SessionManager {
    return new SessionManager(path.resolve(cwd), '', false, storage, host);
  }

  /** One project's sessions, newest first (F45); with an empty cwd those of every project. */
  static async list(
    cwd: string,
    sessionDir?: string,
    storage: SessionStorage = new FileSessionStorage(),
    host: Host = processHost,
  ): Promise<SessionInfo[]> {
    return listSessions(cwd, sessionDir, storage, host);
  }

  /** All projects' sessions, those of subagents included, newest first (F45). */
  static async listAll(
    storage: SessionStorage = new FileSessionStorage(),
    host: Host = processHost,
  ): Promise<SessionInfo[]> {
    return listAllSessions(storage, host);
  }

  /** The folder of a project's sessions (F1), made if it is not there. */
  static getDefaultSessionDir(
    cwd: string,
    agentDir?: string,
    storage: SessionStorage = new FileSessionStorage(),
    host: Host = processHost,
  ): string {
    const dir = defaultSessionDir(agentLocations(host, agentDir), cwd);
    storage.ensureDirSync(dir);
    return dir;
  }

  // ---- the file ---------------------------------------------------------------------------------------------------

  /** Begins a new session in the same project and gives its path; undefined in memory. */
  async newSession(options: NewSessionOptions = {}): Promise<string | undefined> {
    const next = this.#fresh(options);
    await this.#switchTo(next);
    return this.getSessionFile();
  }

  /** Goes on with the session in another file; see `open`. */
  async setSessionFile(filePath: string): Promise<void> {
    const next = await LiveSession.open(path.resolve(filePath), this.#cwd, this.#environment());
    await this.#switchTo(next);
  }

  /**
   * Copies the session into a new file with an id of its own. The file exists when this resolves, artifacts are copied,
   * and this manager goes on in the original unless told to follow. Undefined in memory.
   */
  async fork(options: CopyOptions = {}): Promise<ForkResult | undefined> {
    const oldSessionFile = this.getSessionFile();
    if (!this.#isPersisted || oldSessionFile === undefined) return undefined;
    const target = this.#target({ parentSession: this.getSessionId() });
    const copy = await forkSession(this.#live, oldSessionFile, target, this.#environment());
    const newSessionFile = copy.path as string;
    if (options.follow) await this.#switchTo(copy);
    else await copy.close();
    return { oldSessionFile, newSessionFile };
  }

  /**
   * Copies the path from the root to an entry into a new file and gives its path. This manager goes on in the original
   * unless told to follow. In memory there is no other place: the path takes the session's place, and the result is
   * undefined. Throws `Entry <id> not found`.
   */
  createBranchedSession(leafId: string, options: CopyOptions = {}): string | undefined {
    const parentSession = this.#isPersisted ? this.getSessionFile() : undefined;
    const target = this.#target(parentSession === undefined ? {} : { parentSession });
    const copy = branchOut(this.#live, leafId, target, this.#ids, this.#environment());
    const isFollowing = options.follow === true || !this.#isPersisted;
    const left = isFollowing ? this.#live : copy;
    if (isFollowing) this.#live = copy;
    left.letGo();
    return copy.path;
  }

  /**
   * Takes the session to another working directory: file and artifacts move to that project's folder, and the header says
   * so. Nothing at the destination is replaced: FILE_IO when something is there.
   */
  async moveTo(cwd: string): Promise<void> {
    const target = path.resolve(cwd);
    if (target === this.#cwd) return;
    const move = {
      cwd: target,
      oldCwd: this.#cwd,
      oldDir: this.#sessionDir,
      environment: this.#environment(),
    };
    const sessionDir = this.#isPersisted ? destinationOf(move) : this.#sessionDir;
    await moveSession(this.#live, sessionDir, move);
    this.#cwd = target;
    this.#sessionDir = sessionDir;
    this.#leaveBreadcrumb();
    const { pipeline } = this.#live;
    if (pipeline?.failure !== undefined) throw pipeline.failure;
  }

  /** Writes the session now, answer or not. */
  async ensureOnDisk(): Promise<void> {
    const { pipeline } = this.#live;
    if (pipeline !== undefined && !pipeline.isOnDisk) pipeline.writeNow();
    await pipeline?.file.log.settled();
  }

  /** Resolves when everything is on the disk itself; rejects with PERSIST_FAILED when something is not (F32, F34). */
  async flush(): Promise<void> {
    await this.#live.pipeline?.flush();
  }

  /** `flush`, then lets go of the file. The manager can be used again: the next append opens it. */
  async close(): Promise<void> {
    await this.#live.close();
  }

  isPersisted(): boolean {
    return this.#isPersisted;
  }

  /** Takes in what other processes appended since; the leaf stays. Gives how many entries came. */
  refresh(): number {
    const before = this.#tree.entries.length;
    this.#live.pipeline?.absorb();
    return this.#tree.entries.length - before;
  }

  // ---- appending: each returns the new entry's id, and the entry is the leaf (F19) -------------------------------

  appendMessage(message: AgentMessage): string {
    if (!isObject(message)) throw new TypeError('message must be an object');
    return this.#append('message', { message });
  }

  /** @param model `provider/modelId`; @param role absent means `default` */
  appendModelChange(model: string, role?: string): string {
    return this.#append('model_change', { model, role });
  }

  appendThinkingLevelChange(level?: string | null): string {
    return this.#append('thinking_level_change', { thinkingLevel: level ?? null });
  }

  appendCompaction(
    summary: string,
    shortSummary: string | undefined,
    firstKeptEntryId: string,
    tokensBefore: number,
    details?: unknown,
    fromExtension?: boolean,
    preserveData?: Record<string, unknown>,
  ): string {
    return this.#append('compaction', {
      summary,
      shortSummary,
      firstKeptEntryId,
      tokensBefore,
      details,
      fromExtension,
      preserveData,
    });
  }

  appendCustomEntry(customType: string, data?: unknown): string {
    return this.#append('custom', { customType, data });
  }

  appendCustomMessageEntry(
    customType: string,
    content: string | ContentBlock[],
    display: boolean,
    details?: unknown,
    attribution?: string,
  ): string {
    return this.#append('custom_message', { customType, content, display, details, attribution });
  }

  /** An empty label or none clears it. Throws `Entry <id> not found` (F25). */
  appendLabelChange(targetId: string, label: string | undefined): string {
    this.#tree.requireEntry(targetId);
    return this.#append('label', { targetId, label: label || undefined });
  }

  appendTtsrInjection(rules: string[]): string {
    return this.#append('ttsr_injection', { injectedRules: rules });
  }

  appendSessionInit(init: {
    systemPrompt: string;
    task: string;
    tools: string[];
    outputSchema?: unknown;
  }): string {
    return this.#append('session_init', { ...init });
  }

  /** @param mode `none` leaves a mode */
  appendModeChange(mode: string, data?: Record<string, unknown>): string {
    return this.#append('mode_change', { mode, data });
  }

  // ---- branching --------------------------------------------------------------------------------------------------

  /** Moves the leaf. Throws `Entry <id> not found` (F20). */
  branch(branchFromId: string): void {
    this.#tree.branch(branchFromId);
  }

  /** The next append makes a root (F20). */
  resetLeaf(): void {
    this.#tree.resetLeaf();
  }

  /** Moves the leaf and appends the summary of what is left behind there (F21). */
  branchWithSummary(
    branchFromId: string | null,
    summary: string,
    details?: unknown,
    fromExtension?: boolean,
  ): string {
    this.#live.pipeline?.requireWritable();
    if (branchFromId === null) this.resetLeaf();
    else this.branch(branchFromId);
    return this.#append('branch_summary', {
      fromId: branchFromId ?? 'root',
      summary,
      details,
      fromExtension,
    });
  }

  // ---- reading ----------------------------------------------------------------------------------------------------

  /** All entries in insertion order, the header left out (F22). */
  getEntries(): SessionEntry[] {
    return [...this.#tree.entries];
  }

  getEntry(id: string): SessionEntry | undefined {
    return this.#tree.get(id);
  }

  getLeafId(): string | null {
    return this.#tree.leafId;
  }

  getLeafEntry(): SessionEntry | undefined {
    const { leafId } = this.#tree;
    return leafId === null ? undefined : this.#tree.get(leafId);
  }

  /** The path from the root to an entry, or to the leaf; empty for an unknown id. */
  getBranch(fromId?: string): SessionEntry[] {
    return this.#tree.path(fromId ?? this.#tree.leafId);
  }

  getChildren(parentId: string): SessionEntry[] {
    return this.#tree.children(parentId);
  }

  getTree(): SessionTreeNode[] {
    return this.#tree.tree();
  }

  getLabel(id: string): string | undefined {
    return this.#tree.labels.get(id);
  }

  getHeader(): SessionHeader {
    return this.#live.content.header;
  }

  getSessionId(): string {
    return this.getHeader().id;
  }

  /** Where the session is kept, or will be once there is an answer; undefined in memory. */
  getSessionFile(): string | undefined {
    return this.#live.path;
  }

  getSessionDir(): string {
    return this.#sessionDir;
  }

  getSessionName(): string | undefined {
    return this.#live.content.title().title;
  }

  getCwd(): string {
    return this.#cwd;
  }

  /** Of every entry in the session, on all branches. `usageStatistics(getBranch())` is that of one path. */
  getUsageStatistics(): UsageStatistics {
    return this.#live.content.usage();
  }

  buildSessionContext(): SessionContext {
    return this.#tree.context();
  }

  /** What was wrong with the file as far as it was read: lines that were skipped, with their places (F7). */
  getProblems(): readonly Problem[] {
    return this.#live.pipeline?.problems ?? [];
  }

  // ---- changing what stands ---------------------------------------------------------------------------------------

  /**
   * Names the session (F33). A name set by the user is never replaced by an automatic one, and an empty one is none:
   * then nothing happens and the result is false.
   */
  async setSessionName(name: string, source: TitleSource = 'auto'): Promise<boolean> {
    const title = storedName(name);
    if (title === '') return false;
    if (source === 'auto' && this.#live.content.title().source === 'user') return false;
    rename(this.#live, { title, source, updatedAt: this.#now() }, (type, fields) =>
      this.#append(type, fields),
    );
    await this.#live.pipeline?.file.log.settled();
    return true;
  }

  /** Writes the session anew after entries were changed in place (F33). */
  async rewriteEntries(): Promise<void> {
    this.#live.content.refresh();
    const { pipeline } = this.#live;
    if (pipeline?.isOnDisk) pipeline.rewrite();
    await pipeline?.file.log.settled();
  }

  /** Gives a tool call other arguments, in memory and in the file; false when no call has this id. */
  async rewriteToolCallArguments(toolCallId: string, args: Record<string, unknown>): Promise<boolean> {
    const call = this.#findToolCall(toolCallId);
    if (call === undefined) return false;
    this.#live.pipeline?.requireWritable();
    call.arguments = args;
    await this.rewriteEntries();
    return true;
  }

  captureState(): SessionManagerState {
    return { cwd: this.#cwd, sessionDir: this.#sessionDir, live: this.#live, leafId: this.#tree.leafId };
  }

  /** Back to a captured session and its leaf; entries appended to it since stay. */
  restoreState(state: SessionManagerState): void {
    if (this.#live !== state.live) this.#live.letGo();
    this.#cwd = state.cwd;
    this.#sessionDir = state.sessionDir;
    this.#live = state.live;
    this.#tree.restoreLeaf(state.leafId);
    this.#leaveBreadcrumb();
  }

  // ---- inside -----------------------------------------------------------------------------------------------------

  get #tree() {
    return this.#live.content.tree;
  }

  #append(type: string, fields: Record<string, unknown>): string {
    const { content, pipeline } = this.#live;
    const entry: SessionEntry = {
      type,
      id: this.#ids.next(content.tree),
      parentId: content.tree.leafId,
      timestamp: this.#now(),
    } as SessionEntry;
    for (const [key, value] of Object.entries(fields)) if (value !== undefined) entry[key] = value;
    if (pipeline === undefined) content.append(entry);
    else pipeline.append(entry);
    return entry.id;
  }

  #findToolCall(toolCallId: string): Record<string, unknown> | undefined {
    for (const entry of this.#tree.entries) {
      const message: unknown = entry.type === 'message' ? entry.message : undefined;
      if (!isObject(message) || message.role !== 'assistant' || !Array.isArray(message.content)) continue;
      const call = message.content.find((block) => block?.type === 'toolCall' && block.id === toolCallId);
      if (isObject(call)) return call;
    }
    return undefined;
  }

  #now(): string {
    return new Date(this.#host.now()).toISOString();
  }

  #environment() {
    return { storage: this.#storage, host: this.#host };
  }

  #target(options: NewSessionOptions) {
    return { cwd: this.#cwd, sessionDir: this.#sessionDir, isPersisted: this.#isPersisted, ...options };
  }

  #fresh(options: NewSessionOptions = {}): LiveSession {
    return LiveSession.fresh(this.#target(options), this.#environment());
  }

  /** What the session that is left behind could not write is thrown, and then nothing is switched. */
  async #switchTo(next: LiveSession): Promise<void> {
    try {
      await this.#live.close();
    } catch (error) {
      next.letGo();
      throw error;
    }
    this.#live = next;
    this.#leaveBreadcrumb();
  }

  #leaveBreadcrumb(): void {
    const file = this.getSessionFile();
    if (this.#isPersisted && file !== undefined) this.#breadcrumbs.write(this.#cwd, file);
  }
}
