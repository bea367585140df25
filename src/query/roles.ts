import { nearest } from './near.js';

/** Roles of messages that agents write. Any other word may be a role, too. */
const ROLES = [
  'user',
  'assistant',
  'toolResult',
  'bashExecution',
  'pythonExecution',
  'custom',
  'hookMessage',
  'branchSummary',
  'compactionSummary',
  'fileMention',
  'developer',
  'system',
] as const;

/** Roles under the names that people use for them. */
const ALIASES: Readonly<Record<string, string>> = {
  tool: 'toolResult',
  bash: 'bashExecution',
  python: 'pythonExecution',
};

/** A role in its usual spelling: aliases resolved, the case put right; an unknown one as it is. */
export function roleOf(written: string): string {
  const lower = written.toLowerCase();
  if (Object.hasOwn(ALIASES, lower)) return ALIASES[lower] as string;
  return ROLES.find((role) => role.toLowerCase() === lower) ?? written;
}

/** The role or alias that an unknown role is a slip of the keyboard away from. */
export function nearestRole(written: string): string | undefined {
  if (written.length < 3 || roleOf(written) !== written) return undefined;
  if ((ROLES as readonly string[]).includes(written)) return undefined;
  return nearest(written, [...ROLES, ...Object.keys(ALIASES)]);
}

/** For messages. */
export const ROLE_LIST = [...ROLES, ...Object.keys(ALIASES)].join(', ');
