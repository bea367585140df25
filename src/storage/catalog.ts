/** What a list says of a session (F45). */
export interface SessionInfo {
  /** Absolute. The file is the identity of a stored session. */
  readonly path: string;
  /** As in the header; several files may have it. */
  readonly id: string;
  /** As in the header; empty where it says none. */
  readonly cwd: string;
  /** The session's name, else the last compaction's `shortSummary`. */
  readonly title?: string;
  /** The parent as the header has it: an id or a path. */
  readonly parentSessionPath?: string;
  /** The earliest of the header's and the entries' times, else the file's. */
  readonly created: Date;
  /** The newest entry's time, else the file's. */
  readonly modified: Date;
  /** Entries of type `message`. */
  readonly messageCount: number;
  /** The first user text, or `(no messages)`. */
  readonly firstMessage: string;
  /** The texts of user and assistant, joined by spaces. May read the file when asked for. */
  readonly allMessagesText: string;
}

/** Which sessions a catalog is asked for. */
export interface CatalogScope {
  /** Absolute folder; its `*.jsonl` files at any depth are looked at. */
  readonly root: string;
  /** Only files directly in `root`. */
  readonly flat?: boolean;
  /** Only sessions whose header has this working directory. */
  readonly cwd?: string;
  /** Sessions that lie in another session's directory too: those of its subagents. */
  readonly nested?: boolean;
}

/**
 * An ability that a storage may have: to answer for its sessions without their files being read. What it answers must
 * equal what the files say, newest first.
 */
export interface SessionCatalog {
  /** The sessions of one project or one folder. */
  list(scope: CatalogScope): Promise<SessionInfo[]>;
  /** All sessions under a root, nested ones included. */
  listAll(root: string): Promise<SessionInfo[]>;
  /** The sessions of a scope whose id or file name, timestamp left out or not, begins with `prefix` in any letter case (F46). */
  find(prefix: string, scope: CatalogScope): Promise<SessionInfo[]>;
}

/** How a storage says that it has a catalog. */
export interface WithCatalog {
  readonly catalog?: SessionCatalog | undefined;
}
