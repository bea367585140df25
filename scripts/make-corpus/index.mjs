import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Conversation } from './conversation.mjs';
import { AT_END, DAMAGE_WITHIN, FEATURES } from './features.mjs';
import { NOT_SESSIONS } from './foreign.mjs';
import { PLACES } from './planted.mjs';
import { Random } from './random.mjs';
import { truthOf } from './session-truth.mjs';
import { SessionWriter } from './session-writer.mjs';
import { TextMaker } from './text.mjs';
import { usageTruth } from './usage-truth.mjs';

/** @import { WrittenEntry } from './session-writer.mjs' */

/**
 * @typedef {object} CorpusOptions
 * @property {string} dir made; must be empty or absent
 * @property {number} seed
 * @property {number} sessions
 * @property {number} projects
 * @property {number} bytes about so many, over all sessions
 * @property {number} damage share of the sessions that have damage, and of further files that are no sessions
 *
 * @typedef {object} PlantedWord
 * @property {string} word stands nowhere but here, and in copies
 * @property {string} part `prose`, `thinking` or `tools`
 * @property {{ path: string, entryIndex: number | null }} original `entryIndex` null: the header's title
 * @property {{ path: string, entryIndex: number }[]} copies
 *
 * @typedef {object} Truth
 * @property {ReturnType<typeof truthOf>[]} sessions paths are relative to `sessions/` in `dir`
 * @property {{ path: string, reason: string }[]} notSessions
 * @property {string[]} ignored
 * @property {ReturnType<typeof usageTruth>} usage
 * @property {PlantedWord[]} planted
 * @property {number} files `*.jsonl` files
 * @property {number} bytes of them
 */

/** Sessions that a fork can copy from. */
const RECENT = 30;

const START_MS = Date.parse('2026-01-05T08:00:00.000Z');
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Writes a tree of session files as real agents leave them, and says what is in it. The same options give the same bytes.
 *
 * @param {CorpusOptions} options
 * @returns {Truth}
 */
export function makeCorpus(options) {
  if (existsSync(options.dir) && readdirSync(options.dir).length > 0)
    throw new Error(`${options.dir} is not empty`);
  return new Corpus(options).make();
}

class Corpus {
  /** @type {SessionWriter[]} */
  sessions = [];
  /** @type {ReturnType<typeof truthOf>[]} */
  truths = [];
  /** @type {{ word: string, part: string, entry: WrittenEntry | null, path: string }[]} */
  planted = [];
  /** @type {Truth['notSessions']} */
  notSessions = [];
  /** @type {string[]} */
  ignored = [];
  bytes = 0;
  /** Conversations written; features take turns in them. */
  talks = 0;

  /** @param {CorpusOptions} options */
  constructor(options) {
    this.options = options;
    this.random = new Random(options.seed);
    this.text = new TextMaker(this.random);
    this.root = join(options.dir, 'sessions');
    mkdirSync(this.root, { recursive: true, mode: 0o700 });
    mkdirSync(join(options.dir, 'blobs'), { recursive: true, mode: 0o700 });
  }

  make() {
    const damaged = Object.keys(DAMAGE_WITHIN);
    const every = this.options.damage > 0 ? Math.max(1, Math.round(1 / this.options.damage)) : Infinity;
    for (let n = 0; n < this.options.sessions; n += 1) {
      const damage = n % every === every - 1 ? damaged[Math.floor(n / every) % damaged.length] : undefined;
      this.#session(n, damage);
    }
    if (this.options.damage > 0) this.#writeOthers();
    return this.#truth();
  }

