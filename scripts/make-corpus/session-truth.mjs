/** @import { SessionWriter, EntryTruth } from './session-writer.mjs' */

/** @param {unknown} value @returns {number | null} */
export function timeOf(value) {
  if (typeof value === 'number') return Math.trunc(value);
  if (typeof value !== 'string') return null;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? null : ms;
}

/** @param {unknown} content @returns {string | null} */
function firstText(content) {
  if (typeof content === 'string') return content || null;
  if (!Array.isArray(content)) return null;
  return content.find((block) => block?.type === 'text' && block.text)?.text ?? null;
}

/**
 * What a session file says, worked out the plain way from what was written.
 *
 * @param {SessionWriter} session
 */
export function truthOf(session) {
  const { header } = session;
  const version = header['version'] ?? 1;
  const values = session.written.map(({ value }) => value);
  const isAddressable = (/** @type {any} */ value) =>
    value.type !== 'session' && typeof value.id === 'string' && value.id !== '';
  /** @type {Map<string, number>} */
  const lastWithId = new Map();
  values.forEach((value, n) => {
    if (isAddressable(value)) lastWithId.set(value.id, n);
  });
  const isV1 = version < 2;
  let orphans = 0;
  const parents = values.map((value, n) => {
    if (isV1) return value.type === 'session' || n === 0 ? null : n - 1;
    if (typeof value['parentId'] !== 'string') return null;
    const parent = lastWithId.get(value['parentId']);
    if (parent === undefined) orphans += 1;
    return parent ?? null;
  });
  const children = values.map(() => 0);
  for (const parent of parents) if (parent !== null) children[parent] = (children[parent] ?? 0) + 1;
  /** @type {EntryTruth[]} */
  const entries = values.map((value, n) => ({
    id: isAddressable(value) && !isV1 ? value['id'] : null,
    type: value['type'],
    role: value['type'] === 'message' ? renamed(value['message']?.role ?? '') || null : null,
    timestampMs: timeOf(value['timestamp']),
    .../** @type {{ byteOffset: number, byteLength: number }} */ (session.places[n]),
    parentIndex: parents[n] ?? null,
  }));
  /** @type {string | null} */
  let leafId = null;
  /** @type {string | null | undefined} */
  let title;
  /** @type {Map<string, string>} */
  const labels = new Map();
  for (const value of values) {
    if (isAddressable(value)) leafId = value['id'];
    if (value['type'] === 'leaf' && lastWithId.has(value['targetId'])) leafId = value['targetId'];
    if (value['type'] === 'session_info') title = value['name'] || null;
    if (value['type'] === 'title_change') title = value['title'] || null;
    if (value['type'] !== 'label') continue;
    if (value['label']) labels.set(value['targetId'], value['label']);
    else labels.delete(value['targetId']);
  }
  const times = entries.flatMap(({ timestampMs }) => timestampMs ?? []);
  const headerMs = timeOf(header['timestamp']);
  const messages = values.filter(({ type }) => type === 'message');
  const ofUsers = messages.filter(({ message }) => message?.role === 'user');
  return {
    path: session.path,
    id: header['id'],
    cwd: header['cwd'] ?? '',
    version,
    title: title === undefined ? (session.slotTitle ?? header['title'] ?? null) : title,
    parentSession: header['parentSession'] ?? header['branchedFrom'] ?? null,
    createdMs: Math.min(...times, ...(headerMs === null ? [] : [headerMs])),
    modifiedMs: times.length > 0 ? Math.max(...times) : null,
    messageCount: messages.length,
    entryCount: values.length,
    leafId: isV1 ? null : leafId,
    labels: [...labels].map(([targetId, label]) => ({ targetId, label })),
    firstUserMessage:
      ofUsers.map(({ message }) => firstText(message.content)).find((text) => text !== null) ?? null,
    leafCount: values.filter(
      (value, n) => (isV1 ? value['type'] !== 'session' : isAddressable(value)) && children[n] === 0,
    ).length,
    branchPoints: children.filter((count) => count > 1).length,
    orphans,
    problems: session.problems,
    entries,
  };
}

/** @param {string} role */
function renamed(role) {
  return role === 'hookMessage' ? 'custom' : role;
}
