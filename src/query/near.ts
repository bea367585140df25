/** Whether two words differ by one letter too many, too few, another, or two exchanged. */
export function isOneSlip(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const restA = a.slice(start);
  const restB = b.slice(start);
  if (restA.slice(1) === restB.slice(1) || restA.slice(1) === restB || restA === restB.slice(1)) return true;
  return restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
}

/** The first word that is one slip of the keyboard away, whatever the case. */
export function nearest<Word extends string>(written: string, words: readonly Word[]): Word | undefined {
  const lower = written.toLowerCase();
  return words.find((word) => isOneSlip(lower, word.toLowerCase()));
}
