import type { CommandSpec } from '../command.js';
import { demoCommand } from './demo.js';
import { doctorCommand } from './doctor.js';
import { listCommand } from './list.js';
import { searchCommand } from './search.js';
import { showCommand } from './show.js';
import { reindexCommand, syncCommand } from './sync.js';
import { verifyCommand } from './verify.js';

/** Every subcommand, in the order of the help. What is heavy is imported when a command runs. */
export const COMMANDS: readonly CommandSpec[] = [
  listCommand,
  searchCommand,
  showCommand,
  syncCommand,
  reindexCommand,
  verifyCommand,
  doctorCommand,
  demoCommand,
];
