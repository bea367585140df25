import fc from 'fast-check';
import { expect } from 'vitest';
import { loadEntries } from '../../src/format/load.js';
import { SessionManager } from '../../src/session/session-manager.js';
import type { SessionStorage } from '../../src/storage/session-storage.js';
import { assistant, user } from './entries.js';
import type { World } from './session-world.js';
import { slowContext, slowPath } from './slow-context.js';

type Entry = Record<string, unknown> & { id: string; parentId: string | null };

/** What a session should be: a list and a pointer. */
interface Model {
  entries: Entry[];
  leaf: string | null;
  title: string | undefined;
  isUserTitle: boolean;
  cwd: string;
  isOnDisk: boolean;
  /** The leaf of the second manager on the same file, while there is one. */
  otherLeaf: string | null | undefined;
}

interface Real {
  manager: SessionManager;
  other: SessionManager | undefined;
  readonly storage: SessionStorage;
  readonly world: World;
}

function newModel(cwd: string): Model {
  return {
    entries: [],
    leaf: null,
    title: undefined,
    isUserTitle: false,
    cwd,
    isOnDisk: false,
    otherLeaf: undefined,
  };
}

type Command = fc.AsyncCommand<Model, Real>;

async function readBack(real: Real, file: string) {
  const loaded = loadEntries([Buffer.from(await real.storage.readText(file))]);
  expect(loaded.problems).toEqual([]);
  expect(loaded.kind).toBe('session');
  return { header: loaded.entries[0], entries: loaded.entries.slice(1) };
}

/** Memory, file and context are those of the model. */
async function check(model: Model, real: Real): Promise<void> {
  const { manager } = real;
  manager.refresh();
  expect(manager.getEntries()).toEqual(model.entries);
  expect(manager.getLeafId()).toBe(model.leaf);
  expect(manager.getSessionName()).toBe(model.title);
  expect(manager.buildSessionContext()).toEqual(slowContext(model.entries, model.leaf));
  expect(manager.getBranch()).toEqual(model.leaf === null ? [] : slowPath(model.entries, model.leaf));
  const file = manager.getSessionFile() as string;
  expect(await real.storage.exists(file)).toBe(model.isOnDisk);
  if (!model.isOnDisk) return;
  const read = await readBack(real, file);
  expect(read.entries).toEqual(model.entries);
  expect(read.header).toMatchObject({ id: manager.getSessionId(), cwd: model.cwd });
}

/** A command: what it does to both, then everything is compared. */
function command(
  name: string,
  run: (model: Model, real: Real) => Promise<void>,
  when?: (model: Model) => boolean,
): Command {
  return {
    check: (model) => when?.(model) ?? true,
    run: async (model, real) => {
      await run(model, real);
      await check(model, real);
    },
    toString: () => name,
  };
}

const pick = <Item>(items: readonly Item[], n: number): Item => items[n % items.length] as Item;

interface Kind {
  readonly type: string;
  /** @param ids of the entries that are there */
  append(manager: SessionManager, text: string, ids: readonly string[]): string;
  own(text: string, ids: readonly string[]): Record<string, unknown>;
}

const someId = (text: string, ids: readonly string[]) => (ids.length > 0 ? pick(ids, text.length) : 'none');

const KINDS: readonly Kind[] = [
  {
    type: 'message',
    append: (manager, text) => manager.appendMessage(user(text)),
    own: (text) => ({ message: { role: 'user', content: text } }),
  },
  {
    type: 'message',
    append: (manager, text) => manager.appendMessage(assistant(text)),
    own: (text) => ({ message: assistant(text) }),
  },
  {
    type: 'model_change',
    append: (manager, text) => manager.appendModelChange(`p/${text}`, text.length % 2 ? 'smol' : undefined),
    own: (text) => ({ model: `p/${text}`, ...(text.length % 2 ? { role: 'smol' } : {}) }),
  },
  {
    type: 'thinking_level_change',
    append: (manager, text) => manager.appendThinkingLevelChange(text.length % 2 ? 'high' : undefined),
    own: (text) => ({ thinkingLevel: text.length % 2 ? 'high' : null }),
  },
  {
    type: 'compaction',
    append: (manager, text, ids) => manager.appendCompaction(text, 'short', someId(text, ids), 7),
    own: (text, ids) => ({
      summary: text,
      shortSummary: 'short',
      firstKeptEntryId: someId(text, ids),
      tokensBefore: 7,
    }),
  },
  {
    type: 'custom',
    append: (manager, text) => manager.appendCustomEntry('x', { text }),
    own: (text) => ({ customType: 'x', data: { text } }),
  },
  {
    type: 'custom_message',
    append: (manager, text) => manager.appendCustomMessageEntry('x', text, true, { d: 1 }),
    own: (text) => ({ customType: 'x', content: text, display: true, details: { d: 1 } }),
  },
  {
    type: 'ttsr_injection',
    append: (manager, text) => manager.appendTtsrInjection([text, 'r']),
    own: (text) => ({ injectedRules: [text, 'r'] }),
  },
  {
    type: 'session_init',
    append: (manager, text) => manager.appendSessionInit({ systemPrompt: text, task: 't', tools: [] }),
    own: (text) => ({ systemPrompt: text, task: 't', tools: [] }),
  },
  {
    type: 'mode_change',
    append: (manager, text) => manager.appendModeChange(text.length % 2 ? 'plan' : 'none', { text }),
    own: (text) => ({ mode: text.length % 2 ? 'plan' : 'none', data: { text } }),
  },
];

