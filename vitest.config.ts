import { configDefaults, defineConfig } from 'vitest/config';

/**
 * Everyday tests are `*.test.ts`. What kills processes or runs for minutes is named `*.crash.slow.test.ts` or
 * `*.stress.slow.test.ts` and runs only when asked for (`npm run test:crash`, `npm run test:stress`), which
 * set SESSIONDEX_SLOW to that word.
 */
const slow = process.env.SESSIONDEX_SLOW;

export default defineConfig({
  test: {
    include: [slow ? `test/**/*.${slow}.slow.test.ts` : 'test/**/*.test.ts'],
    exclude: slow ? configDefaults.exclude : [...configDefaults.exclude, '**/*.slow.test.ts'],
    passWithNoTests: slow !== undefined,
    pool: 'forks',
    testTimeout: slow ? 10 * 60_000 : 30_000,
    hookTimeout: slow ? 10 * 60_000 : 30_000,
  },
});
