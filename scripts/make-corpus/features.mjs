/** @import { Conversation } from './conversation.mjs' */

/** An id of an addressable entry that was written. @param {Conversation} c @param {number} back */
function earlier(c, back) {
  const ids = c.session.written.flatMap(({ value }) =>
    value['type'] !== 'session' && value['id'] ? [value['id']] : [],
  );
  return ids.at(-1 - (back % Math.max(1, ids.length))) ?? null;
}

/**
 * What sessions have besides questions and answers: each is written into some sessions of version 3, so that every kind
 * of entry, branch and spelling occurs.
 *
 * @type {Readonly<Record<string, (c: Conversation) => void>>}
 */
export const FEATURES = {
  branch: (c) => {
    const fork = earlier(c, 3);
    c.user(c.text.prose(12));
    c.answer();
    c.user(c.text.prose(12), { parentId: fork });
    c.answer();
  },
  'several roots': (c) => {
    c.user(c.text.prose(8), { parentId: null });
    c.answer();
  },
  orphan: (c) => {
    c.user(c.text.prose(8), { parentId: 'deadbeef' });
    c.answer();
  },
  'duplicate id': (c) => {
    const id = earlier(c, 2);
    c.user(c.text.prose(8), { id: id ?? 'dupdupdu', parentId: earlier(c, 0) });
    c.answer();
  },
  'self parent': (c) => {
    c.user(c.text.prose(8), { id: 'selfself', parentId: 'selfself' });
    c.answer();
  },
  'parent below': (c) => {
    c.user(c.text.prose(8), { id: c.random.hex(8), parentId: 'belowbel' });
    c.user(c.text.prose(8), { id: 'belowbel', parentId: null });
    c.answer();
  },
  compaction: (c) => {
    const { tokens, cost, written } = c.usage();
    const usage = { model: '/', day: null, ...tokens, cost };
    c.add(
      {
        type: 'compaction',
        summary: c.text.prose(60),
        shortSummary: c.text.prose(6),
        firstKeptEntryId: earlier(c, 2),
        tokensBefore: 42000,
        usage: written,
      },
      { usage },
    );
    c.answer();
  },
  'compaction off the path': (c) => {
    c.add({
      type: 'compaction',
      summary: c.text.prose(30),
      firstKeptEntryId: 'nowhere0',
      tokensBefore: 1000,
      fromHook: true,
    });
    c.answer();
  },
  'branch summary': (c) => {
    c.add(
      {
        type: 'branch_summary',
        fromId: earlier(c, 2),
        summary: c.text.prose(20),
        details: { note: c.text.prose(3) },
      },
      { parentId: earlier(c, 2) },
    );
    c.answer();
  },
  'branch summary from the root': (c) => {
    c.add(
      { type: 'branch_summary', fromId: 'root', summary: c.text.prose(20), fromExtension: true },
      { parentId: null },
    );
    c.answer();
  },
  labels: (c) => {
    const [a, b] = [earlier(c, 0), earlier(c, 1)];
    c.add({ type: 'label', targetId: a, label: c.text.prose(2) });
    c.add({ type: 'label', targetId: b, label: 'first' });
    c.add({ type: 'label', targetId: b, label: 'second' });
    c.add({ type: 'label', targetId: a, label: null });
  },
  extensions: (c) => {
    c.add({ type: 'custom', customType: 'state', data: { note: c.text.prose(5), count: 3 } });
    c.add({ type: 'custom', customType: 'state', payload: [c.text.word()] });
    c.add({ type: 'custom_message', customType: 'hint', content: c.text.prose(10), display: true });
    c.add({
      type: 'custom_message',
      customType: 'hint',
      content: [{ type: 'text', text: c.text.prose(10) }],
    });
    c.add({ type: 'ttsr_injection', injectedRules: ['no-any', 'short-lines'] });
    c.add({
      type: 'session_init',
      systemPrompt: c.text.prose(40),
      task: c.text.prose(10),
      tools: ['read', 'edit'],
    });
    c.add({ type: 'mode_change', mode: 'plan', data: { planFile: '/tmp/plan.md' } });
    c.add({ type: 'mode_change', mode: 'none' });
  },
  changes: (c) => {
    c.changeModel();
    c.add({
      type: 'thinking_level_change',
      thinkingLevel: c.random.pick(['high', 'low', null]),
      configured: 'high',
    });
    c.answer();
  },
  'pi title': (c) => {
    c.add({ type: 'session_info', name: c.text.prose(4) });
  },
  'omp title': (c) => {
    c.add({ type: 'title_change', title: c.text.prose(4), previousTitle: 'x', source: 'auto' });
    c.add({ type: 'title_change', title: c.random.chance(0.5) ? c.text.prose(4) : '', source: 'user' });
  },
  'usage apart': (c) => {
    const { tokens, cost, written } = c.usage();
    const [provider = '', ...model] = c.model.split('/');
    c.add(
      { type: 'model_usage', purpose: 'title', provider, model: model.join('/'), usage: written },
      { usage: { model: c.model, day: null, ...tokens, cost } },
    );
  },
  'usage missing': (c) => {
    c.assistant([{ type: 'text', text: c.text.prose(5) }], { usage: 'none' });
    c.assistant([{ type: 'text', text: c.text.prose(5) }], { usage: 'partial' });
  },
  'failed answers': (c) => {
    c.assistant([], { stopReason: 'error', errorMessage: c.text.prose(6) });
    c.user(c.text.prose(4));
    c.assistant([{ type: 'text', text: c.text.prose(4) }], { stopReason: 'aborted' });
  },
  executions: (c) => {
    c.message({
      role: 'bashExecution',
      command: `ls ${c.text.word()}`,
      output: c.text.output(300),
      exitCode: 0,
    });
    c.message({ role: 'pythonExecution', code: `print("${c.text.word()}")`, output: c.text.output(100) });
    c.message({ role: 'fileMention', files: [{ path: c.text.identifier(), content: c.text.output(100) }] });
  },
  'odd messages': (c) => {
    c.message({ role: 'user', content: null });
    c.message({ role: 'developer', content: c.text.prose(5) });
    c.message({
      role: 'oracle',
      content: [
        { type: 'text', text: c.text.prose(5) },
        { type: 'hologram', shape: c.text.word() },
      ],
    });
    c.message({
      role: 'user',
      content: 'separators \u2028 and \u2029 and \u0085 and \u000b and \r and \ud800 stay',
    });
  },
  'unknown types': (c) => {
    c.add({ type: 'service_tier_change', tier: 'fast' });
    c.add({ type: 'future_record', deep: { list: [c.text.prose(3), 7, { more: c.text.word() }] } });
    c.add({ type: 'credential_pin', key: c.random.hex(8) }, { id: null });
    c.add({ type: 'reset_boundary' });
  },
  'leaf pointer': (c) => {
    const target = earlier(c, 2);
    c.add({ type: 'leaf', targetId: target }, { id: null });
    c.leaf = target;
    if (c.random.chance(0.5)) c.answer();
  },
  'odd times': (c) => {
    for (const style of /** @type {const} */ (['seconds', 'number', 'none'])) {
      c.timeStyle = style;
      c.user(c.text.prose(4));
    }
    c.timeStyle = 'iso';
    c.answer();
  },
  'inline image': (c) => {
    c.message({
      role: 'user',
      content: [
        { type: 'text', text: c.text.prose(4) },
        { type: 'image', data: Buffer.from(c.random.hex(400)).toString('base64'), mimeType: 'image/png' },
      ],
    });
    c.answer();
  },
};

