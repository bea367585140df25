import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SessiondexError } from '../errors.js';
import { type Host, processHost } from '../host.js';
import { safeLine } from '../report/sanitize.js';
import { defaultDbPath } from '../session-index/locations.js';
import type { RunOptions } from '../session-index/progress.js';
import type { SessionIndex } from '../session-index/session-index.js';
import type { OptionValues } from './option-types.js';
import { ProgressLine } from './output/progress.js';
import type { Terminal } from './output/terminal.js';

/** What a command works with. */
export class CommandContext {
  readonly terminal: Terminal;
  readonly host: Host;
  readonly signal: AbortSignal;
  readonly #options: OptionValues;
  readonly #progress: ProgressLine;
  #index: SessionIndex | undefined;

  constructor(terminal: Terminal, signal: AbortSignal, options: OptionValues, host: Host = processHost) {
    this.terminal = terminal;
    this.host = host;
    this.signal = signal;
    this.#options = options;
    this.#progress = new ProgressLine(terminal.err, process.stderr.isTTY === true, () => host.now());
  }

  get wantsJson(): boolean {
    return this.#options['json'] === true;
  }

  get wantsJsonLines(): boolean {
    return this.#options['jsonl'] === true;
  }

  get dbPath(): string {
    return typeof this.#options['db'] === 'string' ? this.#options['db'] : defaultDbPath(this.host);
  }

  get roots(): readonly string[] | undefined {
    const roots = this.#options['root'];
    return Array.isArray(roots) && roots.length > 0 ? (roots as string[]) : undefined;
  }

  get runOptions(): RunOptions {
    return {
      signal: this.signal,
      onProgress: this.#progress.update,
      onNotice: (message) => this.note(message),
    };
  }

  /** The index, not brought up to date. */
  async openIndex(): Promise<SessionIndex> {
    const { SessionIndex: Index } = await import('../session-index/session-index.js');
    this.#index ??= await Index.open({ roots: this.roots, dbPath: this.dbPath, host: this.host });
    return this.#index;
  }

  /** The index, brought up to date unless `--no-sync` says not to. */
  async openSynced(): Promise<SessionIndex> {
    const index = await this.openIndex();
    if (this.#options['sync'] === false) return index;
    try {
      await index.sync(this.runOptions);
    } finally {
      this.#progress.clear();
    }
    return index;
  }

  clearProgress(): void {
    this.#progress.clear();
  }

  close(): void {
    this.#progress.clear();
    this.#index?.close();
  }

  /** One line on stderr, for people. */
  note(message: string): void {
    this.#progress.clear();
    this.terminal.err(`sessiondex: ${safeLine(message)}\n`);
  }

  json(document: unknown): void {
    this.terminal.out(`${JSON.stringify(document, null, this.terminal.isInteractive ? 2 : undefined)}\n`);
  }

  jsonLines(rows: readonly unknown[]): void {
    for (const row of rows) this.terminal.out(`${JSON.stringify(row)}\n`);
  }

  /** Remembers what a list showed, so that `@3` means its third session. Best effort. */
  rememberList(paths: readonly string[]): void {
    try {
      mkdirSync(dirname(this.dbPath), { recursive: true, mode: 0o700 });
      writeFileSync(this.#lastListPath, JSON.stringify(paths), { mode: 0o600 });
    } catch {
      // A read-only place: @N will say that there is no list.
    }
  }

  /** A session argument: `@last` and `@N` are paths of the last list; anything else is left to the index. */
  sessionArgument(argument: string): string {
    const [, position] = /^@(last|\d+)$/.exec(argument) ?? [];
    if (position === undefined) return argument;
    const paths = this.#lastList();
    const found = paths[position === 'last' ? 0 : Number(position) - 1];
    if (found !== undefined) return found;
    throw new SessiondexError('SESSION_NOT_FOUND', `the last list has no ${argument}`, {
      hint: 'Run "sessiondex list" first; @1 is its first session.',
    });
  }

  get #lastListPath(): string {
    return join(dirname(this.dbPath), 'last-list.json');
  }

  #lastList(): string[] {
    try {
      const paths: unknown = JSON.parse(readFileSync(this.#lastListPath, 'utf8'));
      return Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : [];
    } catch {
      return []; // ENOENT: nothing was listed yet
    }
  }
}
