/** @import { Random } from './random.mjs' */
/** @import { TextMaker } from './text.mjs' */
/** @import { SessionWriter, UsageTruth, WrittenEntry } from './session-writer.mjs' */

const MODELS = [
  'anthropic/claude-a',
  'anthropic/claude-b',
  'openai/gpt-a',
  'openai/gpt-b',
  'google/gemini-a',
  'local/qwen:7b',
];
const TOOLS = ['read', 'bash', 'edit', 'grep', 'ls', 'write'];

/** Writes the entries of one session, one after the other, each a child of the one before unless told otherwise. */
export class Conversation {
  /** @type {string | null} */
  leaf = null;
  #calls = 0;

  /**
   * @param {SessionWriter} session
   * @param {Random} random
   * @param {TextMaker} text
   * @param {number} startMs
   * @param {{ version: number }} format
   */
  constructor(session, random, text, startMs, { version }) {
    this.session = session;
    this.random = random;
    this.text = text;
    this.atMs = startMs;
    this.version = version;
    this.model = random.pick(MODELS);
    /** How times are written from here on. @type {'iso' | 'seconds' | 'number' | 'none'} */
    this.timeStyle = 'iso';
  }

  get isV1() {
    return this.version < 2;
  }

  time() {
    this.atMs += this.random.int(1, 60) * 1000 + this.random.int(0, 999);
    if (this.timeStyle === 'number') return this.atMs;
    const iso = new Date(this.atMs).toISOString();
    return this.timeStyle === 'seconds' ? `${iso.slice(0, 19)}Z` : iso;
  }

  /**
   * Any entry; gets an id, a parent and a time, and becomes the leaf.
   *
   * @param {Record<string, any>} fields
   * @param {{ usage?: UsageTruth | null, id?: string | null, parentId?: string | null, isGlued?: boolean, isLast?: boolean }} [about]
   * @returns {WrittenEntry}
   */
  add(fields, about = {}) {
    const { type, ...rest } = fields;
    const time = this.time();
    const stamped = this.timeStyle === 'none' ? {} : { timestamp: time };
    const usage = about.usage ?? null;
    const written = {
      usage: usage && { ...usage, day: 'timestamp' in stamped ? this.day() : null },
      isGlued: about.isGlued ?? false,
      isLast: about.isLast ?? false,
    };
    if (this.isV1) return this.session.write({ type, ...stamped, ...rest }, written);
    if (about.id === null) return this.session.write({ type, ...rest }, written);
    const id = about.id ?? this.random.hex(8);
    const parentId = about.parentId === undefined ? this.leaf : about.parentId;
    this.leaf = id;
    return this.session.write({ type, id, parentId, ...stamped, ...rest }, written);
  }

  day() {
    return new Date(this.atMs).toISOString().slice(0, 10);
  }

  /** @param {Record<string, any>} message @param {Parameters<Conversation['add']>[1]} [about] */
  message(message, about) {
    return this.add({ type: 'message', message: { ...message, timestamp: this.atMs } }, about);
  }

  /** @param {string} text @param {Parameters<Conversation['add']>[1]} [about] */
  user(text, about) {
    const content = this.random.chance(0.5) ? text : [{ type: 'text', text }];
    return this.message({ role: 'user', content }, about);
  }

  usage() {
    const { random } = this;
    const tokens = {
      input: random.int(100, 9000),
      output: random.int(20, 3000),
      cacheRead: random.int(0, 50_000),
      cacheWrite: random.int(0, 4000),
    };
    const cost = Math.round(random.next() * 1e6) / 1e7;
    return {
      tokens,
      cost,
      written: {
        ...tokens,
        totalTokens: tokens.input + tokens.output + tokens.cacheRead + tokens.cacheWrite,
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: cost },
      },
    };
  }

  /**
   * @param {Record<string, any>[]} content
   * @param {{ stopReason?: string, usage?: 'none' | 'partial' | 'full', errorMessage?: string }} [how]
   */
  assistant(content, { stopReason = 'stop', usage: kind = 'full', errorMessage } = {}) {
    const [provider = '', ...rest] = this.model.split('/');
    const model = rest.join('/');
    const { tokens, cost, written } = this.usage();
    const message = {
      role: 'assistant',
      content,
      provider,
      model,
      stopReason,
      ...(errorMessage === undefined ? {} : { errorMessage }),
    };
    const truth = { model: this.model, day: null };
    if (kind === 'none') return this.message(message);
    if (kind === 'partial') {
      const usage = { ...truth, input: tokens.input, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };
      return this.message({ ...message, usage: { input: tokens.input } }, { usage });
    }
    return this.message({ ...message, usage: written }, { usage: { ...truth, ...tokens, cost } });
  }

  answer() {
    const { random, text } = this;
    const content = [{ type: 'text', text: text.prose(random.int(8, 120)) }];
    if (random.chance(0.4))
      return this.assistant([
        { type: 'thinking', thinking: text.prose(random.int(10, 80)), thinkingSignature: random.hex(64) },
        ...content,
      ]);
    return this.assistant(content);
  }

  /** A call of a tool and its result of about so many bytes. @param {number} bytes */
  tool(bytes) {
    const { random, text } = this;
    this.#calls += 1;
    const id = `call_${this.#calls}_${random.hex(6)}`;
    const name = random.pick(TOOLS);
    this.assistant(
      [{ type: 'toolCall', id, name, arguments: { path: text.identifier(), pattern: text.word() } }],
      { stopReason: 'toolUse' },
    );
    return this.message({
      role: 'toolResult',
      toolCallId: id,
      toolName: name,
      content: [{ type: 'text', text: text.output(bytes) }],
      isError: random.chance(0.05),
    });
  }

  changeModel() {
    this.model = this.random.pick(MODELS);
    const [provider = '', ...rest] = this.model.split('/');
    if (this.random.chance(0.5)) return this.add({ type: 'model_change', provider, modelId: rest.join('/') });
    return this.add({
      type: 'model_change',
      model: this.model,
      ...(this.random.chance(0.3) ? { role: 'smol' } : {}),
    });
  }
}
