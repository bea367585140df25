import type { FilterNode } from '../../query/ast.js';
import { ROW_SPAN } from '../keys.js';

/** An SQL condition with `?` for its parameters. */
export interface Condition {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

function anyOf(values: readonly string[], sql: string, times = 1): Condition {
  return {
    sql: values.map(() => sql).join(' OR ') || '0',
    parameters: values.flatMap((value) => Array<string>(times).fill(value)),
  };
}

function contains(column: string): string {
  return `instr(lower(${column}), lower(?)) > 0`;
}

const OF_SESSION = `(s.session_id LIKE replace(replace(?, '%', ''), '_', '\\_') || '%' ESCAPE '\\'
  OR f.path LIKE '%/' || replace(replace(?, '%', ''), '_', '\\_') || '%.jsonl' ESCAPE '\\')`;

const IS_FORK = 's.parent_session IS NOT NULL';

/** Keys of entries with a property, where the property's table knows the entry by file and number. */
function entryKeys(table: string, alias: string, seq: string): string {
  return `SELECT ${alias}.id / ${ROW_SPAN} * ${ROW_SPAN} + ${alias}.${seq} FROM ${table} ${alias}`;
}

const WITH_MODEL = `${entryKeys('usage', 'u', 'entry_seq')} JOIN models m ON m.id = u.model_id WHERE`;

const WITH_TOOL = (where: string) =>
  `${entryKeys('tool_calls', 't', 'entry_seq')} WHERE ${where}
   UNION ${entryKeys('tool_calls', 't', 'result_seq')} WHERE t.result_seq IS NOT NULL AND ${where}`;

const LABELLED = `${entryKeys('labels', 'l', 'target_seq')} WHERE l.is_current AND l.target_seq IS NOT NULL`;

/** Roles under the names that people use for them. */
const ROLE_ALIASES: Readonly<Record<string, string>> = {
  tool: 'toolresult',
  bash: 'bashexecution',
  python: 'pythonexecution',
};

function roleOf(value: string): string {
  const lower = value.toLowerCase();
  return Object.hasOwn(ROLE_ALIASES, lower) ? (ROLE_ALIASES[lower] as string) : lower;
}

function within(column: string, filter: FilterNode): Condition {
  switch (filter.name) {
    case 'after':
      return {
        sql: filter.intervals.map(() => `${column} >= ?`).join(' OR '),
        parameters: filter.intervals.map(({ fromMs }) => fromMs),
      };
    case 'before':
      return {
        sql: filter.intervals.map(() => `${column} < ?`).join(' OR '),
        parameters: filter.intervals.map(({ fromMs }) => fromMs),
      };
    default:
      return {
        sql: filter.intervals.map(() => `(${column} >= ? AND ${column} < ?)`).join(' OR '),
        parameters: filter.intervals.flatMap(({ fromMs, toMs }) => [fromMs, toMs]),
      };
  }
}

/** What a filter says of an entry `e` of kind `k` in session `s` and file `f`. */
export function entryCondition(filter: FilterNode): Condition {
  const { name, values } = filter;
  switch (name) {
    case 'role':
      return anyOf(values.map(roleOf), 'lower(k.role) = ?');
    case 'type':
      return anyOf(values, 'lower(k.type) = lower(?)');
    case 'in':
      return { sql: '1', parameters: [] }; // narrows where words are looked for
    case 'project':
      return anyOf(values, contains('s.cwd'));
    case 'session':
      return anyOf(values, OF_SESSION, 2);
    case 'title':
      return anyOf(values, contains('s.title'));
    case 'model':
      return anyOf(values, `e.id IN (${WITH_MODEL} ${contains("m.provider || '/' || m.model")})`);
    case 'provider':
      return anyOf(values, `e.id IN (${WITH_MODEL} lower(m.provider) = lower(?))`);
    case 'tool':
      return anyOf(values, `e.id IN (${WITH_TOOL('lower(t.name) = lower(?)')})`, 2);
    case 'label':
      return anyOf(values, `e.id IN (${LABELLED} AND ${contains('l.label')})`);
    case 'after':
    case 'before':
    case 'on':
      return within('e.timestamp_ms', filter);
    case 'is':
      return { sql: values.map((value) => ENTRY_IS[value] ?? '0').join(' OR '), parameters: [] };
    case 'has':
      return { sql: values.map((value) => ENTRY_HAS[value] ?? '0').join(' OR '), parameters: [] };
  }
}

const ENTRY_IS: Readonly<Record<string, string>> = {
  fork: IS_FORK,
  error: `e.id IN (${entryKeys('usage', 'u', 'entry_seq')} WHERE u.stop_reason IN ('error', 'aborted')
    UNION ${entryKeys('tool_calls', 't', 'result_seq')} WHERE t.outcome = 'error')`,
};

const ENTRY_HAS: Readonly<Record<string, string>> = {
  image: `e.id IN (${entryKeys('blob_refs', 'b', 'entry_seq')})`,
  label: `e.id IN (${LABELLED})`,
};

/** Sessions that have a row of a table for which a condition holds. */
function sessionsWith(from: string, where: string): string {
  return `s.id IN (SELECT x.id / ${ROW_SPAN} FROM ${from} WHERE ${where})`;
}

/** What a filter says of a session `s` and its file `f` as a whole; times are its last activity. */
export function sessionCondition(filter: FilterNode): Condition {
  const { name, values } = filter;
  switch (name) {
    case 'role':
      return anyOf(
        values.map(roleOf),
        sessionsWith('entries x JOIN kinds k ON k.id = x.kind_id', 'lower(k.role) = ?'),
      );
    case 'type':
      return anyOf(
        values,
        sessionsWith('entries x JOIN kinds k ON k.id = x.kind_id', 'lower(k.type) = lower(?)'),
      );
    case 'model':
      return anyOf(
        values,
        sessionsWith('usage x JOIN models m ON m.id = x.model_id', contains("m.provider || '/' || m.model")),
      );
    case 'provider':
      return anyOf(
        values,
        sessionsWith('usage x JOIN models m ON m.id = x.model_id', 'lower(m.provider) = lower(?)'),
      );
    case 'tool':
      return anyOf(values, sessionsWith('tool_calls x', 'lower(x.name) = lower(?)'));
    case 'label':
      return anyOf(values, sessionsWith('labels x', `x.is_current AND ${contains('x.label')}`));
    case 'after':
    case 'before':
    case 'on':
      return within('coalesce(s.modified_ms, f.mtime_ms)', filter);
    case 'is':
      return { sql: values.map((value) => SESSION_IS[value] ?? '0').join(' OR '), parameters: [] };
    case 'has':
      return { sql: values.map((value) => SESSION_HAS[value] ?? '0').join(' OR '), parameters: [] };
    default:
      return entryCondition(filter); // these speak of the session alone
  }
}

const SESSION_IS: Readonly<Record<string, string>> = {
  fork: IS_FORK,
  error: "s.status IN ('error', 'aborted')",
};

const SESSION_HAS: Readonly<Record<string, string>> = {
  image: sessionsWith('blob_refs x', '1'),
  label: sessionsWith('labels x', 'x.is_current'),
};
