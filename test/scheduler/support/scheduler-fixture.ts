import { unixMillis, type UnixMillis } from '../../../src/core/index.ts';
import { createMemoryLedger } from '../../support/memory-ledger.ts';
import { createLog } from '../../../src/core/logging/json-log.ts';
import type { Job } from '../../../src/config/index.ts';
import {
  type Execution,
  type Notice,
  type Outcome,
  type Scheduler,
  createScheduler,
} from '../../../src/scheduler/index.ts';
import { type LedgerRun, type RunLedger } from '../../../src/storage/index.ts';
import { manualClock, type ManualClock } from '../../support/manual-clock.ts';

export type WrittenJob = Partial<Omit<Job, 'name' | 'kind' | 'fields' | 'place'>>;

export const minute = 60_000;
export const hour = 60 * minute;
export const at = (text: string): UnixMillis => unixMillis(Date.parse(text));
export const shown = (moment: number): string => new Date(moment).toISOString().slice(0, 19);

/** A job with the defaults of the config. */
export const jobOf = (name: string, written: WrittenJob = {}): Job => ({
  name,
  kind: 'play',
  account: 'main',
  timezone: 'UTC',
  schedule: '0 * * * *',
  suspend: false,
  timeout: 24 * hour,
  needs: [],
  needsDeadline: 6 * hour,
  whenLate: 'run',
  catchup: 'latest',
  maxCatchupRuns: 50,
  concurrency: 'forbid',
  retries: { limit: 3, backoff: 'exponential', initial: 30_000, max: 10 * minute },
  randomizedDelay: 0,
  locks: [],
  notify: ['failed', 'late', 'missed', 'recovered'],
  ...written,
  fields: {},
  place: { file: 'jobs.yaml', line: 1, column: 1 },
});

export const jobsOf = (written: Readonly<Record<string, WrittenJob>>): ReadonlyMap<string, Job> =>
  new Map(Object.entries(written).map(([name, job]) => [name, jobOf(name, job)]));

export type SchedulerFixture = AsyncDisposable & {
  readonly clock: ManualClock;
  readonly ledger: RunLedger;
  /** What was begun, in order: `job slot`. */
  readonly began: string[];
  readonly notices: Notice[];
  readonly lines: Record<string, unknown>[];
  /** Names of the jobs that ended well, in order: what a dead-man's switch is told. */
  readonly good: string[];
  /** How far the data of each job reach. */
  readonly watermark: Map<string, UnixMillis>;
  /** Does the work of runs from now on. */
  play: (execution: Execution) => Promise<Outcome>;
  /** A scheduler over the ledger as it stands, as a process that has just begun. */
  readonly start: (
    jobs: ReadonlyMap<string, Job>,
    options?: {
      readonly maxRunning?: number;
      readonly suspendAfter?: number;
      readonly claimsSlots?: boolean;
      readonly ledger?: RunLedger;
    },
  ) => Promise<Scheduler>;
  /** Moves the clock and looks at what is due, until nothing changes any more. */
  readonly goTo: (moment: string | number) => Promise<void>;
  /** Rows of the ledger, oldest slot first: `slot state`. */
  readonly rows: (job?: string) => Promise<readonly string[]>;
  readonly runs: (job?: string) => Promise<readonly LedgerRun[]>;
};

/** Lets everything that is under way come to rest. */
export const settled = async (scheduler: Scheduler): Promise<void> => {
  let before = '';
  for (;;) {
    await scheduler.reconcile();
    const now = JSON.stringify(scheduler.openRuns());
    if (now === before) return;
    before = now;
    await new Promise(setImmediate);
  }
};

/** A scheduler on a clock that is moved by hand, over a ledger in memory. */
export const openSchedulerFixture = async (start = '2026-11-21T00:00:00Z'): Promise<SchedulerFixture> => {
  const clock = manualClock(Date.parse(start));
  const lines: Record<string, unknown>[] = [];
  const log = createLog({
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
    level: 'debug',
    clock,
    redact: (text) => text,
  });
  const ledger = createMemoryLedger();
  let current: Scheduler | undefined;
  const fixture: SchedulerFixture = {
    clock,
    ledger,
    began: [],
    notices: [],
    lines,
    good: [],
    watermark: new Map(),
    play: ({ job }) => Promise.resolve({ summary: `${job.name} ran`, figures: {} }),
    start: async (jobs, options = {}) => {
      current = await createScheduler(
        {
          clock,
          log,
          ledger: options.ledger ?? ledger,
          execute: async (execution) => {
            fixture.began.push(`${execution.job.name} ${shown(execution.run.slot)}`);
            return fixture.play(execution);
          },
          watermark: async (job) => fixture.watermark.get(job.name),
          needsThrough: (_, run) => run.interval.end,
          mailsOf: async (notices) => {
            fixture.notices.push(...notices);
            return [];
          },
          onRunEnd: (job, { state }) => {
            if (state === 'ok') fixture.good.push(job.name);
          },
          redact: (text) => text,
        },
        {
          claimsSlots: options.claimsSlots ?? true,
          recovers: true,
          jobs,
          maxRunning: options.maxRunning ?? 100,
          suspendAfter: options.suspendAfter ?? 3,
        },
      );
      await settled(current);
      return current;
    },
    goTo: async (moment) => {
      clock.set(typeof moment === 'number' ? moment : Date.parse(moment));
      if (current !== undefined) await settled(current);
    },
    runs: async (job) =>
      (await ledger.list({ ...(job === undefined ? {} : { job }), limit: 1_000_000 })).toReversed(),
    rows: async (job) =>
      (await fixture.runs(job)).map(
        ({ slot, through, state }) =>
          `${shown(slot)}${through === undefined ? '' : ` to ${shown(through)}`} ${state}`,
      ),
    [Symbol.asyncDispose]: async () => {
      await current?.stop(0);
    },
  };
  return fixture;
};
