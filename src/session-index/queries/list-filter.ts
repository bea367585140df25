import type { Snapshot } from '../index-reader.js';
export function parseListQuery(_text: string, _nowMs: number) {
  return { conditionFor: (_snapshot: Snapshot, _roots: readonly string[]) => undefined };
}
