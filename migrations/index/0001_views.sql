-- Views for people who open the database with tools of their own. Times are Unix ms, sizes bytes, costs US dollars.
-- `session_file` is the number of a session's file, the key that joins them; 16777216 is the span of row keys of a file.
CREATE VIEW v_sessions AS
SELECT s.id AS session_file, s.session_id, f.path, s.cwd AS project, s.title, s.title_source, s.version,
  s.parent_session, s.parent_file_id AS parent_session_file, s.created_ms,
  coalesce(s.modified_ms, f.mtime_ms) AS modified_ms, s.first_message, s.status, s.entry_count, s.message_count,
  s.user_count, s.assistant_count, s.tool_result_count, s.compaction_count, s.leaf_count AS branch_count,
  s.orphan_count, f.size_bytes, f.problem_count, s.input, s.output, s.cache_read, s.cache_write, s.total_tokens,
  s.premium_requests, s.cost_usd
FROM sessions s JOIN files f ON f.id = s.id;
--> statement-breakpoint
CREATE VIEW v_entries AS
SELECT e.id / 16777216 AS session_file, e.id % 16777216 AS seq, e.entry_id, k.type, nullif(k.role, '') AS role,
  e.timestamp_ms, e.byte_offset, e.byte_length,
  (SELECT c.original_id / 16777216 FROM copies c WHERE c.id = e.id) AS copied_from_session_file
FROM entries e JOIN kinds k ON k.id = e.kind_id WHERE e.id % 16777216 > 0;
--> statement-breakpoint
CREATE VIEW v_messages AS
SELECT session_file, seq, entry_id, role, timestamp_ms, byte_offset, byte_length, copied_from_session_file
FROM v_entries WHERE type = 'message';
--> statement-breakpoint
CREATE VIEW v_usage AS
SELECT u.id / 16777216 AS session_file, u.entry_seq AS seq, u.source, m.provider, m.model, u.timestamp_ms, u.input,
  u.output, u.cache_read, u.cache_write, u.total_tokens, u.premium_requests, u.cost_usd, u.is_priced, u.stop_reason,
  u.is_counted
FROM usage u JOIN models m ON m.id = u.model_id;
--> statement-breakpoint
CREATE VIEW v_model_changes AS
SELECT c.id / 16777216 AS session_file, c.id % 16777216 AS seq, e.entry_id, e.timestamp_ms, c.kind,
  nullif(c.role, '') AS role, c.value
FROM model_changes c JOIN entries e ON e.id = c.id;
--> statement-breakpoint
CREATE VIEW v_tool_calls AS
SELECT t.id / 16777216 AS session_file, t.entry_seq AS seq, e.entry_id, e.timestamp_ms, t.name, t.result_seq, t.outcome
FROM tool_calls t JOIN entries e ON e.id = t.id / 16777216 * 16777216 + t.entry_seq;
--> statement-breakpoint
CREATE VIEW v_labels AS
SELECT l.id / 16777216 AS session_file, l.id % 16777216 AS seq, l.target_id, l.target_seq, l.label, l.is_current,
  e.timestamp_ms
FROM labels l JOIN entries e ON e.id = l.id;
