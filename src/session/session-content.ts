import type { LoadedFile } from '../format/load.js';
import { readTitle } from '../format/spellings.js';
import type { FileEntry, SessionEntry, SessionHeader, TitleSlot } from '../format/types.js';
import { SessionTree } from '../tree/session-tree.js';
import { type UsageStatistics, UsageTotals } from '../tree/stats.js';
import { type SessionTitle, titleOf } from '../tree/title.js';

/** A session's file as it is in memory: what a rewrite would write, in order. */
export class SessionContent {
  readonly header: SessionHeader;
  /** The line before the header, where the file has one. */
  readonly slot: TitleSlot | undefined;
  #records: FileEntry[] = [];
  #tree = new SessionTree();
  #usage = new UsageTotals();

  /** @param records what follows the header, in file order; a second header among it is carried */
  constructor(header: SessionHeader, slot?: TitleSlot, records: readonly FileEntry[] = []) {
    this.header = header;
    this.slot = slot;
    if (records.length > 0) this.arrange(records);
  }

  static of({ entries, titleSlot }: LoadedFile): SessionContent {
    return new SessionContent(entries[0] as SessionHeader, titleSlot?.value, entries.slice(1));
  }

  get tree(): SessionTree {
    return this.#tree;
  }

  /** What follows the header, in file order. */
  get records(): readonly FileEntry[] {
    return this.#records;
  }

  /** The slot, the header, then everything else. */
  *all(): Generator<object> {
    if (this.slot !== undefined) yield this.slot;
    yield this.header;
    yield* this.#records;
  }

  /** An entry of ours: it becomes the leaf (F19). */
  append(entry: SessionEntry): void {
    this.#tree.append(entry);
    this.#keep(entry);
  }

  /** What somebody else appended: the leaf stays. */
  adopt(record: FileEntry): void {
    if (record.type !== 'session') this.#tree.adopt(record as SessionEntry);
    this.#keep(record);
  }

  /** Puts other records in the place of these; the leaf stays where it is, if it still exists. */
  arrange(records: readonly FileEntry[]): void {
    const hadEntries = this.#tree.entries.length > 0;
    const leafId = this.#tree.leafId;
    this.#records = [...records];
    this.#tree = SessionTree.of(records);
    if (hadEntries) this.#tree.restoreLeaf(leafId);
    this.#usage = new UsageTotals();
    for (const entry of this.#tree.entries) this.#usage.add(entry);
  }

  /** After entries were changed in place. */
  refresh(): void {
    this.arrange(this.#records);
  }

  title(): SessionTitle {
    return titleOf(this.header, this.slot, this.#records);
  }

  /** The last entry that names the session, in another agent's spelling; it wins over header and slot. */
  lastTitleEntry(): SessionEntry | undefined {
    return this.#tree.entries.findLast((entry) => readTitle(entry) !== undefined);
  }

  usage(): UsageStatistics {
    return this.#usage.read();
  }

  #keep(record: FileEntry): void {
    this.#records.push(record);
    if (record.type !== 'session') this.#usage.add(record as SessionEntry);
  }
}
