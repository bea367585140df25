import type { TitleSlot } from './types.js';

/** What a rename puts into a title slot. */
export interface SlotTitle {
  readonly title: string;
  readonly source: string;
  /** ISO 8601. */
  readonly updatedAt: string;
}

/**
 * A title slot's line for a new title, with its `\n`, in exactly the bytes that the old line had: the slot is written
 * over in place. A title that does not fit is cut. Undefined when the slot has no pad or is too narrow for any title.
 *
 * @param widthBytes bytes of the old line with its `\n`
 */
export function slotLine(slot: TitleSlot, next: SlotTitle, widthBytes: number): string | undefined {
  if (typeof slot.pad !== 'string') return undefined;
  for (let title = next.title; ; title = withoutLastCharacter(title)) {
    const bare = JSON.stringify({ ...slot, ...next, title, pad: '' });
    const missing = widthBytes - 1 - Buffer.byteLength(bare, 'utf8');
    if (missing >= 0) return `${JSON.stringify({ ...slot, ...next, title, pad: ' '.repeat(missing) })}\n`;
    if (title === '') return undefined;
  }
}

function withoutLastCharacter(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  const isPair = text.length > 1 && last >= 0xdc00 && last <= 0xdfff;
  return text.slice(0, isPair ? -2 : -1);
}
