import path from 'node:path';
import { withoutSuffix } from '../format/names.js';
import { oneLine, shortName, timeAgo } from './display-name.js';
import type { SessionSummary } from './summary.js';

/** A session as a welcome screen shows it (F43). */
export class RecentSessionInfo {
  /** Absolute. */
  readonly path: string;
  /** Unix ms. */
  readonly mtime: number;
  /** On one line: the title, else the first user prompt, else the id, else the file's name. */
  readonly fullName: string;
  readonly #now: () => number;

  constructor(
    file: string,
    mtime: number,
    { title, firstUserText, header }: SessionSummary,
    now: () => number,
  ) {
    this.path = file;
    this.mtime = mtime;
    this.fullName =
      oneLine(title) ?? oneLine(firstUserText) ?? oneLine(header.id) ?? withoutSuffix(path.basename(file));
    this.#now = now;
  }

  /** At most 40 characters. */
  get name(): string {
    return shortName(this.fullName);
  }

  /** For people: `5m ago`. */
  get timeAgo(): string {
    return timeAgo(this.mtime, this.#now());
  }
}