/**
 * Damage within a session: none of it takes an entry away.
 *
 * @type {Readonly<Record<string, (c: Conversation) => void>>}
 */
export const DAMAGE_WITHIN = {
  'NUL run': (c) => c.session.damage('nul-bytes', '\0'.repeat(c.random.int(1, 600))),
  'half a line': (c) =>
    c.session.damage('unparsable', `{"type":"message","id":"${c.random.hex(8)}","parentId":"x","mess`),
  'broken escape': (c) =>
    c.session.damage(
      'unparsable',
      `{"type":"message","id":"${c.random.hex(8)}","message":{"content":[{"type":"text","text":"\\*"}]}}`,
    ),
  'no object': (c) => c.session.damage('unparsable', 'not json at all'),
  'an object without type': (c) => c.session.damage('not-an-entry', '{"id":"x","parentId":null}'),
  'glued entries': (c) => {
    c.session.problem('glued');
    c.add({ type: 'custom', customType: 'glue', data: 1 }, { isGlued: true });
    c.user(c.text.prose(4));
  },
  'blank lines': (c) => c.session.raw('\n  \n'),
  'second header': (c) => {
    c.session.write({
      type: 'session',
      version: 3,
      id: c.random.hex(12),
      timestamp: new Date(c.atMs).toISOString(),
      cwd: '/elsewhere',
    });
  },
  'torn tail': (c) => c.session.damage('torn', `{"type":"message","id":"${c.random.hex(8)}","par`, true),
  'no last newline': (c) => {
    c.add({ type: 'custom', customType: 'end', data: null }, { isLast: true });
  },
};

/** Damage that ends a file: nothing may follow it. */
export const AT_END = new Set(['torn tail', 'no last newline']);
