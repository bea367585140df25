import { nonEmptyString } from '../format/json.js';
import { readTitle, type TitleReading } from '../format/spellings.js';
import type { FileEntry, SessionHeader, TitleSlot } from '../format/types.js';

/** A session's name and who chose it; both undefined when it has none. */
export interface SessionTitle {
  readonly title: string | undefined;
  readonly source: string | undefined;
}

/** The last title entry in the file decides, an empty one clears; else the title slot, else the header. */
export function titleOf(
  header: SessionHeader | undefined,
  slot: TitleSlot | undefined,
  entries: readonly FileEntry[],
): SessionTitle {
  const said = lastTitleEntry(entries) ?? titleBeforeEntries(header, slot);
  const title = nonEmptyString(said.title);
  return title === undefined ? { title, source: undefined } : { title, source: said.source };
}

function lastTitleEntry(entries: readonly FileEntry[]): TitleReading | undefined {
  for (let i = entries.length - 1; i >= 0; i -= 1) {
    const title = readTitle(entries[i] as FileEntry);
    if (title !== undefined) return title;
  }
  return undefined;
}

function titleBeforeEntries(header: SessionHeader | undefined, slot: TitleSlot | undefined): TitleReading {
  const slotTitle = nonEmptyString(slot?.title);
  if (slotTitle !== undefined) return { title: slotTitle, source: nonEmptyString(slot?.source) };
  return { title: nonEmptyString(header?.title) ?? '', source: nonEmptyString(header?.titleSource) };
}
