import path from 'node:path';
import { FileSessionStorage } from '../../src/storage/file-storage.js';
import { MemorySessionStorage } from '../../src/storage/memory-storage.js';
import { FaultyFs } from '../faults/faulty-fs.js';
import { tempDirs } from '../support/temp-dir.js';
import { MinimalStorage } from './minimal-storage.js';
import { describeStorage } from './storage-suite.js';

const tempDir = tempDirs();

describeStorage('FileSessionStorage', () => {
  const faulty = new FaultyFs();
  return {
    storage: new FileSessionStorage({ fs: faulty.fs }),
    dir: tempDir(),
    breakFile: (file) =>
      faulty.watch((call) => (call.name === 'writeSync' && call.path === file ? 'EIO' : undefined)),
  };
});

describeStorage('MemorySessionStorage', () => {
  const storage = new MemorySessionStorage();
  return {
    storage,
    dir: path.resolve('/memory'),
    // Nothing fails in memory, except that the file can be gone.
    breakFile: (file) => void storage.unlink(file),
  };
});

describeStorage('a storage that has the required members alone', () => {
  const storage = new MinimalStorage();
  return {
    storage,
    dir: path.resolve('/minimal'),
    breakFile: () => {
      storage.failure = new Error('broken');
    },
  };
});
