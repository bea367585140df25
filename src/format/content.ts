import { isObject, type JsonObject, nonEmptyString } from './json.js';
import { readTitle } from './spellings.js';
import { visitWithin, type WithinVisitor } from './strings-within.js';

/** A tool call that an assistant made. */
export interface ToolCallReading {
  readonly callId: string;
  readonly name: string;
}

/** An image in an entry: bytes inline, or in the blob store. */
export interface ImageReading {
  /** 64 lower-case hex digits when it is a reference (F38), else undefined. */
  readonly hash: string | undefined;
  readonly mediaType: string;
  /** Characters of base64 when the image is inline. */
  readonly inlineChars: number;
}

/**
 * Everything in an entry that people search for, in full, split as they ask for it (`in:prose|thinking|tools`).
 *
 * - prose: what user and assistant said, summaries, custom messages, titles, labels, error messages
 * - thinking: the model's reasoning
 * - tools: calls with their arguments, results with their details, commands and their output, mentioned files,
 *   extension state, the strings of unknown types
 */
export interface EntryContent {
  readonly prose: string;
  readonly thinking: string;
  readonly tools: string;
  readonly images: readonly ImageReading[];
  readonly toolCalls: readonly ToolCallReading[];
}

const REFERENCE = /^blob:sha256:([0-9a-f]{64})$/;

/** The hash of a blob reference; only 64 lower-case hex digits are one (F38). */
export function blobHashOf(data: string): string | undefined {
  return data.startsWith('blob:') ? REFERENCE.exec(data)?.[1] : undefined;
}

const BASE_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'id',
  'parentId',
  'timestamp',
  'targetId',
  'usage',
]);
const MESSAGE_FIELDS: ReadonlySet<string> = new Set(['role', 'content', 'timestamp', 'usage', 'customType']);

