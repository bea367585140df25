import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SessiondexError } from '../errors.js';

/** The folder of this package: the nearest one above this file that has a package.json. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    const parent = dirname(folder);
    if (parent === folder)
      throw new SessiondexError('SETUP', 'the package is incomplete: package.json is missing');
    folder = parent;
  }
}
