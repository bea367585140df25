import { isObject, type JsonObject, nonEmptyString, type TypedObject } from './json.js';
import { isHeader, isTitleSlot } from './spellings.js';
import type { SessionHeader, TitleSlot } from './types.js';

/**
 * What a `*.jsonl` file is (F8; FORMAT, "look-alikes").
 *
 * - `session`: a header first, then nothing or entries of the family's shape.
 * - `empty`: no byte, or only blank lines.
 * - `headerless`: entries of the family's shape, but the first is no header.
 * - `look-alike`: a header first, but nothing after it has a session's shape: an event stream, say.
 * - `foreign`: JSON lines of another program.
 * - `unparsable`: bytes, but not one object.
 */
export type FileKind = 'session' | 'empty' | 'headerless' | 'look-alike' | 'foreign' | 'unparsable';

/** The fields that make an object of this type an entry, for files whose entries have no ids yet (version 1). */
const SHAPE_OF_TYPE: Readonly<Record<string, (entry: JsonObject) => boolean>> = {
  message: (entry) => isObject(entry.message) && typeof entry.message.role === 'string',
  model_change: (entry) => typeof entry.model === 'string' || typeof entry.modelId === 'string',
  thinking_level_change: (entry) => 'thinkingLevel' in entry,
  compaction: (entry) => typeof entry.summary === 'string',
  branch_summary: (entry) => typeof entry.summary === 'string',
  custom: (entry) => typeof entry.customType === 'string',
  custom_message: (entry) => typeof entry.customType === 'string',
  label: (entry) => typeof entry.targetId === 'string',
  leaf: (entry) => typeof entry.targetId === 'string',
  session_info: (entry) => typeof entry.name === 'string',
  title_change: (entry) => typeof entry.title === 'string',
  session_init: (entry) => typeof entry.task === 'string' || typeof entry.systemPrompt === 'string',
  mode_change: (entry) => typeof entry.mode === 'string',
  ttsr_injection: (entry) => Array.isArray(entry.injectedRules),
};

/** Whether an object could be an entry of a session: known by its type's own fields, or by id and parentId. */
export function hasEntryShape(value: TypedObject): boolean {
  if (Object.hasOwn(SHAPE_OF_TYPE, value.type) && SHAPE_OF_TYPE[value.type]?.(value)) return true;
  return value.type !== 'message' && nonEmptyString(value.id) !== undefined && 'parentId' in value;
}

/** Decides what a file is from its objects, in file order. */
export class Recogniser {
  header: SessionHeader | undefined;
  titleSlot: TitleSlot | undefined;
  #objects = 0;
  #entries = 0;
  #hasShape = false;
  #first: TypedObject | undefined;

  /**
   * Says what an object is: the header, the title slot before it, an entry after it, or `refused`: the file is no
   * session and nothing more needs to be read.
   */
  offer(value: TypedObject): 'header' | 'title-slot' | 'entry' | 'refused' {
    this.#objects += 1;
    if (this.header) {
      // A second header is carried and says nothing of the file: two that were written in a row are a session.
      if (!isHeader(value)) this.#entries += 1;
      this.#hasShape ||= hasEntryShape(value);
      return 'entry';
    }
    if (isHeader(value)) {
      this.header = value;
      return 'header';
    }
    if (!this.titleSlot && isTitleSlot(value)) {
      this.titleSlot = value;
      return 'title-slot';
    }
    this.#first ??= value;
    return 'refused';
  }

  /** Whether an entry of the family's shape was seen: from then on the file is a session, whatever follows. */
  get hasShape(): boolean {
    return this.#hasShape;
  }

  /** @param hasBytes whether the file holds anything but blank lines */
  kind(hasBytes: boolean): FileKind {
    if (this.#first) return hasEntryShape(this.#first) ? 'headerless' : 'foreign';
    if (this.header) return this.#entries > 0 && !this.#hasShape ? 'look-alike' : 'session';
    if (this.titleSlot) return 'headerless';
    if (this.#objects > 0) return 'foreign';
    return hasBytes ? 'unparsable' : 'empty';
  }

  /** One sentence on why the file is no session. */
  reason(kind: Exclude<FileKind, 'session'>): string {
    switch (kind) {
      case 'empty':
        return 'the file is empty';
      case 'headerless':
        return 'no session header: a fragment of a session';
      case 'look-alike':
        return 'it begins like a session, but none of its lines is a session entry';
      case 'unparsable':
        return 'none of its lines is a JSON object';
      case 'foreign':
        return `${this.#first ? authorOf(this.#first) : 'JSON lines of another program'}, not a session of the pi family`;
    }
  }
}

function authorOf(value: JsonObject): string {
  if ('payload' in value && 'timestamp' in value) return 'a Codex rollout';
  if ('sessionId' in value && 'providerData' in value) return 'a CodeBuddy session';
  if ('sessionId' in value) return 'a Claude Code session';
  return 'JSON lines of another program';
}
