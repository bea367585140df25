/**
 * Who may import whom. A layer is a folder or a file directly in src/. `types`: what may be imported only as types.
 */
export const LAYERS = {
  'errors.ts': { imports: [] },
  'host.ts': { imports: [] },
  format: { imports: ['errors.ts'] },
  tree: { imports: ['errors.ts', 'format'] },
  query: { imports: ['errors.ts'] },
  analytics: { imports: ['errors.ts', 'format'] },
  storage: { imports: ['errors.ts', 'host.ts', 'format'] },
  session: { imports: ['errors.ts', 'host.ts', 'format', 'tree', 'storage'] },
  sqlite: { imports: ['errors.ts', 'host.ts'] },
  history: { imports: ['errors.ts', 'host.ts', 'sqlite'] },
  'session-index': {
    imports: ['errors.ts', 'host.ts', 'format', 'tree', 'storage', 'query', 'analytics', 'sqlite'],
  },
  report: {
    imports: ['errors.ts', 'format'],
    types: ['session-index', 'query', 'session', 'storage', 'tree'],
  },
  'index.ts': {
    imports: [
      'errors.ts',
      'host.ts',
      'format',
      'tree',
      'query',
      'analytics',
      'storage',
      'session',
      'sqlite',
      'history',
      'session-index',
    ],
  },
  cli: {
    imports: [
      'errors.ts',
      'host.ts',
      'format',
      'tree',
      'query',
      'analytics',
      'storage',
      'session',
      'sqlite',
      'history',
      'session-index',
      'report',
      'index.ts',
    ],
  },
};

/** The layers that may use a package; a package that is not here may be used nowhere. */
export const PACKAGES = {
  'better-sqlite3': ['sqlite', 'history', 'session-index'],
  kysely: ['sqlite', 'session-index'],
  'drizzle-orm': ['session-index'],
  nanoid: ['host.ts', 'session'],
  commander: ['cli', 'report'],
  picocolors: ['cli', 'report'],
  'string-width': ['cli', 'report'],
};

/** No input or output, no clock, no randomness: of Node only what calculates. */
export const PURE_LAYERS = ['errors.ts', 'format', 'tree', 'query', 'analytics', 'report'];
export const PURE_BUILTINS = ['buffer', 'path', 'string_decoder', 'url', 'util'];

/** `only`: a layer that may take just these names from the module. */
export const RESTRICTED_BUILTINS = {
  fs: { layers: ['storage', 'session-index', 'sqlite', 'history', 'cli', 'host.ts'] },
  crypto: {
    layers: ['storage', 'session-index', 'host.ts'],
    only: { format: ['createHash', 'hash', 'Hash'] },
  },
  zlib: { layers: ['storage', 'session-index'], only: { format: ['crc32'] } },
  os: { layers: ['host.ts', 'cli'] },
  child_process: { layers: ['cli'] },
};
