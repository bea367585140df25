import { Command, CommanderError, Option } from 'commander';
import { type CommandSpec, EXIT } from './command.js';
import { COMMANDS } from './commands/registry.js';
import { CommandContext } from './context.js';
import type { OptionValues } from './option-types.js';
import type { Terminal } from './output/terminal.js';
import { reportError } from './report-error.js';

export interface ProgramSetting {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly version: () => string;
}

const PROGRAM_OPTIONS: ReadonlySet<string> = new Set(['-h', '--help', '-v', '--version']);

/** Runs the command line and gives the exit code. */
export async function runProgram(argv: readonly string[], setting: ProgramSetting): Promise<number> {
  const { terminal } = setting;
  const asJson = argv.includes('--json');
  let exitCode: number = EXIT.done;
  const program = base(setting);
  for (const spec of COMMANDS) {
    program.addCommand(
      commandOf(spec, terminal).action(async (...all: unknown[]) => {
        const command = all.at(-1) as Command;
        exitCode = await run(spec, command.args, command.optsWithGlobals(), setting);
      }),
    );
  }
  try {
    if (argv.length === 0) return await runBare(setting);
    // Options alone are those of the list that the bare command shows.
    const [first = ''] = argv;
    const isOfList = first.startsWith('-') && !PROGRAM_OPTIONS.has(first);
    await program.parseAsync(isOfList ? ['list', ...argv] : [...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    return reportError(error, asJson, terminal);
  }
}

function base({ terminal, version }: ProgramSetting): Command {
  const program = new Command('sessiondex');
  return settle(program, terminal)
    .description('Find, list, search and verify the session files of coding agents.')
    .option('-v, --version', 'the version')
    .on('option:version', () => {
      terminal.out(`${version()}\n`);
      throw new CommanderError(0, 'sessiondex.version', '');
    })
    .addHelpText(
      'after',
      '\nStart with "sessiondex list", or "sessiondex demo" to see it on made-up sessions.',
    )
    .helpCommand(true);
}

/** Options that every command has. */
function withCommonOptions(command: Command): Command {
  const collect = (value: string, before: string[]) => [...before, value];
  return command
    .addOption(
      new Option('--root <dir>', 'a folder with session files (repeatable)')
        .argParser(collect)
        .default([], 'the agents found'),
    )
    .option('--db <file>', 'the index to use')
    .option('--no-sync', 'answer from the index as it is')
    .option('--json', 'one JSON document')
    .option('--jsonl', 'one JSON object a row');
}

function commandOf(spec: CommandSpec, terminal: Terminal): Command {
  const command = settle(new Command(spec.name), terminal).description(spec.summary);
  if (spec.arguments !== undefined) command.arguments(spec.arguments);
  for (const { flags, description, parse } of spec.options) {
    if (parse) command.option(flags, description, parse);
    else command.option(flags, description);
  }
  const examples = spec.examples.map((example) => `  ${example}`).join('\n');
  return withCommonOptions(command).addHelpText('after', `\nExamples:\n${examples}`);
}

/** Throws instead of exiting, writes through the terminal, suggests what was meant. */
function settle(command: Command, terminal: Terminal): Command {
  return command
    .exitOverride()
    .showSuggestionAfterError(true)
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: (text) => terminal.err(text),
      outputError: (text, write) => write(`sessiondex: ${text.replace(/^error: /, '')}`),
    });
}

async function run(
  spec: CommandSpec,
  args: readonly string[],
  options: OptionValues,
  { terminal, signal }: ProgramSetting,
): Promise<number> {
  const context = new CommandContext(terminal, signal, options);
  try {
    return await spec.run(args, options, context);
  } finally {
    context.close();
  }
}

/** Sessions shown by the bare command. */
const RECENT = 10;

async function runBare(setting: ProgramSetting): Promise<number> {
  const list = COMMANDS.find(({ name }) => name === 'list') as CommandSpec;
  const exitCode = await run(list, [], { limit: RECENT }, setting);
  setting.terminal.err(
    'sessiondex: "sessiondex search WORDS" searches them all; "sessiondex --help" shows what else there is.\n',
  );
  return exitCode;
}
