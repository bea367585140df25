import { PREVIEW_PREFIX_BYTES } from '../format/limits.js';
import type { SessionStorage } from '../storage/session-storage.js';
import { SessionSummarizer, type SessionSummary, type SummaryDepth } from './summary.js';

/**
 * Reads what a list needs of a file, piece by piece, and no more of it than the depth asks for. Undefined when it is no
 * session, or gone.
 *
 * @param maxTextChars characters of conversation to keep; no limit by default
 */
export async function readSummary(
  storage: SessionStorage,
  file: string,
  depth: SummaryDepth,
  maxTextChars?: number,
): Promise<SessionSummary | undefined> {
  try {
    return storage.readChunksSync === undefined
      ? await summaryOfText(storage, file, depth)
      : summaryOfChunks(storage.readChunksSync(file), depth, maxTextChars);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

export function summaryOfChunks(
  chunks: Iterable<Buffer>,
  depth: SummaryDepth,
  maxTextChars?: number,
): SessionSummary | undefined {
  const summarizer = new SessionSummarizer(depth, maxTextChars);
  for (const chunk of chunks) if (!summarizer.push(chunk)) return summarizer.finish(true);
  return summarizer.finish();
}

/** F43: the prefix where that is enough, else the whole text. */
async function summaryOfText(
  storage: SessionStorage,
  file: string,
  depth: SummaryDepth,
): Promise<SessionSummary | undefined> {
  if (depth === 'name') {
    const prefix = Buffer.from(await storage.readTextPrefix(file, PREVIEW_PREFIX_BYTES), 'utf8');
    const summarizer = new SessionSummarizer(depth);
    if (!summarizer.push(prefix)) return summarizer.finish(true);
  }
  return summaryOfChunks([Buffer.from(await storage.readText(file), 'utf8')], depth);
}

/** ENOENT: somebody removed the file between the listing and the reading. */
function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
