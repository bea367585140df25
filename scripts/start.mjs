import './node-version.mjs';

// Everything else is loaded after the Node version was found good. What follows behaves as `node dist/cli.js` with
// the same arguments: the command runs in this process, so its exit code and signals are its own.

async function start() {
  const { main, ROOT, SetupError, setup } = await import('./setup.mjs');
  main(async () => {
    await setup();
    const { buildIfNeeded, DIST } = await import('./build.mjs');
    await buildIfNeeded();
    const { existsSync } = await import('node:fs');
    const { join } = await import('node:path');
    const { pathToFileURL } = await import('node:url');
    const cli = join(DIST, 'cli.js');
    if (!existsSync(cli)) throw new SetupError('there is no command to start: dist/cli.js was not built');
    if (isStartedByNpm(join(ROOT, 'package.json'))) returnToCaller();
    process.argv[1] = cli;
    await import(pathToFileURL(cli).href);
  });
}

/** INIT_CWD alone says little: whatever runs below an npm script inherits it. */
function isStartedByNpm(manifest) {
  return process.env.npm_lifecycle_event === 'start' && process.env.npm_package_json === manifest;
}

// npm runs scripts in the package's directory; `--root ./sessions` means the directory the user stands in.
function returnToCaller() {
  try {
    process.chdir(process.env.INIT_CWD);
  } catch {
    // Not a directory (any more): stay where npm has put us.
  }
}

start();
