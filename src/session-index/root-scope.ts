/** Which rows belong to the given roots: a query answers for these only, whatever else the database holds. */
export interface RootScope {
  /** An SQL condition on a path column. */
  condition(column: string): string;
  readonly parameters: readonly string[];
}

/** @param roots absolute real paths */
export function scopeOf(roots: readonly string[]): RootScope {
  const bounds = roots.map((root) => (root.endsWith('/') ? root.slice(0, -1) : root));
  return {
    condition: (column) =>
      bounds.length === 0 ? '0' : `(${bounds.map(() => `(${column} > ? AND ${column} < ?)`).join(' OR ')})`,
    // '0' follows '/' in every collation of bytes: together they frame exactly the paths below the root.
    parameters: bounds.flatMap((root) => [`${root}/`, `${root}0`]),
  };
}
