/** Characters of a session's name in a short list, the `…` included (F43). */
const NAME_CHARS = 40;

/**
 * Text from a session as one line that no terminal obeys: blanks and line breaks become single spaces, other control
 * characters and the marks that turn the writing direction are taken out (F43). Undefined when nothing is left.
 */
export function oneLine(text: string | undefined): string | undefined {
  const clean = text
    ?.replace(/[\s\u0085]+/g, ' ')
    .replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .trim();
  return clean === '' ? undefined : clean;
}

/** At most 40 characters, the last of them `…` where something is left out; no surrogate pair is split. */
export function shortName(name: string): string {
  if (name.length <= NAME_CHARS) return name;
  const end = NAME_CHARS - 1;
  const last = name.charCodeAt(end - 1);
  return `${name.slice(0, last >= 0xd800 && last <= 0xdbff ? end - 1 : end)}…`;
}

/**
 * A name as it is stored (`setSessionName`): control characters become spaces, runs of spaces one, and none stands at an
 * end. Everything else is kept.
 */
export function storedName(name: string): string {
  return name
    .replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
    .replace(/ +/g, ' ')
    .trim();
}

/** How long ago, for people: `just now`, `5m ago`, `3h ago`, `2d ago`, else the local date. Both in Unix ms. */
export function timeAgo(thenMs: number, nowMs: number): string {
  const minutes = Math.floor((nowMs - thenMs) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes}m ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours}h ago`;
  const days = Math.floor(hours / 24);
  return days < 7 ? `${days}d ago` : new Date(thenMs).toLocaleDateString();
}