function expectEntry(
  manager: SessionManager,
  id: string,
  type: string,
  parentId: string | null,
  own: object,
): Entry {
  const entry = manager.getEntry(id) as unknown as Entry;
  expect(entry).toEqual({ type, id, parentId, timestamp: entry.timestamp, ...own });
  expect(Number.isNaN(Date.parse(entry.timestamp as string))).toBe(false);
  return structuredClone(entry);
}

/** The current label of each entry. */
function labelsOf(entries: readonly Entry[]): Map<unknown, unknown> {
  const labels = new Map<unknown, unknown>();
  for (const { type, targetId, label } of entries)
    if (type !== 'label') continue;
    else if (label === undefined) labels.delete(targetId);
    else labels.set(targetId, label);
  return labels;
}

const append = (kind: Kind, text: string) =>
  command(`append ${kind.type} ${JSON.stringify(text)}`, async (model, { manager }) => {
    const ids = model.entries.map(({ id }) => id);
    const id = kind.append(manager, text, ids);
    const entry = expectEntry(manager, id, kind.type, model.leaf, kind.own(text, ids));
    model.entries.push(entry);
    model.leaf = id;
    model.isOnDisk ||= model.entries.some(
      ({ message }) => (message as { role?: string })?.role === 'assistant',
    );
  });

const label = (n: number, text: string) =>
  command(
    `label ${n} ${JSON.stringify(text)}`,
    async (model, { manager }) => {
      const targetId = pick(model.entries, n).id;
      const id = manager.appendLabelChange(targetId, text || undefined);
      model.entries.push(
        expectEntry(manager, id, 'label', model.leaf, { targetId, ...(text === '' ? {} : { label: text }) }),
      );
      model.leaf = id;
      expect(manager.getLabel(targetId)).toBe(text || undefined);
    },
    ({ entries }) => entries.length > 0,
  );

const branch = (n: number) =>
  command(
    `branch ${n}`,
    async (model, { manager }) => {
      model.leaf = pick(model.entries, n).id;
      manager.branch(model.leaf);
    },
    ({ entries }) => entries.length > 0,
  );

const resetLeaf = command('resetLeaf', async (model, { manager }) => {
  model.leaf = null;
  manager.resetLeaf();
});

const summarize = (n: number, summary: string) =>
  command(`branchWithSummary ${n}`, async (model, { manager }) => {
    const target = n === 0 || model.entries.length === 0 ? null : pick(model.entries, n).id;
    const id = manager.branchWithSummary(target, summary);
    model.entries.push(
      expectEntry(manager, id, 'branch_summary', target, { fromId: target ?? 'root', summary }),
    );
    model.leaf = id;
  });

const rename = (name: string, source: 'user' | 'auto') =>
  command(`setSessionName ${JSON.stringify(name)} ${source}`, async (model, { manager }) => {
    const isTaken = name !== '' && (source === 'user' || !model.isUserTitle);
    expect(await manager.setSessionName(name, source)).toBe(isTaken);
    if (!isTaken) return;
    model.title = name;
    model.isUserTitle = source === 'user';
  });

const rewrite = command('rewriteEntries', async (_, { manager }) => manager.rewriteEntries());

const flush = command('flush', async (_, { manager }) => manager.flush());

const ensure = command('ensureOnDisk', async (model, { manager }) => {
  await manager.ensureOnDisk();
  model.isOnDisk = true;
});

const drop = async (model: Model, real: Real) => {
  await real.other?.close();
  real.other = undefined;
  model.otherLeaf = undefined;
};

const move = (n: number) =>
  command(`moveTo ${n}`, async (model, real) => {
    await drop(model, real);
    model.cwd = `/project-${n}`;
    await real.manager.moveTo(model.cwd);
    expect(real.manager.getCwd()).toBe(model.cwd);
  });

const reopen = command(
  'reopen',
  async (model, real) => {
    const file = real.manager.getSessionFile() as string;
    await real.manager.close();
    real.manager = await SessionManager.open(file, undefined, real.storage, real.world.host);
    model.leaf = model.entries.at(-1)?.id ?? null;
  },
  ({ isOnDisk }) => isOnDisk,
);

