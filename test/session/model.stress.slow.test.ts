import { describe, it } from 'vitest';
import { FileSessionStorage } from '../../src/storage/file-storage.js';
import { MemorySessionStorage } from '../../src/storage/memory-storage.js';
import { checkModel } from '../support/session-model.js';
import { makeWorld } from '../support/session-world.js';

describe('a session against a simple model, thousands of long runs', () => {
  it('in memory', async () => {
    await checkModel(() => new MemorySessionStorage(), makeWorld, {
      maxCommands: 60,
      size: 'max',
      numRuns: 6000,
    });
  });

  it('in files', async () => {
    await checkModel(() => new FileSessionStorage(), makeWorld, {
      maxCommands: 60,
      size: 'max',
      numRuns: 1500,
    });
  });
});
