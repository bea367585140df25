import type { Database } from 'better-sqlite3';
import type { Kyselify } from 'drizzle-orm/kysely';
import {
  type Compilable,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type * as schema from './schema.js';

/** The index's tables as Kysely sees them: types of the one schema. */
export interface IndexTables {
  index_state: Kyselify<typeof schema.indexState>;
  shards: Kyselify<typeof schema.shards>;
  retired_files: Kyselify<typeof schema.retiredFiles>;
  roots: Kyselify<typeof schema.roots>;
  files: Kyselify<typeof schema.files>;
  problems: Kyselify<typeof schema.problems>;
  sessions: Kyselify<typeof schema.sessions>;
  kinds: Kyselify<typeof schema.kinds>;
  entries: Kyselify<typeof schema.entries>;
  parents: Kyselify<typeof schema.parents>;
  orphans: Kyselify<typeof schema.orphans>;
  labels: Kyselify<typeof schema.labels>;
  blob_refs: Kyselify<typeof schema.blobRefs>;
  models: Kyselify<typeof schema.models>;
  usage: Kyselify<typeof schema.usage>;
  model_changes: Kyselify<typeof schema.modelChanges>;
  tool_calls: Kyselify<typeof schema.toolCalls>;
  copies: Kyselify<typeof schema.copies>;
}

/**
 * Builds queries; never runs them. They run on the snapshot's own connection, synchronously, so that all statements of
 * an answer see one moment.
 */
export const query = new Kysely<IndexTables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

export function all<Row>(db: Database, compilable: Compilable<Row>): Row[] {
  const { sql, parameters } = compilable.compile();
  return db.prepare<unknown[], Row>(sql).all(...parameters);
}

export function first<Row>(db: Database, compilable: Compilable<Row>): Row | undefined {
  const { sql, parameters } = compilable.compile();
  return db.prepare<unknown[], Row>(sql).get(...parameters);
}
