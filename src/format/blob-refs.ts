import { blobHashOf } from './content.js';
import { isObject, type JsonObject } from './json.js';
import type { FileEntry } from './types.js';

/**
 * Puts base64 back where an image block of a `message` or `custom_message` entry holds a reference (F38), in place. A
 * reference that `resolve` does not know stays.
 *
 * @param resolve the base64 of a blob by its hash
 */
export function resolveBlobRefs(
  entries: Iterable<FileEntry>,
  resolve: (hash: string) => string | undefined,
): void {
  for (const entry of entries) {
    if (entry.type === 'message') resolveWithin(entry.message, resolve);
    else if (entry.type === 'custom_message') {
      resolveWithin(entry.content, resolve);
      resolveWithin(entry.details, resolve);
    }
  }
}

function resolveWithin(value: unknown, resolve: (hash: string) => string | undefined): void {
  if (typeof value !== 'object' || value === null) return;
  const stack: object[] = [value];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (isObject(next) && next.type === 'image') resolveImage(next, resolve);
    for (const key in next) {
      const field = (next as JsonObject)[key];
      if (typeof field === 'object' && field !== null) stack.push(field);
    }
  }
}

function resolveImage(image: JsonObject, resolve: (hash: string) => string | undefined): void {
  const hash = typeof image.data === 'string' ? blobHashOf(image.data) : undefined;
  const base64 = hash === undefined ? undefined : resolve(hash);
  if (base64 !== undefined) image.data = base64;
}
