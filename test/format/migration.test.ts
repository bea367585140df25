import { describe, expect, it } from 'vitest';
import { loadEntries } from '../../src/format/load.js';
import { migrateSessionEntries } from '../../src/format/migrate/migrate.js';
import { V1Chain } from '../../src/format/migrate/v1-to-v2.js';
import type { FileEntry } from '../../src/format/types.js';

type Fields = Record<string, unknown>;

const V1 = [
  '{"type":"session","id":"s1","timestamp":"2025-11-20T10:00:00.000Z","cwd":"/x","provider":"p","modelId":"m","thinkingLevel":"off","branchedFrom":"/old.jsonl"}',
  '{"type":"message","timestamp":"2025-11-20T10:00:01.000Z","message":{"role":"user","content":"one"}}',
  '{"note":{"b":1,"a":2},"type":"model_change","timestamp":"2025-11-20T10:00:02.000Z","provider":"p","modelId":"m2"}',
  '{"type":"message","timestamp":"2025-11-20T10:00:03.000Z","message":{"role":"hookMessage","customType":"c","content":"two","display":true}}',
  '{"type":"compaction","timestamp":"2025-11-20T10:00:04.000Z","summary":"s","firstKeptEntryIndex":3,"tokensBefore":9}',
  '{"type":"message","timestamp":"2025-11-20T10:00:05.000Z","message":{"role":"user","content":"three"}}',
];

const V2 = [
  '{"type":"session","version":2,"id":"s2","timestamp":"2025-12-20T10:00:00.000Z","cwd":"/x"}',
  '{"type":"message","id":"aa","parentId":null,"timestamp":"t1","message":{"role":"hookMessage","content":"x","display":false},"z":1}',
  '{"type":"custom","id":"bb","parentId":"gone","timestamp":"t2","customType":"hookMessage","data":{"role":"hookMessage"}}',
  '{"type":"compaction","id":"cc","parentId":"bb","timestamp":"t3","summary":"s","firstKeptEntryIndex":1,"tokensBefore":0}',
];

const load = (lines: readonly string[]): FileEntry[] =>
  loadEntries([Buffer.from(lines.map((line) => `${line}\n`).join(''))]).entries;
const text = (entries: readonly FileEntry[]) => entries.map((entry) => JSON.stringify(entry));

function migrated(lines: readonly string[]): (FileEntry & Fields)[] {
  const entries = load(lines);
  migrateSessionEntries(entries);
  return entries as (FileEntry & Fields)[];
}

