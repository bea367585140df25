/** The names that the format gives to files and directories (FORMAT section 1). Pure text, no file system. */

/** Ends a session file's name. */
export const SESSION_SUFFIX = '.jsonl';

/** Stands before the hash in a blob reference (F36). */
const BLOB_PREFIX = 'blob:sha256:';

const BLOB_HASH = /^[0-9a-f]{64}$/;

/**
 * The directory of a project's sessions (F1). Lossy: two projects may share one, and the header's `cwd` decides.
 *
 * @param cwd absolute
 */
export function sessionDirName(cwd: string): string {
  return `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`;
}

/** `<timestamp>_<id>.jsonl`, the ISO timestamp with `:` and `.` replaced by `-` (F2). */
export function sessionFileName(timestamp: string, id: string): string {
  return `${timestamp.replace(/[:.]/g, '-')}_${id}${SESSION_SUFFIX}`;
}

/** Whether an id can stand in a file's name as it is, on every platform: it may come from a user. */
export function isFileNameSafe(id: string): boolean {
  return /^[A-Za-z0-9._~+@=-]{1,200}$/.test(id) && !id.startsWith('.') && !id.endsWith('.');
}

/** The id in a session file's name: what follows the first `_`, which no timestamp holds. */
export function idInFileName(fileName: string): string | undefined {
  const stem = withoutSuffix(fileName);
  const separator = stem.indexOf('_');
  return separator < 0 ? undefined : stem.slice(separator + 1);
}

/** A session's artifacts are in the directory of its own name without `.jsonl`. */
export function artifactsDirOf(sessionFile: string): string | undefined {
  return sessionFile.endsWith(SESSION_SUFFIX) ? withoutSuffix(sessionFile) : undefined;
}

export function withoutSuffix(name: string): string {
  return name.endsWith(SESSION_SUFFIX) ? name.slice(0, -SESSION_SUFFIX.length) : name;
}

/** @param hash 64 lower-case hex digits */
export function blobReference(hash: string): string {
  if (!BLOB_HASH.test(hash)) throw new TypeError('hash must be 64 lower-case hex digits');
  return BLOB_PREFIX + hash;
}

/** What F5 makes of the terminal a process runs in: a file name, or undefined when it cannot be identified. */
export function terminalId(
  ttyPath: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const found = ttyName(ttyPath) ?? emulatorName(env);
  return found !== undefined && isSafeTerminalId(found) ? found : undefined;
}

const EMULATORS: readonly (readonly [variable: string, prefix: string])[] = [
  ['KITTY_WINDOW_ID', 'kitty-'],
  ['TMUX_PANE', 'tmux-'],
  ['TERM_SESSION_ID', 'apple-'],
  ['WT_SESSION', 'wt-'],
];

function ttyName(ttyPath: string | undefined): string | undefined {
  if (ttyPath === undefined || !ttyPath.startsWith('/dev/')) return undefined;
  return ttyPath.slice('/dev/'.length).replaceAll('/', '-');
}

function emulatorName(env: Readonly<Record<string, string | undefined>>): string | undefined {
  for (const [variable, prefix] of EMULATORS) {
    const value = env[variable];
    if (value !== undefined && value !== '') return prefix + value;
  }
  return undefined;
}

/** It names a file in one directory: nothing that could lead out of it, and no control character. */
function isSafeTerminalId(id: string): boolean {
  return id !== '' && id !== '.' && id !== '..' && id.length <= 200 && !/[/\\:\u0000-\u001f\u007f]/.test(id);
}
