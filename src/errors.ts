/** What went wrong, stable within a major version. Messages may change, codes may not. */
export const ERROR_CODES = [
  'FILE_IO',
  'FORMAT_TOO_NEW',
  'INDEX_TOO_NEW',
  'INDEX_FOREIGN',
  'INDEX_CORRUPT',
  'INDEX_BUSY',
  'QUERY_SYNTAX',
  'AMBIGUOUS_SESSION',
  'SESSION_NOT_FOUND',
  'ENTRY_NOT_FOUND',
  'NO_ROOTS',
  'USAGE',
  'ABORTED',
  'SESSION_READ_ONLY',
  'PERSIST_FAILED',
  'SETUP',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** Where it went wrong. Offsets are bytes from the start of the file; lines count from 1. */
export interface Where {
  readonly path?: string;
  readonly byteOffset?: number;
  readonly line?: number;
}

export interface ErrorDetails {
  readonly where?: Where;
  /** One sentence: what the person can do now. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** The JSON form of an error, as commands print it under `--json`. */
export interface ErrorReport extends Where {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
}

/** Every operational error of the project. Misuse of the API is a `TypeError` instead. */
export class SessiondexError extends Error {
  readonly code: ErrorCode;
  readonly where: Where;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'SessiondexError';
    this.code = code;
    this.where = details.where ?? {};
    this.hint = details.hint;
  }

  toJSON(): ErrorReport {
    return {
      code: this.code,
      message: this.message,
      ...this.where,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
    };
  }
}
