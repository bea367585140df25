import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommandSpec, EXIT } from '../command.js';
import { CommandContext } from '../context.js';
import { writeDemoSessions } from '../demo-sessions.js';
import { listCommand } from './list.js';
import { searchCommand } from './search.js';
import { verifyCommand } from './verify.js';

export const demoCommand: CommandSpec = {
  name: 'demo',
  summary: 'list, search and verify on a few made-up sessions',
  options: [],
  examples: ['sessiondex demo'],
  async run(_args, _options, context) {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sessiondex-demo-')));
    const root = join(folder, 'sessions');
    writeDemoSessions(root, context.host.now());
    const values = { root: [root], db: join(folder, 'index.db') };
    const inDemo = new CommandContext(context.terminal, context.signal, values, context.host);
    const { out, colors } = context.terminal;
    const words = ['retry', 'backoff'];
    const steps = [
      { command: listCommand, args: [] },
      { command: searchCommand, args: words },
      { command: verifyCommand, args: [] },
    ];
    try {
      for (const { command, args } of steps) {
        out(`${colors.bold(`$ sessiondex ${[command.name, ...args].join(' ')}`)}\n`);
        await command.run(args, values, inDemo);
        out('\n');
      }
    } finally {
      inDemo.close();
    }
    out(`Everything of this demo is in ${folder}\n`);
    out(`Go on: sessiondex list --root ${root} --db ${values.db}\n`);
    out(`Remove it: rm -r ${folder}\n`);
    return EXIT.done;
  },
};
