import type * as nodeFs from 'node:fs';

/** The calls of `node:fs` that a file storage makes. Another object with these can be given in its place. */
export type StorageFs = Pick<
  typeof nodeFs,
  | 'closeSync'
  | 'constants'
  | 'copyFileSync'
  | 'existsSync'
  | 'fchmodSync'
  | 'fchownSync'
  | 'fstatSync'
  | 'fsync'
  | 'fsyncSync'
  | 'ftruncateSync'
  | 'linkSync'
  | 'lstatSync'
  | 'mkdirSync'
  | 'openSync'
  | 'promises'
  | 'readSync'
  | 'readdirSync'
  | 'readlinkSync'
  | 'realpathSync'
  | 'renameSync'
  | 'rmSync'
  | 'statSync'
  | 'symlinkSync'
  | 'unlinkSync'
  | 'writeSync'
>;

/** Whether it is an error of the system with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code ?? '');
}

/** An error as the file system would give it. */
export function systemError(code: string, message: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${message}, '${path}'`), { code, path });
}
