/** Every number of the format, with its unit and its rule. */

/** Bytes. A longer single line is reported and skipped: it could not become one string safely (F7). */
export const MAX_LINE_BYTES = 256 * 1024 * 1024;

/** UTF-16 units that a persisted string may have, the notice included (F36). */
export const MAX_PERSIST_CHARS = 500_000;

/** Ends a cut string, on a paragraph of its own (F36). */
export const TRUNCATION_NOTICE = '[Session persistence truncated large content]';

/** Characters of base64 from which an image is stored as a blob (F36). */
export const BLOB_MIN_BASE64_CHARS = 1024;

/** Bytes of a padded title slot with its newline. */
export const TITLE_SLOT_BYTES = 256;

/** Bytes read for a session's preview when they are enough (F43). */
export const PREVIEW_PREFIX_BYTES = 4096;

/** Characters of an entry id that we write. */
export const ENTRY_ID_CHARS = 8;
