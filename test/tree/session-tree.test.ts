import { describe, expect, it } from 'vitest';
import type { SessionEntry } from '../../src/format/types.js';
import { buildSessionContext } from '../../src/tree/context.js';
import type { SessionTreeNode } from '../../src/tree/nodes.js';
import { SessionTree } from '../../src/tree/session-tree.js';
import { chain, entry, header, message, user } from '../support/entries.js';

const ids = (entries: readonly SessionEntry[]) => entries.map(({ id }) => id);

/** `a(b c(d))` */
function shape(nodes: readonly SessionTreeNode[]): string {
  return nodes
    .map(({ entry: { id }, children }) => (children.length === 0 ? id : `${id}(${shape(children)})`))
    .join(' ');
}

describe('F18: the leaf after a load', () => {
  it('is the last entry of the file', () => {
    expect(SessionTree.of([header(), ...chain(3)]).leafId).toBe('e2');
    expect(SessionTree.of([header()]).leafId).toBeNull();
  });

  it('is what a leaf record after it points at, if that exists', () => {
    const leaf = (targetId: string) => ({ type: 'leaf', targetId }) as unknown as SessionEntry;
    expect(SessionTree.of([...chain(3), leaf('e0')]).leafId).toBe('e0');
    expect(SessionTree.of([...chain(3), leaf('gone')]).leafId).toBe('e2');
    expect(SessionTree.of([...chain(3), leaf('e0'), message('n', 'e1', user('n'))]).leafId).toBe('n');
    expect(SessionTree.of([...chain(3), leaf('e0'), leaf('e1')]).leafId).toBe('e1');
  });

  it('passes over entries without an id, which stay in the entries', () => {
    const nameless = { type: 'custom', customType: 'x' } as unknown as SessionEntry;
    const tree = SessionTree.of([...chain(2), nameless]);
    expect(tree.leafId).toBe('e1');
    expect(tree.entries).toHaveLength(3);
  });
});

describe('F20: moving the leaf', () => {
  it('moves it and nothing else', () => {
    const tree = SessionTree.of(chain(3));
    tree.branch('e0');
    expect(tree.leafId).toBe('e0');
    expect(ids(tree.entries)).toEqual(['e0', 'e1', 'e2']);
    tree.resetLeaf();
    expect(tree.leafId).toBeNull();
    expect(tree.path()).toEqual([]);
  });

  it('throws for an unknown id and stays where it was', () => {
    const tree = SessionTree.of(chain(2));
    expect(() => tree.branch('nope')).toThrow(new Error('Entry nope not found'));
    expect(tree.leafId).toBe('e1');
  });
});

describe('F23: broken input', () => {
  it('openclaw #64287: a parent that does not exist makes a root, and nothing is lost', () => {
    const [a, , c, d] = chain(4) as [SessionEntry, SessionEntry, SessionEntry, SessionEntry];
    const tree = SessionTree.of([a, c, d]);
    expect(ids(tree.path())).toEqual(['e2', 'e3']);
    expect(shape(tree.tree())).toBe('e0 e2(e3)');
    expect(tree.entries).toHaveLength(3);
  });

  it('a parent below its child is still its parent', () => {
    const tree = SessionTree.of([message('b', 'a', user('b')), message('a', null, user('a'))]);
    expect(ids(tree.path('b'))).toEqual(['a', 'b']);
    expect(shape(tree.tree())).toBe('a(b)');
  });

  it('a self-parent is a root', () => {
    const tree = SessionTree.of([message('a', 'a', user('a')), message('b', 'a', user('b'))]);
    expect(ids(tree.path())).toEqual(['a', 'b']);
    expect(shape(tree.tree())).toBe('a(b)');
    expect(ids(tree.children('a'))).toEqual(['b']);
  });

  it('a cycle ends the walk at the repeated entry, and its first entry is a root', () => {
    const entries = [
      message('x', null, user('x')),
      message('a', 'c', user('a')),
      message('b', 'a', user('b')),
      message('c', 'b', user('c')),
      message('d', 'c', user('d')),
    ];
    const tree = SessionTree.of(entries);
    expect(ids(tree.path('d'))).toEqual(['a', 'b', 'c', 'd']);
    expect(ids(tree.path('b'))).toEqual(['c', 'a', 'b']);
    expect(shape(tree.tree())).toBe('x a(b(c(d)))');
    expect(buildSessionContext(entries, 'b').messages.map((m) => m.content)).toEqual(['c', 'a', 'b']);
  });

  it('of two entries with one id the last wins, both stay', () => {
    const first = message('a', null, user('first'));
    const second = message('a', null, user('second'));
    const tree = SessionTree.of([first, message('b', 'a', user('b')), second]);
    expect(tree.get('a')).toBe(second);
    expect(tree.entries).toContain(first);
    expect(tree.path('b')[0]).toBe(second);
    expect(buildSessionContext(tree.entries, 'b').messages[0]?.content).toBe('second');
    expect(tree.tree()).toHaveLength(2);
  });

  it('pi #6849: 200,000 entries in a row neither overflow nor take quadratic time', () => {
    const entries = chain(200_000);
    const tree = SessionTree.of(entries);
    expect(tree.path()).toHaveLength(200_000);
    expect(tree.context().messages).toHaveLength(200_000);
    expect(buildSessionContext(entries).messages).toHaveLength(200_000);
    let depth = 0;
    for (let level = tree.tree(); level.length > 0; level = level[0]?.children ?? []) depth += 1;
    expect(depth).toBe(200_000);
  });
});

describe('F24: the tree', () => {
  it('has children by timestamp, oldest first, and labels', () => {
    const at = (id: string, parentId: string | null, timestamp: unknown) =>
      entry('message', id, parentId, { message: user(id), timestamp });
    const tree = SessionTree.of([
      at('r', null, '2026-01-01T00:00:00Z'),
      at('late', 'r', '2026-01-03T00:00:00Z'),
      at('early', 'r', '2026-01-02T00:00:00Z'),
      at('ms', 'r', Date.UTC(2026, 0, 2, 12)),
      at('r2', null, '2025-01-01T00:00:00Z'),
      entry('label', 'l', 'late', { targetId: 'early', label: 'mark' }),
    ]);
    expect(shape(tree.tree())).toBe('r(early ms late(l)) r2');
    expect(tree.tree()[0]?.children[0]?.label).toBe('mark');
    expect('label' in (tree.tree()[0] as SessionTreeNode)).toBe(false);
  });
});

describe('F25: labels', () => {
  it('the last one for a target wins, and absent, null and empty clear it', () => {
    const label = (id: string, value: unknown) => entry('label', id, 'e0', { targetId: 'e0', label: value });
    const of = (...values: unknown[]) =>
      SessionTree.of([...chain(1), ...values.map((value, i) => label(`l${i}`, value))]).labels.get('e0');
    expect(of('one', 'two')).toBe('two');
    for (const cleared of [undefined, null, '']) expect(of('one', cleared)).toBeUndefined();
    expect(of('one', undefined, 'three')).toBe('three');
  });
});
