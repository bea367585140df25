/** Characters that a short id has at least. */
const MIN_CHARS = 8;

/**
 * For each id the shortest beginning, of at least 8 characters, that no other of them has (B75: ids that begin with the
 * time are alike for their first characters).
 */
export function shortIds(ids: readonly string[]): Map<string, string> {
  const sorted = [...new Set(ids)].sort();
  const short = new Map<string, string>();
  sorted.forEach((id, n) => {
    const needed = Math.max(sharedChars(id, sorted[n - 1]), sharedChars(id, sorted[n + 1])) + 1;
    short.set(id, id.slice(0, Math.max(MIN_CHARS, needed)));
  });
  return short;
}

function sharedChars(a: string, b: string | undefined): number {
  if (b === undefined) return 0;
  let count = 0;
  while (count < a.length && a[count] === b[count]) count += 1;
  return count;
}
