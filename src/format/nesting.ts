/** Whether a JSON value has more than so many levels of arrays and objects. Iterative: any depth is looked into. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.filter((item) => typeof item === 'object' && item !== null).flatMap(Object.values);
  }
  return false;
}
