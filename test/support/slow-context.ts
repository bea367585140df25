/**
 * The context of a session, worked out the obvious way from FORMAT's F26-F29: every look-up is a search through the list.
 * Shares no code with the project.
 */
// biome-ignore lint/suspicious/noExplicitAny: plain parsed JSON, whatever it holds
type Entry = Record<string, any>;

export function slowPath(entries: readonly Entry[], leafId: string): Entry[] {
  const path: Entry[] = [];
  let id: string | null = leafId;
  while (id !== null) {
    const wanted: string = id;
    const found = entries.findLast((entry) => entry.id === wanted);
    if (found === undefined || path.includes(found)) break;
    path.unshift(found);
    id = found.parentId ?? null;
  }
  return path;
}

export function slowContext(entries: readonly Entry[], leafId: string | null): unknown {
  const path = leafId === null ? [] : slowPath(entries, leafId);
  const last = (type: string) => path.findLast((entry) => entry.type === type);
  const models: Record<string, string> = {};
  for (const entry of path) if (entry.type === 'model_change') models[entry.role ?? 'default'] = entry.model;
  const answer = path.findLast((entry) => entry.type === 'message' && entry.message.role === 'assistant');
  if (models.default === undefined && answer !== undefined)
    models.default = `${answer.message.provider}/${answer.message.model}`;
  const rules: string[] = [];
  for (const entry of path)
    if (entry.type === 'ttsr_injection')
      for (const rule of entry.injectedRules) if (!rules.includes(rule)) rules.push(rule);
  const mode = last('mode_change');
  return {
    messages: slowMessages(path),
    thinkingLevel: last('thinking_level_change')?.thinkingLevel ?? 'off',
    models,
    injectedTtsrRules: rules,
    mode: mode?.mode ?? 'none',
    ...(mode?.data === undefined ? {} : { modeData: mode.data }),
  };
}

function slowMessages(path: readonly Entry[]): unknown[] {
  const at = path.findLastIndex((entry) => entry.type === 'compaction');
  if (at < 0) return path.flatMap(slowMessage);
  const compaction = path[at] as Entry;
  const before = path.slice(0, at);
  const from = before.findIndex((entry) => entry.id === compaction.firstKeptEntryId);
  return [
    {
      role: 'compactionSummary',
      summary: compaction.summary,
      shortSummary: compaction.shortSummary,
      tokensBefore: compaction.tokensBefore,
      timestamp: Date.parse(compaction.timestamp),
    },
    ...(from < 0 ? [] : before.slice(from).flatMap(slowMessage)),
    ...path.slice(at + 1).flatMap(slowMessage),
  ];
}

function slowMessage(entry: Entry): unknown[] {
  const timestamp = Date.parse(entry.timestamp);
  if (entry.type === 'message') return [entry.message];
  if (entry.type === 'branch_summary')
    return [{ role: 'branchSummary', summary: entry.summary, fromId: entry.fromId, timestamp }];
  if (entry.type !== 'custom_message') return [];
  const { customType, content, display, details } = entry;
  return [{ role: 'custom', customType, content, display, details, timestamp }];
}
