/** A parsed JSON object, nothing known of its fields yet. */
export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object with a string `type`: the header, an entry, or a line that only looks like one. */
export interface TypedObject extends JsonObject {
  readonly type: string;
}

export function isTyped(value: unknown): value is TypedObject {
  return isObject(value) && typeof value.type === 'string';
}

/** The value if it is a string with at least one character. */
export function nonEmptyString(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function stringOr<T>(value: unknown, otherwise: T): string | T {
  return typeof value === 'string' ? value : otherwise;
}

/** A finite number as it is; anything else counts as 0 (FORMAT, usage: absent numbers are 0, never NaN). */
export function finiteOrZero(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
