CREATE TABLE `blob_refs` (
	`id` integer PRIMARY KEY NOT NULL,
	`entry_seq` integer NOT NULL,
	`hash` text,
	`media_type` text NOT NULL,
	`inline_chars` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `blob_refs_by_hash` ON `blob_refs` (`hash`);--> statement-breakpoint
CREATE TABLE `copies` (
	`id` integer PRIMARY KEY NOT NULL,
	`original_id` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `copies_by_original` ON `copies` (`original_id`);--> statement-breakpoint
CREATE TABLE `entries` (
	`id` integer PRIMARY KEY NOT NULL,
	`entry_id` text,
	`kind_id` integer NOT NULL,
	`timestamp_ms` integer,
	`byte_offset` integer NOT NULL,
	`byte_length` integer NOT NULL,
	`digest` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `entries_by_entry_id` ON `entries` (`entry_id`);--> statement-breakpoint
CREATE TABLE `files` (
	`id` integer PRIMARY KEY NOT NULL,
	`path` text NOT NULL,
	`stamp` text NOT NULL,
	`size_bytes` integer NOT NULL,
	`mtime_ms` integer NOT NULL,
	`indexed_bytes` integer NOT NULL,
	`checksum` integer NOT NULL,
	`status` text NOT NULL,
	`kind` text NOT NULL,
	`reason` text NOT NULL,
	`line_count` integer NOT NULL,
	`problem_count` integer NOT NULL,
	`shard_id` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `files_path_unique` ON `files` (`path`);--> statement-breakpoint
CREATE TABLE `index_state` (
	`id` integer PRIMARY KEY NOT NULL,
	`uuid` text NOT NULL,
	`revision` integer NOT NULL,
	`derivation` integer NOT NULL,
	`next_file_id` integer NOT NULL,
	`generation` text NOT NULL,
	`built_ms` integer
);
--> statement-breakpoint
CREATE TABLE `kinds` (
	`id` integer PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`role` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `labels` (
	`id` integer PRIMARY KEY NOT NULL,
	`target_id` text NOT NULL,
	`target_seq` integer,
	`label` text,
	`is_current` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `model_changes` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`role` text NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `models` (
	`id` integer PRIMARY KEY NOT NULL,
	`provider` text NOT NULL,
	`model` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `orphans` (
	`id` integer PRIMARY KEY NOT NULL,
	`parent_id` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `parents` (
	`id` integer PRIMARY KEY NOT NULL,
	`last_seq` integer NOT NULL,
	`parent_seq` integer
);
--> statement-breakpoint
CREATE TABLE `problems` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`byte_offset` integer NOT NULL,
	`byte_length` integer NOT NULL,
	`line` integer NOT NULL,
	`message` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `retired_files` (
	`id` integer PRIMARY KEY NOT NULL,
	`shard_id` integer NOT NULL,
	`revision` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `roots` (
	`id` integer PRIMARY KEY NOT NULL,
	`path` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `roots_path_unique` ON `roots` (`path`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` integer PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`cwd` text NOT NULL,
	`version` integer NOT NULL,
	`title` text,
	`title_source` text,
	`parent_session` text,
	`parent_file_id` integer,
	`header_ms` integer,
	`created_ms` integer,
	`modified_ms` integer,
	`first_message` text,
	`short_summary` text,
	`entry_count` integer NOT NULL,
	`message_count` integer NOT NULL,
	`user_count` integer NOT NULL,
	`assistant_count` integer NOT NULL,
	`tool_result_count` integer NOT NULL,
	`compaction_count` integer NOT NULL,
	`leaf_count` integer NOT NULL,
	`branch_point_count` integer NOT NULL,
	`orphan_count` integer NOT NULL,
	`leaf_seq` integer,
	`status` text NOT NULL,
	`input` integer NOT NULL,
	`output` integer NOT NULL,
	`cache_read` integer NOT NULL,
	`cache_write` integer NOT NULL,
	`total_tokens` integer NOT NULL,
	`premium_requests` real NOT NULL,
	`cost_usd` real NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sessions_by_session_id` ON `sessions` (`session_id`);--> statement-breakpoint
CREATE TABLE `shards` (
	`id` integer PRIMARY KEY NOT NULL,
	`file_name` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `tool_calls` (
	`id` integer PRIMARY KEY NOT NULL,
	`entry_seq` integer NOT NULL,
	`name` text NOT NULL,
	`result_seq` integer,
	`outcome` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `usage` (
	`id` integer PRIMARY KEY NOT NULL,
	`entry_seq` integer NOT NULL,
	`source` text NOT NULL,
	`model_id` integer NOT NULL,
	`timestamp_ms` integer,
	`input` integer NOT NULL,
	`output` integer NOT NULL,
	`cache_read` integer NOT NULL,
	`cache_write` integer NOT NULL,
	`total_tokens` integer NOT NULL,
	`premium_requests` real NOT NULL,
	`cost_usd` real NOT NULL,
	`is_priced` integer NOT NULL,
	`agent` text NOT NULL,
	`stop_reason` text NOT NULL,
	`is_counted` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `usage_roll_ups` ON `usage` (`source`) WHERE source IN ('task', 'child');