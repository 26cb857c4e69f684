import { configDefaults, defineConfig } from 'vitest/config';

/** What needs Debian's packages (Chromium, Postfix) runs in CI through `npm run test:system`. */
const system = ['test/**/*.browser.test.ts', 'test/**/*.server.test.ts'];
const onlySystem = process.env['TOLLKEEPER_TESTS'] === 'system';

export default defineConfig({
  test: {
    include: onlySystem ? system : ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(onlySystem ? [] : system)],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
