import { entryIdOf, timestampMs } from '../format/spellings.js';
import type { SessionEntry } from '../format/types.js';
import type { Labels } from './labels.js';
import { NO_PARENT, type ParentLinks } from './parent-links.js';

/** An entry with those that hang under it. */
export interface SessionTreeNode {
  entry: SessionEntry;
  /** Oldest first. */
  children: SessionTreeNode[];
  /** The entry's current label. */
  label?: string;
}

/**
 * The roots with everything under them (F24). Entries whose parent does not exist are roots; of a cycle the first entry
 * in the file is one. Iterative: the depth is bounded by memory only.
 */
export function buildTree(
  entries: readonly SessionEntry[],
  links: ParentLinks,
  labels: Labels,
): SessionTreeNode[] {
  const nodes = entries.map((entry) => nodeOf(entry, labels));
  const roots: SessionTreeNode[] = [];
  const cut = cycleStarts(entries.length, links);
  for (let seq = 0; seq < nodes.length; seq += 1) {
    const node = nodes[seq] as SessionTreeNode;
    if (isPointer(node.entry)) continue;
    const parent = links.parentOf(seq);
    if (parent === NO_PARENT || cut.has(seq)) roots.push(node);
    else (nodes[parent] as SessionTreeNode).children.push(node);
  }
  for (const { children } of nodes) if (children.length > 1) children.sort(byTime);
  return roots;
}

function nodeOf(entry: SessionEntry, labels: Labels): SessionTreeNode {
  const id = entryIdOf(entry);
  const label = id === undefined ? undefined : labels.get(id);
  return label === undefined ? { entry, children: [] } : { entry, children: [], label };
}

/** A `leaf` record says where the leaf is and stands nowhere in the tree. */
function isPointer(entry: SessionEntry): boolean {
  return (entry.type as string) === 'leaf' && entryIdOf(entry) === undefined;
}

/** A time that cannot be read counts as equal: the order in the file stays. */
function byTime(a: SessionTreeNode, b: SessionTreeNode): number {
  const left = timestampMs(a.entry.timestamp);
  const right = timestampMs(b.entry.timestamp);
  return left === undefined || right === undefined ? 0 : left - right;
}

/** The first entry of each cycle: nothing leads to it from a root. */
function cycleStarts(count: number, links: ParentLinks): ReadonlySet<number> {
  const starts = new Set<number>();
  const walkOf = new Int32Array(count).fill(-1);
  for (let seq = 0; seq < count; seq += 1) {
    let at = seq;
    while (at !== NO_PARENT && walkOf[at] === -1) {
      walkOf[at] = seq;
      at = links.parentOf(at);
    }
    if (at !== NO_PARENT && walkOf[at] === seq) starts.add(firstOfCycle(at, links));
  }
  return starts;
}

function firstOfCycle(member: number, links: ParentLinks): number {
  let first = member;
  for (let at = links.parentOf(member); at !== member; at = links.parentOf(at)) first = Math.min(first, at);
  return first;
}
