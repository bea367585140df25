import { createHash } from 'node:crypto';
import type { JsonObject } from '../json.js';
import { ENTRY_ID_CHARS } from '../limits.js';
import { isNestedDeeper } from '../nesting.js';
import { visitWithin } from '../strings-within.js';

/**
 * The id that migration gives to an entry without one (F14): the same for the same header, entry and position, so that
 * an index built before the migration and one built after it agree.
 *
 * @param headerId the session's id
 * @param position the entry's index in the file, header = 0
 * @param taken ids already in use in the file
 */
export function deriveEntryId(
  headerId: string,
  position: number,
  entry: JsonObject,
  taken: { has(id: string): boolean },
): string {
  const content = contentOf(entry);
  for (let attempt = 0; ; attempt += 1) {
    const hash = createHash('sha256')
      .update(`${headerId}\n${position}\n${attempt}\n${content}`)
      .digest('hex');
    const id = hash.slice(0, ENTRY_ID_CHARS);
    if (!taken.has(id)) return id;
  }
}

/** Levels that `JSON.stringify` manages wherever it is called from; how many more depends on the stack. */
const SAFE_LEVELS = 500;

function contentOf(entry: JsonObject): string {
  if (!isNestedDeeper(entry, SAFE_LEVELS)) return JSON.stringify(entry);
  const texts: string[] = [];
  visitWithin(entry, { text: (text) => texts.push(text), image: () => {} });
  return texts.join('\n');
}
