import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

vi.setConfig({ testTimeout: 300_000 });

type Change = { readonly file: string; readonly from: string; readonly to: string };
type Mutant = {
  readonly name: string;
  readonly changes: readonly Change[];
  /** What must notice. */
  readonly tests: string;
};

const mutant = (name: string, tests: string, file: string, from: string, to: string): Mutant => ({
  name,
  changes: [{ file, from, to }],
  tests: `test/${tests}.test.ts`,
});

const mutants: readonly Mutant[] = [
  mutant(
    'the timer wakes nothing',
    'scheduler/loop',
    'scheduler/waker.ts',
    'const timer = setInterval(wake, 1000);',
    'const timer = setInterval(() => undefined, 1000);',
  ),
  mutant(
    'the timer continues after the stop',
    'scheduler/loop',
    'scheduler/waker.ts',
    'stop: () => clearInterval(timer)',
    'stop: () => undefined',
  ),
  mutant(
    'no unique key',
    'warehouse/ledger/run-ledger',
    'warehouse/schema.ts',
    'summary VARCHAR, UNIQUE (job, slot)',
    'summary VARCHAR',
  ),
  mutant(
    'a slot that is claimed is claimed again',
    'scheduler/problem',
    'warehouse/ledger/claim.ts',
    'WHERE NOT EXISTS (SELECT 1 FROM job_run AS known WHERE known.job = claimed.job AND known.slot = claimed.slot)',
    '',
  ),
  mutant(
    'the cursor does not follow the clock back',
    'scheduler/problem',
    'scheduler/claims.ts',
    'if (now < cursor.claimedThrough) return { cursor: moved, runs: [], reopenedAfter: now };',
    'if (now < cursor.claimedThrough) return undefined;',
  ),
  mutant(
    'the default DST rule',
    'scheduler/slots',
    'scheduler/cron-text.ts',
    `{ mode: '5-or-6-parts', fixedTimeRule: 'no-wildcard' }`,
    `{ mode: '5-or-6-parts' }`,
  ),
  mutant(
    'latest is the oldest',
    'scheduler/downtime',
    'scheduler/claims.ts',
    'const disposition = dispositionOf(job, slot, rank, newest, now);',
    'const disposition = dispositionOf(job, slot, slots.length - 1 - rank, newest, now);',
  ),
  mutant(
    'latest ends after a week',
    'scheduler/downtime',
    'scheduler/claims.ts',
    'job.catchupWindow === undefined || age <= job.catchupWindow',
    'age <= (job.catchupWindow ?? defaultWindowOfAll)',
  ),
  mutant(
    'one more is caught up than max_catchup_runs says',
    'scheduler/downtime',
    'scheduler/claims.ts',
    'rank < job.maxCatchupRuns',
    'rank <= job.maxCatchupRuns',
  ),
  mutant(
    'what a dead process ran is left running',
    'scheduler/requests',
    'scheduler/scheduler.ts',
    `left.filter(({ state }) => state === 'running')`,
    `left.filter(() => false)`,
  ),
  mutant(
    'a run begins before it is written down',
    'scheduler/problem',
    'scheduler/open-runs.ts',
    'await ledger.begin(runs, at);',
    'void ledger.begin(runs, at).catch(() => undefined);',
  ),
  mutant(
    'an end that the ledger refused is forgotten',
    'scheduler/problem',
    'scheduler/open-runs.ts',
    'const results = [...finished];',
    'const results = finished.splice(0);',
  ),
  mutant(
    'retries without end',
    'scheduler/scheduler',
    'scheduler/attempt.ts',
    'run.attempts <= job.retries.limit',
    'run.attempts >= 0',
  ),
  mutant(
    'a retry from the future is waited for after a restart',
    'scheduler/problem',
    'scheduler/scheduler.ts',
    'openRuns.followClockBack(clock.now());',
    '',
  ),
  mutant(
    'forbid lets the later slot wait',
    'scheduler/scheduler',
    'scheduler/dispatch.ts',
    `job.concurrency === 'forbid' && isFresh && overlapped !== undefined`,
    `job.concurrency === 'forbid' && !isFresh && overlapped !== undefined`,
  ),
  mutant(
    'locks hold nothing',
    'scheduler/dispatch',
    'scheduler/dispatch.ts',
    'job.locks.find((lock) => locks.has(lock))',
    'job.locks.find(() => false)',
  ),
  mutant(
    'one more runs than max_running says',
    'scheduler/dispatch',
    'scheduler/dispatch.ts',
    'if (free <= 0)',
    'if (places < 0)',
  ),
  mutant(
    'the deadline of needed data counts from the slot',
    'scheduler/dispatch',
    'scheduler/data-waits.ts',
    'run.claimedAt + job.needsDeadline',
    'run.slot + job.needsDeadline',
  ),
  mutant(
    'a run on late data ends an outage',
    'scheduler/notices',
    'scheduler/open-runs.ts',
    'if (dataLate !== true) outages.note',
    'outages.note',
  ),
  mutant(
    'each failure of an outage is told',
    'scheduler/notices',
    'scheduler/outages.ts',
    'known === undefined && notify.includes(kind)',
    'notify.includes(kind)',
  ),
  mutant(
    'housekeeping twice at once',
    'scheduler/loop',
    'scheduler/loop.ts',
    'if (!isDue || underWay.has(name)) continue;',
    'if (!isDue) continue;',
  ),
];

