import { EXIT } from './command.js';
import { packageVersion } from './commands/doctor.js';
import { processTerminal } from './output/terminal.js';
import { runProgram } from './program.js';

const controller = new AbortController();

process.on('SIGINT', () => {
  // The second one does not wait for the first one's tidying.
  if (controller.signal.aborted) process.exit(EXIT.interrupted);
  controller.abort();
});

// A reader that has seen enough, as `head` has, ends the command quietly.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.done);
  throw error;
});

process.exitCode = await runProgram(process.argv.slice(2), {
  terminal: processTerminal(),
  signal: controller.signal,
  version: packageVersion,
});
