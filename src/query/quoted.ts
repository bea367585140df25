/** A text in double quotes. Two quotation marks within it stand for one. */
export interface Quoted {
  readonly text: string;
  /** After the closing mark; the end of everything when there is none. */
  readonly end: number;
  readonly isClosed: boolean;
}

/** @param start where the opening mark stands */
export function quotedAt(source: string, start: number): Quoted {
  for (let at = start + 1; ; at += 2) {
    at = source.indexOf('"', at);
    if (at < 0) return { text: unescaped(source.slice(start + 1)), end: source.length, isClosed: false };
    if (source[at + 1] !== '"') {
      return { text: unescaped(source.slice(start + 1, at)), end: at + 1, isClosed: true };
    }
  }
}

function unescaped(text: string): string {
  return text.replaceAll('""', '"');
}

export function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
