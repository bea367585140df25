/** @import { SessionWriter, UsageTruth, WrittenEntry } from './session-writer.mjs' */

const nothing = () => ({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 });

/** @param {ReturnType<typeof nothing>} sum @param {UsageTruth} usage */
function add(sum, usage) {
  sum.input += usage.input;
  sum.output += usage.output;
  sum.cacheRead += usage.cacheRead;
  sum.cacheWrite += usage.cacheWrite;
  sum.cost += usage.cost;
}

/** @param {Record<string, ReturnType<typeof nothing>>} sums @param {string} key */
function sumOf(sums, key) {
  sums[key] ??= nothing();
  return sums[key];
}

/** @param {WrittenEntry} entry */
function counts({ copyOf, owner, usage }, /** @type {ReadonlySet<string>} */ paths) {
  if (copyOf !== null) return false;
  if (usage?.agent === undefined) return true;
  return !paths.has(`${owner.path.replace(/\.jsonl$/, '')}/${usage.agent}.jsonl`);
}

/**
 * What everything cost: each answer once, however often it was copied, and a subagent's usage either by its own session
 * or by the roll-up, never both.
 *
 * @param {readonly SessionWriter[]} sessions
 */
export function usageTruth(sessions) {
  const paths = new Set(sessions.map(({ path }) => path));
  const total = nothing();
  /** @type {Record<string, ReturnType<typeof nothing>>} */
  const byModel = {};
  /** @type {Record<string, ReturnType<typeof nothing>>} */
  const byDay = {};
  /** @type {Record<string, ReturnType<typeof nothing>>} */
  const bySession = {};
  for (const session of sessions) {
    const own = nothing();
    bySession[session.path] = own;
    for (const entry of session.written) {
      const { usage } = entry;
      if (usage === null || !counts(entry, paths)) continue;
      add(total, usage);
      add(own, usage);
      add(sumOf(byModel, usage.model), usage);
      if (usage.day !== null) add(sumOf(byDay, usage.day), usage);
    }
  }
  return { total, byModel, byDay, bySession };
}
