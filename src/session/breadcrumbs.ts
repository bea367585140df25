import path from 'node:path';
import { SESSION_SUFFIX, terminalId } from '../format/names.js';
import type { Host } from '../host.js';
import type { SessionStorage } from '../storage/session-storage.js';
import { agentLocations, sameDirectoryAs } from './locations.js';

/** Which session a terminal was last used for: two lines, the working directory and the session's file (F4). */
export class Breadcrumbs {
  readonly #storage: SessionStorage;
  readonly #host: Host;

  constructor(storage: SessionStorage, host: Host) {
    this.#storage = storage;
    this.#host = host;
  }

  /** Best effort: a session is not kept from being used by a breadcrumb that cannot be written (F4). */
  write(cwd: string, sessionFile: string): void {
    const file = this.#file();
    if (file === undefined || /[\r\n]/.test(cwd + sessionFile) || this.#owner(sessionFile)) return;
    try {
      this.#storage.ensureDirSync(path.dirname(file));
      this.#storage.writeTextSync(file, `${cwd}\n${sessionFile}\n`);
    } catch {
      // Any failure, a read-only home among them: F4 says that it never surfaces.
    }
  }

  /** The session file of this terminal, if it was used in this directory and the file still exists. */
  async read(cwd: string): Promise<string | undefined> {
    const file = this.#file();
    if (file === undefined) return undefined;
    const text = await this.#storage.readText(file).catch(() => ''); // ENOENT, or unreadable: no breadcrumb
    const [where, sessionFile] = text.split(/\r?\n/);
    if (!where || !sessionFile || !sameDirectoryAs(cwd, this.#host)(where)) return undefined;
    if (!this.#storage.existsSync(sessionFile)) return undefined;
    let main = sessionFile;
    for (let owner = this.#owner(main); owner !== undefined; owner = this.#owner(main)) main = owner;
    return main;
  }

  /** The session in whose directory a subagent's session lies: that is the one to go on with. */
  #owner(sessionFile: string): string | undefined {
    const owner = path.dirname(sessionFile) + SESSION_SUFFIX;
    return this.#storage.existsSync(owner) ? owner : undefined;
  }

  #file(): string | undefined {
    const id = terminalId(this.#host.ttyPath, this.#host.env);
    return id === undefined ? undefined : path.join(agentLocations(this.#host).terminalsDir, id);
  }
}
