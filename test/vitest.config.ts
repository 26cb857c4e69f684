import { configDefaults, defineConfig } from 'vitest/config';

/** What needs Debian's packages (Chromium, Postfix) runs in CI through `npm run test:system`. */
const system = ['test/**/*.browser.test.ts', 'test/**/*.server.test.ts'];
const wanted = process.env['TOLLKEEPER_TESTS'];
const onlySystem = wanted === 'system';
/** A file that leaks, to prove that a leak fails the run. */
const leaky = ['test/house/fixtures/leaky.ts'];

export default defineConfig({
  test: {
    include: onlySystem ? system : wanted === 'leaky' ? leaky : ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(onlySystem ? [] : system)],
    setupFiles: ['test/support/leaks.ts'],
    globalSetup: ['test/support/no-leftovers.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