const project = fileURLToPath(new URL('../..', import.meta.url));
const copied = ['package.json', 'tsconfig.json', 'src', 'test'];
let copy: string;

/** Runs tests in the copy. Gives whether they passed, and what they printed. */
const run = (
  files: readonly string[],
  ...options: readonly string[]
): Promise<{ readonly passed: boolean; readonly printed: string }> =>
  new Promise((resolve) => {
    const { TOLLKEEPER_TESTS: _, TOLLKEEPER_STORM: __, ...env } = process.env;
    const vitest = join('node_modules', 'vitest', 'vitest.mjs');
    execFile(
      process.execPath,
      [vitest, 'run', '--config', 'test/vitest.config.ts', ...options, ...files],
      { cwd: copy, env, maxBuffer: 64 * 2 ** 20 },
      (error, stdout, stderr) => resolve({ passed: error === null, printed: stdout + stderr }),
    );
  });

/** Makes the changes; gives what undoes them. @throws Error when a text is not there exactly once */
const change = async (changes: readonly Change[]): Promise<() => Promise<void>> => {
  const before = new Map<string, string>();
  for (const { file, from, to } of changes) {
    const path = join(copy, 'src', file);
    const text = await readFile(path, 'utf8');
    if (text.split(from).length !== 2) throw new Error(`src/${file} does not hold once: ${from}`);
    if (!before.has(path)) before.set(path, text);
    await writeFile(
      path,
      text.replace(from, () => to),
    );
  }
  return async () => {
    for (const [path, text] of before) await writeFile(path, text);
  };
};

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'tollkeeper-mutants-'));
  for (const name of copied) await cp(join(project, name), join(copy, name), { recursive: true });
  await symlink(join(project, 'node_modules'), join(copy, 'node_modules'));
});
afterAll(() => rm(copy, { recursive: true, force: true }));

describe('mutants of the scheduler', () => {
  it('the tests pass without one', async () => {
    const { passed, printed } = await run([...new Set(mutants.map(({ tests }) => tests))]);
    expect(passed, printed).toBe(true);
  });

  it.each(mutants)('$name: killed', async ({ changes, tests }) => {
    const undo = await change(changes);
    try {
      const { passed, printed } = await run([tests], '--bail=1', '--testTimeout=30000');
      expect(passed, printed).toBe(false);
      // It is a test that fails, not the copy that cannot be run.
      expect(printed).toMatch(/Tests .*\d+ failed/);
    } finally {
      await undo();
    }
  });
});
