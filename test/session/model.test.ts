import { describe, it } from 'vitest';
import { FileSessionStorage } from '../../src/storage/file-storage.js';
import { MemorySessionStorage } from '../../src/storage/memory-storage.js';
import { checkModel } from '../support/session-model.js';
import { makeWorld } from '../support/session-world.js';

const inMemory = () => new MemorySessionStorage();
const inFiles = () => new FileSessionStorage();

describe('F19-F36: whatever is done to a session, file, memory and context are those of a simple model', () => {
  it('in memory, many short runs', async () => {
    await checkModel(inMemory, makeWorld, { maxCommands: 30, size: 'small', numRuns: 1000 });
  });

  it('in memory, long runs', async () => {
    await checkModel(inMemory, makeWorld, { maxCommands: 40, size: 'max', numRuns: 150 });
  });

  it('in files', async () => {
    await checkModel(inFiles, makeWorld, { maxCommands: 40, size: 'max', numRuns: 25 });
  });
});