describe('migration', () => {
  it('F11: version 1 gets ids, a linear chain and the kept entry by its id; the rest stays, in its order', () => {
    const entries = load(V1);
    expect(migrateSessionEntries(entries)).toBe(true);
    const [, a, b, c, d, e] = entries.map(({ id }) => id as string);
    expect(new Set([a, b, c, d, e]).size).toBe(5);
    for (const id of [a, b, c, d, e]) expect(id).toMatch(/^[0-9a-f]{8}$/);
    expect(text(entries)).toEqual([
      `${V1[0]?.slice(0, -1)},"version":3}`,
      `${V1[1]?.slice(0, -1)},"id":"${a}","parentId":null}`,
      `${V1[2]?.slice(0, -1)},"id":"${b}","parentId":"${a}"}`,
      `${V1[3]?.slice(0, -1).replace('hookMessage', 'custom')},"id":"${c}","parentId":"${b}"}`,
      `{"type":"compaction","timestamp":"2025-11-20T10:00:04.000Z","summary":"s","tokensBefore":9,"id":"${d}","parentId":"${c}","firstKeptEntryId":"${c}"}`,
      `${V1[5]?.slice(0, -1)},"id":"${e}","parentId":"${d}"}`,
    ]);
  });

  it.each([
    [1, 1],
    [2, 2],
    [5, 5],
  ])('F11: the index %i is that of the file’s entries, header = 0', (index, at) => {
    const entries = migrated(
      V1.map((line) => line.replace('"firstKeptEntryIndex":3', `"firstKeptEntryIndex":${index}`)),
    );
    expect(entries[4]?.['firstKeptEntryId']).toBe(entries[at]?.id);
    expect(entries[4]).not.toHaveProperty('firstKeptEntryIndex');
  });

  it.each(['0', '6', '-1', '1.5', '"3"', 'null'])(
    'F10, F11: the index %s means no entry and is kept as written',
    (index) => {
      const entries = migrated(
        V1.map((line) => line.replace('"firstKeptEntryIndex":3', `"firstKeptEntryIndex":${index}`)),
      );
      expect(entries[4]?.['firstKeptEntryIndex']).toBe(JSON.parse(index));
      expect(entries[4]).not.toHaveProperty('firstKeptEntryId');
    },
  );

  it('F11: an id that says what is kept wins over an index', () => {
    const lines = V1.map((line) =>
      line.replace('"firstKeptEntryIndex":3', '"firstKeptEntryIndex":3,"firstKeptEntryId":"own"'),
    );
    expect(migrated(lines)[4]).toMatchObject({ firstKeptEntryId: 'own' });
    expect(migrated(lines)[4]).not.toHaveProperty('firstKeptEntryIndex');
  });

  it('F11: entries that have ids and parents already keep them; the others are chained to the one before', () => {
    const entries = migrated([
      '{"type":"session","id":"s","timestamp":"t","cwd":"/x"}',
      '{"type":"custom","id":"own","parentId":null,"customType":"t"}',
      '{"type":"custom","customType":"t"}',
      '{"type":"custom","id":"other","parentId":"own","customType":"t"}',
      '{"type":"custom","id":"last","customType":"t"}',
      '{"type":"custom","id":"root","parentId":null,"customType":"t"}',
      '{"type":"custom","parentId":null,"customType":"t"}',
    ]);
    const given = entries[2]?.id;
    const lastGiven = entries[6]?.id;
    expect(entries.slice(1).map(({ id, parentId }) => [id, parentId])).toEqual([
      ['own', null],
      [given, 'own'],
      ['other', 'own'],
      ['last', 'other'],
      ['root', null],
      [lastGiven, 'root'],
    ]);
    expect([given, lastGiven]).toEqual(Array(2).fill(expect.stringMatching(/^[0-9a-f]{8}$/)));
  });

  it('F11: a second header is carried, counted, and gets no id of its own', () => {
    const header = '{"type":"session","id":"t","timestamp":"t","cwd":"/y"}';
    const entries = migrated([
      V1[0] as string,
      V1[1] as string,
      header,
      V1[4]?.replace('Index":3', 'Index":3') as string,
    ]);
    expect(JSON.stringify(entries[2])).toBe(header);
    expect(entries[3]).toMatchObject({ parentId: entries[1]?.id, firstKeptEntryId: entries[3]?.id });
  });

  it('F12: of version 2 only the role of messages changes, and the version', () => {
    const entries = load(V2);
    expect(migrateSessionEntries(entries)).toBe(true);
    expect(text(entries)).toEqual([
      V2[0]?.replace('"version":2', '"version":3'),
      V2[1]?.replace('hookMessage', 'custom'),
      V2[2],
      V2[3],
    ]);
  });

  it.each([3, 4, 99])('F13: version %i is not touched', (version) => {
    const lines = [
      V2[0]?.replace('"version":2', `"version":${version}`) as string,
      ...V2.slice(1),
      ...V1.slice(1),
    ];
    const entries = load(lines);
    expect(migrateSessionEntries(entries)).toBe(false);
    expect(text(entries)).toEqual(lines);
  });

  it.each([
    ['1', V1],
    ['2', V2],
  ])('F13: a migrated file of version %s, written and read again, migrates no further', (_, lines) => {
    const once = text(migrated(lines));
    const again = load(once);
    expect(migrateSessionEntries(again)).toBe(false);
    expect(text(again)).toEqual(once);
  });

  it('F13: nothing without a header is touched', () => {
    expect(migrateSessionEntries([])).toBe(false);
    const entries = V1.slice(1).map((line) => JSON.parse(line) as FileEntry);
    expect(migrateSessionEntries(entries)).toBe(false);
    expect(text(entries)).toEqual(V1.slice(1));
  });

  it.each(['"1"', 'null', '"three"', '0', '1'])('F11: the version %s is version 1', (version) => {
    const lines = [(V1[0] as string).replace('"id"', `"version":${version},"id"`), ...V1.slice(1)];
    expect(migrated(lines)[1]?.parentId).toBeNull();
    expect(migrated(lines)[0]).toMatchObject({ version: 3 });
  });

  it('F14: the ids depend on the file alone, and a stream gives the same ones', () => {
    const ids = migrated(V1).map(({ id }) => id);
    expect(migrated(V1).map(({ id }) => id)).toEqual(ids);
    const chain = new V1Chain('s1');
    const streamed = V1.slice(1).map((line, at) => chain.next(JSON.parse(line) as Fields, at + 1).id);
    expect(streamed).toEqual(ids.slice(1));
  });

  it('F14: an entry that is appended later changes none of the ids before it', () => {
    const longer = migrated([...V1, V1[1] as string]).map(({ id }) => id);
    expect(longer.slice(0, V1.length)).toEqual(migrated(V1).map(({ id }) => id));
  });

  it('F14: the same entry at two positions, or in two sessions, has two ids', () => {
    const same = migrated([V1[0] as string, V1[1] as string, V1[1] as string]);
    expect(same[1]?.id).not.toBe(same[2]?.id);
    const alone = JSON.parse(V1[1] as string) as Fields;
    expect(new V1Chain('s1').next(alone, 1).id).not.toBe(new V1Chain('s1').next(alone, 2).id);
    const other = migrated([(V1[0] as string).replace('"s1"', '"s9"'), V1[1] as string]);
    expect(other[1]?.id).not.toBe(same[1]?.id);
  });

  it('F14: an entry of 200,000 levels has an id, too, which depends on what it says', () => {
    const deep = (text: string) =>
      `{"type":"custom","customType":"t","data":${'['.repeat(200_000)}"${text}"${']'.repeat(200_000)}}`;
    const idOf = (text: string) => migrated([V1[0] as string, deep(text)])[1]?.id;
    expect(idOf('a')).toMatch(/^[0-9a-f]{8}$/);
    expect(idOf('a')).toBe(idOf('a'));
    expect(idOf('a')).not.toBe(idOf('b'));
  });
});
