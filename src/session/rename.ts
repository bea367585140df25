import type { SlotTitle } from '../format/titles.js';
import type { LiveSession } from './live-session.js';

/**
 * Names a session everywhere its title may be read from: in the slot before the header, over its own bytes where they are
 * wide enough, else in the header; and behind an entry that names the session, which wins over both, in another entry of
 * its kind.
 *
 * @param append makes an entry of the session
 */
export function rename(
  { content, pipeline }: LiveSession,
  next: SlotTitle,
  append: (type: string, fields: Record<string, unknown>) => void,
): void {
  pipeline?.requireWritable();
  const isOnDisk = pipeline?.isOnDisk === true;
  if (!isOnDisk || !pipeline.overwriteSlot(next)) {
    const change = () => setTitle(content, next);
    if (isOnDisk) pipeline.rewrite(change);
    else change();
  }
  const named: string | undefined = content.lastTitleEntry()?.type;
  if (named === 'session_info') append(named, { name: next.title });
  else if (named !== undefined) append(named, { title: next.title, source: next.source });
}

function setTitle({ header, slot }: LiveSession['content'], { title, source, updatedAt }: SlotTitle): void {
  if (slot !== undefined) Object.assign(slot, { title, source, updatedAt });
  header.title = title;
  header.titleSource = source;
}