const otherAppends = (text: string) =>
  command(
    `another manager appends ${JSON.stringify(text)}`,
    async (model, real) => {
      const file = real.manager.getSessionFile() as string;
      if (real.other === undefined) {
        real.other = await SessionManager.open(file, undefined, real.storage, real.world.host);
        model.otherLeaf = model.entries.at(-1)?.id ?? null;
      }
      const id = real.other.appendMessage(user(text));
      const parentId = model.otherLeaf as string | null;
      model.entries.push(expectEntry(real.other, id, 'message', parentId, { message: user(text) }));
      model.otherLeaf = id;
      real.manager.refresh();
      if (model.leaf === null && model.entries.length === 0) expect(real.manager.getLeafId()).toBeNull();
    },
    ({ isOnDisk }) => isOnDisk,
  );

const fork = (follow: boolean) =>
  command(`fork ${follow ? 'and follow' : ''}`, async (model, real) => {
    const before = real.manager.getSessionId();
    const result = await real.manager.fork({ follow });
    const copy = await readBack(real, result?.newSessionFile as string);
    expect(copy.entries).toEqual(model.entries);
    expect(copy.header).toMatchObject({ parentSession: before, cwd: model.cwd });
    if (!follow) return;
    await drop(model, real);
    model.isOnDisk = true;
    model.leaf = model.entries.at(-1)?.id ?? null;
  });

const branchOut = (n: number) =>
  command(
    `createBranchedSession ${n}`,
    async (model, real) => {
      const leaf = pick(model.entries, n).id;
      const path = slowPath(model.entries, leaf) as Entry[];
      const copy = await readBack(real, real.manager.createBranchedSession(leaf) as string);
      const entries = copy.entries as unknown as Entry[];
      expect(entries.slice(0, path.length)).toEqual(path);
      const extra = entries.slice(path.length);
      expect(extra.every(({ type }) => type === 'label')).toBe(true);
      const ids = new Set(path.map(({ id }) => id));
      const wanted = [...labelsOf(model.entries)].filter(([target]) => ids.has(target as string));
      const got = [...labelsOf(entries)].filter(([target]) => ids.has(target as string));
      expect(new Map(got)).toEqual(new Map(wanted));
      expect(slowContext(entries, entries.at(-1)?.id ?? null)).toEqual(slowContext(model.entries, leaf));
    },
    ({ entries }) => entries.length > 0,
  );

/**
 * Everything that can be done to a session.
 *
 * @param size `small` makes many short runs, `max` as long ones as are allowed
 */
function commands(maxCommands: number, size: fc.SizeForArbitrary): fc.Arbitrary<Iterable<Command>> {
  const text = fc.oneof(
    fc.string({ maxLength: 12, unit: 'binary' }),
    fc.constantFrom('', 'a\nb', '\u2028', '\ud800', 'x'.repeat(3000), '__proto__'),
  );
  const plain = fc.constantFrom('', 'name', 'other name', 'ünï 字');
  const n = fc.nat({ max: 40 });
  return fc.commands(
    [
      fc.tuple(fc.constantFrom(...KINDS), text).map(([kind, value]) => append(kind, value)),
      fc.tuple(fc.constantFrom(...KINDS), text).map(([kind, value]) => append(kind, value)),
      fc
        .tuple(fc.nat({ max: 3 }), fc.constantFrom('', 'mark'))
        .map(([target, value]) => label(target, value)),
      n.map(branch),
      fc.constant(resetLeaf),
      fc.tuple(n, text).map(([target, value]) => summarize(target, value)),
      fc
        .tuple(plain, fc.constantFrom('user' as const, 'auto' as const))
        .map(([name, source]) => rename(name, source)),
      fc.constant(rewrite),
      fc.constant(flush),
      fc.constant(ensure),
      fc.nat({ max: 3 }).map(move),
      fc.constant(reopen),
      text.map(otherAppends),
      text.map(otherAppends),
      fc.boolean().map(fork),
      n.map(branchOut),
    ],
    { maxCommands, size },
  );
}

/** Any commands against a session in `storage`, as often as told, shrunk when one fails. */
export async function checkModel(
  storage: () => SessionStorage,
  world: () => World,
  how: { readonly maxCommands: number; readonly size: fc.SizeForArbitrary; readonly numRuns: number },
): Promise<void> {
  const property = fc.asyncProperty(commands(how.maxCommands, how.size), async (cmds) => {
    const here = storage();
    const place = world();
    const manager = SessionManager.create('/project-0', undefined, here, place.host);
    const real: Real = { manager, other: undefined, storage: here, world: place };
    try {
      await fc.asyncModelRun(() => ({ model: newModel('/project-0'), real }), cmds);
    } finally {
      await Promise.all([real.manager.close(), real.other?.close()]);
    }
  });
  await fc.assert(property, { numRuns: how.numRuns });
}
