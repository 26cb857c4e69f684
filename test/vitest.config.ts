import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { chaosFactor } from './support/storm.ts';

/** What needs Debian's packages (Chromium, Postfix, PostgreSQL) runs in CI through `npm run test:system`. */
const system = ['test/**/*.browser.test.ts', 'test/**/*.server.test.ts'];
/** What takes minutes runs through `npm run storm`. */
const storms = ['test/**/*.storm.test.ts'];
/** Suites that also run over PostgreSQL, but for what is about the database file: through `npm run test:postgres -- --full`. */
const overBoth = ['warehouse', 'ingest', 'figures', 'jobs/alert', 'jobs/keys', 'jobs/report'].map(
  (name) => `test/${name}/**/*.test.ts`,
);
const ofTheFile = [
  'test/warehouse/{archive,database-file,released}/**',
  'test/warehouse/{open,schema}.test.ts',
  // They look into the engine: at its statements, and at its one instance.
  'test/ingest/call-log/{pull-statements,multiset-property}.test.ts',
];
/**
 * One scenario for each thing that a warehouse does, over PostgreSQL: through `npm run test:postgres`. Contracts of the ports, the test that
 * prepares each statement, connections, leases, backups and migration are system tests.
 */
const scenarios = [
  // Rows land, land again, change, arrive late, are in quarantine or lost on the way.
  'warehouse/logs/{land-logs,land-again,amount-forms}',
  'ingest/call-log/{pull-logs,pull-logs-faults,log-revisits,late-windows,integrity}',
  'ingest/usage/pull-usage',
  // What is derived from them.
  'warehouse/restatements/restatements',
  'warehouse/closed/closed-months',
  'warehouse/rollup/rollup',
  'warehouse/cube/tags',
  'warehouse/snapshots/snapshots',
  'warehouse/tokens/tokens-decisions',
  'warehouse/report-views/report-views',
  // Reports with their mails and archive, of an empty account too; alerts; rotations and expiry of keys.
  'jobs/report/{report,first-report,report-archive}',
  'jobs/alert/alert',
  'jobs/keys/{rotate-keys,expire-keys}',
  // A closed month for accounting.
  'jobs/{focus,journal}',
  'warehouse/keys/{evidence,journal,services}',
].map((name) => `test/${name}.test.ts`);
/** A file that leaks, to prove that a leak fails the run. */
const leaky = ['test/architecture/fixtures/leaky.ts'];
/** Whole programs, and what starts a process to kill it or run beside it: through `npm run test:program`. */
const wholePrograms =
  /^(?:program|demo|storm)\/|built-program|compiled-modules|child-module|support\/consumer|killed-senders|vitest\.mjs/;

const folder = fileURLToPath(new URL('.', import.meta.url));

/** The files of tests of whose path and text this is true. */
const filesWhere = (fits: (name: string, text: string) => boolean): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .filter((name) => fits(name, readFileSync(`${folder}${name}`, 'utf8')))
    .map((name) => `test/${name}`);

/** Test files with properties that draw all or more of their cases in a storm. */
const multiplied = (): string[] => filesWhere((_, text) => text.includes("support/storm.ts'"));
const programs = (): string[] => filesWhere((name, text) => wholePrograms.test(`${name}\n${text}`));
/** Without those that a storm runs with more cases: nothing is run by two tiers. */
const programTier = (): string[] => {
  const inStorm = new Set(multiplied());
  return programs().filter((file) => !inStorm.has(file));
};

const include = (wanted: string | undefined): string[] => {
  if (wanted === 'system') return system;
  if (wanted === 'storm') return [...storms, ...multiplied()];
  if (wanted === 'program') return programTier();
  if (wanted === 'postgres') return scenarios;
  if (wanted === 'postgres-full') return overBoth;
  if (wanted === 'approved') return filesWhere((_, text) => text.includes("support/approved.ts'"));
  return wanted === 'leaky' ? leaky : ['test/**/*.test.ts'];
};

const wanted = process.env['TOLLKEEPER_TESTS'];
const isOverPostgres = wanted?.startsWith('postgres') === true;
const multiplier = wanted === 'storm' ? chaosFactor : 1;

/** Processes by tier. More than a small machine has cores: tests wait for timers, disks, servers and whole programs. */
const workers: Readonly<Record<string, number>> = { 'in-process': 4, system: 6, storm: 2 };

/** The longest files first: begun last, one would run alone. By size alone they come last. */
class StormsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isStorm = ({ moduleId }: TestSpecification) => moduleId.endsWith('.storm.test.ts');
    return [...sorted.filter(isStorm), ...sorted.filter((file) => !isStorm(file))];
  }
}

export default defineConfig({
  test: {
    include: include(wanted),
    exclude: [
      ...configDefaults.exclude,
      ...(wanted === 'system' ? [] : system),
      ...(wanted === 'storm' ? [] : storms),
      ...(wanted === 'in-process' || isOverPostgres ? programs() : []),
      ...(isOverPostgres ? ofTheFile : []),
      // In CI, where the storm draws more cases of them.
      ...(wanted === 'in-process' && process.env['TOLLKEEPER_STORM_FOLLOWS'] === '1' ? multiplied() : []),
    ],
    setupFiles: [
      ...(process.env['TOLLKEEPER_TEST_COSTS'] === undefined ? [] : ['test/support/costs.ts']),
      ...(process.env['TOLLKEEPER_SEED'] === undefined ? [] : ['test/support/fixed-seed.ts']),
      ...(wanted === 'storm' ? ['test/support/storm-time.ts'] : []),
      'test/support/one-core.ts',
      'test/support/leaks.ts',
      'test/support/watch-secrets.ts',
    ],
    globalSetup: ['test/support/no-leftovers.ts', ...(isOverPostgres ? ['test/support/on-postgres.ts'] : [])],
    // Without it, a missing file is written outside CI, and its test passes. `npm run approve` and `npm run reference` write them.
    update: 'none',
    // Ends a test that hangs, also on a machine that is busy with other work; nothing is measured by it.
    testTimeout: Math.max(600_000, 60_000 * multiplier),
    hookTimeout: 600_000,
    // One second by default, in which a busy machine may not reach what is waited for.
    expect: { poll: { timeout: 60_000, interval: 20 } },
    sequence: { sequencer: StormsFirst },
    pool: 'forks',
    // A process takes one file after the other: modules hold no state of their own, and are read and compiled once.
    isolate: false,
    maxWorkers: workers[wanted ?? ''] ?? 3,
  },
});
