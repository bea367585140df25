import { isObject, type JsonObject } from '../json.js';

/** v2 -> v3 (F12): the message role `hookMessage` is called `custom` since. Other roles stay. */
export function roleInV3(role: string): string {
  return role === 'hookMessage' ? 'custom' : role;
}

/** Changes the entry in place; true if it did. */
export function renameHookMessage(entry: JsonObject): boolean {
  const message = entry.message;
  if (entry.type !== 'message' || !isObject(message) || message.role !== 'hookMessage') return false;
  message.role = 'custom';
  return true;
}
