import { isObject } from './json.js';

/** Field names whose strings identify or sign and say nothing a person would look for. */
const SILENT_FIELDS: ReadonlySet<string> = new Set([
  'textSignature',
  'thinkingSignature',
  'thoughtSignature',
  'partialJson',
  'jsonlEvents',
]);

/** From this many characters on, a string of nothing but base64 characters, or a data URL of them, is data, not text. */
const DATA_MIN_CHARS = 1024;
const BASE64_ONLY = /^(?:data:[^,\s]{1,200};base64,)?[A-Za-z0-9+/=_-]+$/;

/** Whether a string is encoded data rather than text. */
export function isEncodedData(text: string): boolean {
  return text.length >= DATA_MIN_CHARS && BASE64_ONLY.test(text);
}

export interface WithinVisitor {
  text(text: string): void;
  image(block: Record<string, unknown>): void;
}

/**
 * Every string and number inside a value, in order, at any depth; image blocks apart. Iterative: nesting is bounded by
 * memory only.
 */
export function visitWithin(value: unknown, visitor: WithinVisitor, skip?: ReadonlySet<string>): void {
  if (typeof value === 'string') {
    if (value !== '' && !isEncodedData(value)) visitor.text(value);
    return;
  }
  const stack: unknown[] = [value];
  let isTop = true;
  while (stack.length > 0) {
    const next = stack.pop();
    if (typeof next === 'string') {
      if (next !== '' && !isEncodedData(next)) visitor.text(next);
    } else if (typeof next === 'number') visitor.text(String(next));
    else if (Array.isArray(next)) {
      for (let i = next.length - 1; i >= 0; i -= 1) stack.push(next[i]);
    } else if (isObject(next)) {
      if (next.type === 'image' && typeof next.data === 'string') visitor.image(next);
      else pushFields(next, stack, isTop ? skip : undefined);
    }
    isTop = false;
  }
}

function pushFields(
  value: Record<string, unknown>,
  stack: unknown[],
  skip: ReadonlySet<string> | undefined,
): void {
  const fields = Object.keys(value);
  for (let i = fields.length - 1; i >= 0; i -= 1) {
    const field = fields[i] as string;
    if (!SILENT_FIELDS.has(field) && !skip?.has(field)) stack.push(value[field]);
  }
}
