-- A shard of the search index. Contentless: the text stays in the session files, and snippets are cut from them.
-- A row's id is the key of its entry in the main database (`entries.id`), the same in all three tables.
CREATE TABLE shard_state (
  id INTEGER PRIMARY KEY NOT NULL,
  -- Text of files that were gone at this revision of the main database may have been removed.
  purged_revision INTEGER NOT NULL
);
--> statement-breakpoint
INSERT INTO shard_state (id, purged_revision) VALUES (1, 0);
--> statement-breakpoint
CREATE VIRTUAL TABLE prose USING fts5(
  text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
);
--> statement-breakpoint
CREATE VIRTUAL TABLE thinking USING fts5(
  text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
);
--> statement-breakpoint
CREATE VIRTUAL TABLE tools USING fts5(
  text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
);