/** Collects one entry's content; reused from entry to entry to spare garbage in the indexing loop. */
export class ContentReader {
  #prose: string[] = [];
  #thinking: string[] = [];
  #tools: string[] = [];
  #images: ImageReading[] = [];
  #toolCalls: ToolCallReading[] = [];
  readonly #intoTools: WithinVisitor = {
    text: (text) => this.#tools.push(text),
    image: (block) => this.#addImage(block),
  };
  readonly #intoProse: WithinVisitor = {
    text: (text) => this.#prose.push(text),
    image: (block) => this.#addImage(block),
  };

  read(entry: JsonObject): EntryContent {
    this.#readEntry(entry);
    const content: EntryContent = {
      prose: joined(this.#prose),
      thinking: joined(this.#thinking),
      tools: joined(this.#tools),
      images: this.#images,
      toolCalls: this.#toolCalls,
    };
    if (this.#prose.length > 0) this.#prose = [];
    if (this.#thinking.length > 0) this.#thinking = [];
    if (this.#tools.length > 0) this.#tools = [];
    if (this.#images.length > 0) this.#images = [];
    if (this.#toolCalls.length > 0) this.#toolCalls = [];
    return content;
  }

  #readEntry(entry: JsonObject): void {
    switch (entry.type) {
      case 'message':
        if (isObject(entry.message)) this.#readMessage(entry.message);
        return;
      case 'custom_message':
        this.#readBlocks(entry.content);
        if (entry.details !== undefined) visitWithin(entry.details, this.#intoTools);
        return;
      case 'compaction':
      case 'branch_summary':
        this.#addProse(entry.summary);
        this.#addProse(entry.shortSummary);
        if (entry.details !== undefined) visitWithin(entry.details, this.#intoTools);
        if (entry.preserveData !== undefined) visitWithin(entry.preserveData, this.#intoTools);
        return;
      case 'label':
        this.#addProse(entry.label);
        return;
      case 'session_info':
      case 'title_change':
        this.#addProse(readTitle(entry)?.title);
        return;
      case 'session_init':
        this.#addProse(entry.task);
        visitWithin(entry, this.#intoTools, SESSION_INIT_FIELDS);
        return;
      case 'session':
        this.#addProse(entry.title);
        return;
      case 'model_change':
      case 'thinking_level_change':
      case 'leaf':
        return;
      default:
        visitWithin(entry, this.#intoTools, BASE_FIELDS);
    }
  }

  #readMessage(message: JsonObject): void {
    switch (message.role) {
      case 'user':
      case 'developer':
      case 'system':
      case 'custom':
      case 'hookMessage':
        this.#readBlocks(message.content);
        if (message.details !== undefined) visitWithin(message.details, this.#intoTools);
        return;
      case 'assistant':
        this.#readBlocks(message.content);
        this.#addProse(message.errorMessage);
        return;
      case 'toolResult':
        this.#readToolResult(message.content);
        if (message.details !== undefined) visitWithin(message.details, this.#intoTools, TOOL_DETAIL_FIELDS);
        return;
      case 'branchSummary':
      case 'compactionSummary':
        this.#addProse(message.summary);
        this.#addProse(message.shortSummary);
        return;
      case 'bashExecution':
      case 'pythonExecution':
      case 'fileMention':
        visitWithin(message, this.#intoTools, EXECUTION_FIELDS);
        return;
      default:
        this.#readBlocks(message.content);
        visitWithin(message, this.#intoTools, MESSAGE_FIELDS);
    }
  }

  #readToolResult(content: unknown): void {
    if (!Array.isArray(content)) {
      visitWithin(content, this.#intoTools, BASE_FIELDS);
      return;
    }
    for (const block of content) {
      if (isObject(block) && block.type === 'text' && typeof block.text === 'string') {
        if (block.text !== '') this.#tools.push(block.text);
      } else visitWithin(block, this.#intoTools, BASE_FIELDS);
    }
  }

  #readBlocks(content: unknown): void {
    if (typeof content === 'string') {
      this.#addProse(content);
      return;
    }
    if (isObject(content)) this.#readBlock(content);
    if (!Array.isArray(content)) return;
    for (const block of content) {
      if (isObject(block)) this.#readBlock(block);
      else if (typeof block === 'string') this.#addProse(block);
    }
  }

  #readBlock(block: JsonObject): void {
    switch (block.type) {
      case 'text':
        this.#addProse(block.text);
        return;
      case 'thinking':
        if (typeof block.thinking === 'string' && block.thinking !== '') this.#thinking.push(block.thinking);
        return;
      case 'toolCall':
        this.#readToolCall(block);
        return;
      case 'image':
        this.#addImage(block);
        return;
      default:
        visitWithin(block, this.#intoProse, BASE_FIELDS);
    }
  }

  #readToolCall(block: JsonObject): void {
    const name = nonEmptyString(block.name) ?? '';
    this.#toolCalls.push({ callId: nonEmptyString(block.id) ?? '', name });
    if (name !== '') this.#tools.push(name);
    visitWithin(block.arguments, this.#intoTools);
  }

  #addProse(text: unknown): void {
    if (typeof text === 'string' && text !== '') this.#prose.push(text);
  }

  #addImage(block: JsonObject): void {
    const data = typeof block.data === 'string' ? block.data : '';
    const hash = blobHashOf(data);
    const mediaType = nonEmptyString(block.mimeType) ?? nonEmptyString(block.mediaType) ?? '';
    this.#images.push({ hash, mediaType, inlineChars: hash === undefined ? data.length : 0 });
  }
}

const SESSION_INIT_FIELDS: ReadonlySet<string> = new Set([...BASE_FIELDS, 'task']);
const TOOL_DETAIL_FIELDS: ReadonlySet<string> = new Set(['usage']);
const EXECUTION_FIELDS: ReadonlySet<string> = new Set(['role', 'timestamp', 'exitCode', 'usage']);

function joined(parts: readonly string[]): string {
  return parts.length === 1 ? (parts[0] as string) : parts.join('\n');
}
