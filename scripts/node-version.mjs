// Imported before anything else by every script: an old Node gets one clear line instead of a syntax error.
// Only syntax that Node 12 can parse may stand here, and nothing may be imported.

/** The same range as "engines" in package.json. */
export const NODE_RANGE = '^20.15.0 || >=22.2.0';

/** `version` is written like `process.versions.node`. */
export function isSupported(version) {
  const parts = version.split('.');
  const major = Number(parts[0]);
  const minor = Number(parts[1]);
  return (major === 20 && minor >= 15) || (major === 22 && minor >= 2) || major > 22;
}

if (!isSupported(process.versions.node)) {
  process.stderr.write(
    `sessiondex: needs Node 20.15 or newer (20.x), or 22.2 or newer; this is ${process.version}. ` +
      'Install a current one from https://nodejs.org/ and start again.\n',
  );
  process.exit(3);
}
