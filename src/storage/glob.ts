/** A glob as a regular expression over a path below a folder, `/` between its parts: `*` and `?` within one part, `**` over any. */
export function globPattern(pattern: string): RegExp {
  let source = '';
  for (let i = 0; i < pattern.length; i += 1) {
    const rest = pattern.slice(i);
    if (rest.startsWith('**/')) {
      source += '(?:.*/)?';
      i += 2;
    } else if (rest.startsWith('**')) {
      source += '.*';
      i += 1;
    } else if (rest.startsWith('*')) source += '[^/]*';
    else if (rest.startsWith('?')) source += '[^/]';
    else source += rest.charAt(0).replace(/[\\^$.|+()[\]{}]/, '\\$&');
  }
  return new RegExp(`^${source}$`, 'su');
}

/** How many folders below the first one a match can be. */
export function globDepth(pattern: string): number {
  return pattern.includes('**') ? Number.POSITIVE_INFINITY : pattern.split('/').length - 1;
}
