import fc from 'fast-check';
import { afterEach, describe, it } from 'vitest';
import { SessionManager } from '../../src/session/session-manager.js';
import { FileSessionStorage } from '../../src/storage/file-storage.js';
import { MemorySessionStorage } from '../../src/storage/memory-storage.js';
import type { SessionStorage } from '../../src/storage/session-storage.js';
import { commands, newModel, type Real } from '../support/session-model.js';
import { makeWorld } from '../support/session-world.js';

const opened: Real[] = [];

afterEach(async () => {
  for (const { manager, other } of opened.splice(0)) await Promise.all([manager.close(), other?.close()]);
});

async function run(storage: SessionStorage, cmds: Parameters<typeof fc.asyncModelRun>[1]): Promise<void> {
  const world = makeWorld();
  const manager = SessionManager.create('/project-0', undefined, storage, world.host);
  const real: Real = { manager, other: undefined, storage, world };
  await fc.asyncModelRun(() => ({ model: newModel('/project-0'), real }), cmds as never);
  await Promise.all([real.manager.close(), real.other?.close()]);
}

describe('F19-F36: whatever is done to a session, file, memory and context are those of a simple model', () => {
  it('in memory, two thousand times', async () => {
    await fc.assert(
      fc.asyncProperty(commands(30), (cmds) => run(new MemorySessionStorage(), cmds as never)),
      { numRuns: 2000 },
    );
  });

  it('in files', async () => {
    await fc.assert(
      fc.asyncProperty(commands(40), (cmds) => run(new FileSessionStorage(), cmds as never)),
      { numRuns: 120 },
    );
  });
});