  /** @param {number} n @param {string | undefined} damage */
  #session(n, damage) {
    const parent = n % 12 === 11 ? this.#forkable() : undefined;
    if (parent) this.#fork(n, parent);
    else if (n % 25 === 20) this.#oldVersion(n, 1);
    else if (n % 25 === 22) this.#oldVersion(n, 2);
    else this.#current(n, damage);
  }

  /** Bytes of a session: most are small, a few are very large; the mean is what was asked for. */
  #size() {
    const mean = this.options.bytes / this.options.sessions;
    return (mean * Math.log(1 - this.random.next()) ** 2) / 2;
  }

  /** @param {number} n */
  #project(n) {
    const { random } = this;
    const number = n % this.options.projects;
    if (number === 1) return { cwd: '/proj/a/b-c', folder: '--proj-a-b-c--' };
    if (number === 2) return { cwd: '/proj/a-b/c', folder: '--proj-a-b-c--' };
    if (number === 3) return { cwd: 'C:\\code\\zig', folder: '--C--code-zig--' };
    if (number === 4)
      return {
        cwd: '/home/ann/hashed',
        folder: createHash('sha1').update('hashed').digest('hex').slice(0, 16),
      };
    if (number === 5) return { cwd: '/home/ann/flat', folder: '.' };
    const cwd = `/home/ann/project-${number}`;
    return {
      cwd,
      folder: random.chance(0.5) ? `--home-ann-project-${number}--` : `-home-relative-${number}`,
    };
  }

  /** @param {number} n */
  #startMs(n) {
    return START_MS + (n % 90) * DAY_MS + this.random.int(0, 10 * 60 * 60 * 1000);
  }

  /** @param {string} folder @param {number} startMs @param {string} id */
  #path(folder, startMs, id) {
    const name = `${new Date(startMs).toISOString().replace(/[:.]/g, '-')}_${id}.jsonl`;
    return folder === '.' ? name : `${folder}/${name}`;
  }

  /** @param {number} n @param {string | undefined} damage */
  #current(n, damage) {
    const { random, text } = this;
    const { cwd, folder } = this.#project(n);
    const startMs = this.#startMs(n);
    const id = `${random.hex(8)}-${random.hex(4)}-7${random.hex(3)}-a${random.hex(3)}-${random.hex(12)}`;
    const lineEnd = n % 40 === 7 ? '\r\n' : '\n';
    const session = new SessionWriter(this.#path(folder, startMs, id), { lineEnd, isSpaced: n % 30 === 9 });
    if (n % 40 === 13) session.raw('\ufeff');
    if (n % 8 === 5) this.#titleSlot(session, n % 16 === 5);
    const lateHeader = n % 33 === 4 ? DAY_MS : 0;
    const plantedTitle = n % 50 === 26 ? this.#plantTitle(n, session) : undefined;
    const title = plantedTitle ?? (n % 3 === 0 ? text.prose(5) : undefined);
    session.writeHeader({
      type: 'session',
      version: 3,
      id,
      timestamp: new Date(startMs + lateHeader).toISOString(),
      cwd,
      ...(title === undefined ? {} : { title, titleSource: 'auto' }),
      ...(n % 17 === 6 ? { additionalDirectories: ['/tmp'], git: { branch: 'main' } } : {}),
    });
    const conversation = new Conversation(session, random, text, startMs, { version: 3 });
    this.#talk(conversation, damage);
    if (n % 15 === 8) this.#subagents(conversation, n);
    this.#image(conversation, n);
    if (n % 10 === 0) this.#plant(conversation, n);
    if (damage !== undefined && AT_END.has(damage)) DAMAGE_WITHIN[damage]?.(conversation);
    this.#finish(session);
  }

  /** @param {Conversation} conversation @param {string | undefined} damage */
  #talk(conversation, damage) {
    const { random, text } = this;
    const size = this.#size();
    const features = Object.values(FEATURES);
    const feature = features[this.talks % features.length];
    this.talks += 1;
    conversation.changeModel();
    conversation.user(text.prose(random.int(4, 60)));
    conversation.answer();
    let hasFeature = false;
    while (conversation.session.bytes < size || !hasFeature) {
      if (!hasFeature && (random.chance(0.3) || conversation.session.bytes >= size)) {
        feature?.(conversation);
        if (damage !== undefined && !AT_END.has(damage)) DAMAGE_WITHIN[damage]?.(conversation);
        hasFeature = true;
      }
      const roll = random.next();
      if (roll < 0.22) conversation.user(text.prose(random.int(4, 60)));
      else if (roll < 0.4) conversation.answer();
      else conversation.tool(Math.min(size, random.int(100, 5000)));
    }
  }

  /** @param {SessionWriter} session @param {boolean} isPadded */
  #titleSlot(session, isPadded) {
    const title = this.text.prose(4);
    session.slotTitle = title;
    const slot = { type: 'title', v: 1, title, source: 'auto', updatedAt: '2026-01-05T08:00:00.000Z' };
    const bare = Buffer.byteLength(JSON.stringify({ ...slot, pad: '' })) + 1;
    const pad = isPadded && bare <= 256 ? { pad: ' '.repeat(256 - bare) } : {};
    session.raw(`${JSON.stringify({ ...slot, ...pad })}${session.lineEnd}`);
  }

  /** @param {Conversation} conversation @param {number} n */
  #subagents(conversation, n) {
    const { random, text } = this;
    const folder = conversation.session.path.replace(/\.jsonl$/, '');
    const agents = ['Finder', 'Fixer'].map((name) => ({
      name,
      usage: conversation.usage(),
      hasFile: random.chance(0.6),
    }));
    for (const { name, usage } of agents) {
      const details = { results: [{ id: name, agent: 'task', exitCode: 0, usage: usage.written }] };
      const truth = { model: '/', day: null, ...usage.tokens, cost: usage.cost, agent: name };
      conversation.message(
        {
          role: 'toolResult',
          toolCallId: `task_${name}`,
          toolName: 'task',
          content: [{ type: 'text', text: text.prose(5) }],
          details,
          isError: false,
        },
        { usage: truth },
      );
    }
    for (const { name, hasFile } of agents)
      if (hasFile) this.#subagent(`${folder}/${name}.jsonl`, conversation.atMs, n % 30 === 8);
  }

  /** @param {string} path @param {number} startMs @param {boolean} isNested */
  #subagent(path, startMs, isNested) {
    const session = new SessionWriter(path);
    session.writeHeader({
      type: 'session',
      version: 3,
      id: this.random.hex(16),
      timestamp: new Date(startMs).toISOString(),
      cwd: '/home/ann/sub',
    });
    const conversation = new Conversation(session, this.random, this.text, startMs, { version: 3 });
    conversation.user(this.text.prose(10));
    conversation.answer();
    this.#finish(session);
    if (isNested) this.#subagent(path.replace(/\.jsonl$/, '/run-1/session.jsonl'), startMs, false);
  }

  /** @param {Conversation} conversation @param {number} n */
  #image(conversation, n) {
    if (n % 14 !== 3) return;
    const bytes = Buffer.from(this.random.hex(3000), 'hex');
    const hash = createHash('sha256').update(bytes).digest('hex');
    const isMissing = n % 28 === 3;
    if (!isMissing) writeFileSync(join(this.options.dir, 'blobs', hash), bytes, { mode: 0o600 });
    conversation.message({
      role: 'user',
      content: [{ type: 'image', data: `blob:sha256:${hash}`, mimeType: 'image/png' }],
    });
  }

  /** @param {Conversation} conversation @param {number} n */
  #plant(conversation, n) {
    const word = this.text.planted(n);
    const place = PLACES[Math.floor(n / 10) % PLACES.length];
    if (!place) return;
    const entry = place.write(conversation, word);
    this.planted.push({ word, part: place.part, entry, path: conversation.session.path });
  }

  /** @param {number} n @param {SessionWriter} session */
  #plantTitle(n, session) {
    const word = this.text.planted(n);
    this.planted.push({ word, part: 'prose', entry: null, path: session.path });
    return `A title with ${word}`;
  }

  /** A session of version 3 that can be copied from: every parent stands above its children. */
  #forkable() {
    const candidates = this.sessions.slice(-RECENT).filter(({ header, written }) => {
      const ids = new Set();
      if (header['version'] !== 3 || written.length < 4) return false;
      return written.slice(0, 4).every(({ value }) => {
        const fits =
          typeof value['id'] === 'string' &&
          !ids.has(value['id']) &&
          (value['parentId'] === null || ids.has(value['parentId']));
        ids.add(value['id']);
        return fits;
      });
    });
    return candidates.length > 0 ? this.random.pick(candidates) : undefined;
  }

  /** @param {number} n @param {SessionWriter} parent */
  #fork(n, parent) {
    const { random, text } = this;
    const { cwd, folder } = this.#project(n);
    const lastMs = Math.max(...parent.written.map(({ value }) => Date.parse(value['timestamp']) || 0));
    const startMs = Math.max(lastMs, Date.parse(parent.header['timestamp'])) + DAY_MS;
    const id = random.hex(24);
    const session = new SessionWriter(this.#path(folder, startMs, id));
    const lineage = random.chance(0.5) ? parent.header['id'] : join(this.root, parent.path);
    session.writeHeader({
      type: 'session',
      version: 3,
      id,
      timestamp: new Date(startMs).toISOString(),
      cwd,
      parentSession: lineage,
    });
    const whole = n % 36 === 35;
    const copied = whole
      ? parent.written
      : parent.written.slice(0, random.int(3, Math.min(parent.written.length, 40)));
    for (const entry of copied)
      session.write(entry.value, { usage: entry.usage, copyOf: entry.copyOf ?? entry });
    if (!whole) {
      const conversation = new Conversation(session, random, text, startMs, { version: 3 });
      conversation.leaf = copied.at(-1)?.value['id'] ?? null;
      conversation.user(text.prose(10));
      conversation.answer();
    }
    this.#finish(session);
  }

  /** @param {number} n @param {1 | 2} version */
  #oldVersion(n, version) {
    const { random, text } = this;
    const { cwd, folder } = this.#project(n);
    const startMs = this.#startMs(n);
    const id = random.hex(16);
    const session = new SessionWriter(this.#path(folder, startMs, id));
    const timestamp = new Date(startMs).toISOString();
    const old = {
      type: 'session',
      id,
      timestamp,
      cwd,
      provider: 'anthropic',
      modelId: 'claude-a',
      thinkingLevel: 'off',
      branchedFrom: '/old/place.jsonl',
    };
    session.writeHeader(version === 1 ? old : { type: 'session', version: 2, id, timestamp, cwd });
    const conversation = new Conversation(session, random, text, startMs, { version });
    conversation.user(text.prose(12));
    conversation.answer();
    conversation.tool(random.int(200, 3000));
    if (version === 1)
      conversation.add({
        type: 'compaction',
        summary: text.prose(20),
        firstKeptEntryIndex: 2,
        tokensBefore: 500,
      });
    else
      conversation.message({
        role: 'hookMessage',
        customType: 'hook',
        content: text.prose(5),
        display: true,
      });
    conversation.add({ type: 'thinking_level_change', thinkingLevel: 'low' });
    conversation.answer();
    this.#finish(session);
  }

  /** @param {SessionWriter} session */
  #finish(session) {
    this.#file(session.path, session.text());
    this.sessions.push(session);
    this.truths.push(truthOf(session));
    session.forgetText();
    // Forks copy from recent sessions only: what older ones said need not be kept.
    this.sessions.at(-1 - RECENT)?.forgetValues();
  }

  /** @param {string} path @param {string | Buffer} content */
  #file(path, content) {
    const whole = join(this.root, path);
    mkdirSync(dirname(whole), { recursive: true, mode: 0o700 });
    writeFileSync(whole, content, { mode: 0o600 });
    if (path.endsWith('.jsonl')) this.bytes += Buffer.byteLength(content);
  }

  /** Files that are no sessions, and things that are not looked at. */
  #writeOthers() {
    const count = Math.max(NOT_SESSIONS.length, Math.round(this.options.sessions * this.options.damage));
    for (let n = 0; n < count; n += 1) {
      const [reason, content] = /** @type {typeof NOT_SESSIONS[number]} */ (
        NOT_SESSIONS[n % NOT_SESSIONS.length]
      );
      const path = `--others--/other-${n}.jsonl`;
      this.#file(path, content(this.random));
      this.notSessions.push({ path, reason });
    }
    for (const name of ['a.jsonl.bak-2026-01-01', 'b.jsonl.deleted.1', 'c.reset.2', 'notes.md']) {
      this.#file(`--others--/${name}`, '{"type":"session","id":"ignored"}\n');
      this.ignored.push(`--others--/${name}`);
    }
    mkdirSync(join(this.root, '--others--', 'folder.jsonl'));
    symlinkSync('/nowhere/at/all', join(this.root, '--others--', 'dangling.jsonl'));
  }

  /** @returns {Truth} */
  #truth() {
    const copiesOf = /** @type {Map<WrittenEntry, { path: string, entryIndex: number }[]>} */ (new Map());
    for (const { path, written } of this.sessions) {
      for (const { copyOf, index } of written) {
        if (copyOf) copiesOf.set(copyOf, [...(copiesOf.get(copyOf) ?? []), { path, entryIndex: index }]);
      }
    }
    return {
      sessions: this.truths,
      notSessions: this.notSessions,
      ignored: this.ignored,
      usage: usageTruth(this.sessions),
      planted: this.planted.map(({ word, part, entry, path }) => ({
        word,
        part,
        original: { path, entryIndex: entry ? entry.index : null },
        copies: entry ? (copiesOf.get(entry) ?? []) : [],
      })),
      files: this.sessions.length + this.notSessions.length,
      bytes: this.bytes,
    };
  }
}
