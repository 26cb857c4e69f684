import fc from 'fast-check';
import type { Job } from '../../../src/config/index.ts';
import { knownSchedules } from './known-schedules.ts';
import { hour, jobOf, minute } from './scheduler-fixture.ts';

const second = 1000;
const day = 24 * hour;

/** How one piece of work goes: for how long, how it ends, whether it handles its signal. */
export type Work = {
  readonly lasts: number;
  readonly ends: 'ok' | 'passing' | 'lasting' | 'plain' | 'never';
  readonly stops: 'at once' | 'later' | 'not';
};

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'];
/** Shortly before clocks are changed in one of the zones, and in between. */
const starts = [
  '2026-10-24T22:30:10.500Z',
  '2026-03-28T23:58:30.000Z',
  '2026-11-01T04:10:00.001Z',
  '2026-10-03T14:00:00.000Z',
  '2026-11-20T09:30:00.250Z',
  '2027-01-31T23:59:00.000Z',
];

const optionally = <T>(value: fc.Arbitrary<T>, freq = 2): fc.Arbitrary<T | undefined> =>
  fc.option(value, { freq, nil: undefined });
const schedule = fc.constantFrom(...knownSchedules.map(({ text }) => text));
const catchup = fc.record({
  catchup: fc.constantFrom('none' as const, 'latest' as const, 'all' as const),
  catchupWindow: optionally(fc.constantFrom(30 * second, 90 * second, hour, day, 30 * day), 3),
  maxCatchupRuns: fc.constantFrom(1, 2, 3, 6),
  startingDeadline: optionally(fc.constantFrom(30 * second, 10 * minute, 2 * hour), 4),
});

const bare = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };

const job = (index: number): fc.Arbitrary<Job> =>
  fc
    .record({
      schedule: optionally(schedule, 6),
      timezone: fc.constantFrom(...zones),
      suspend: fc.boolean().map((yes) => yes && index % 2 === 0),
      timeout: fc.constantFrom(10 * second, 10 * minute, 2 * hour),
      needs: index === 0 ? fc.constant([]) : fc.constantFrom([], [], [`job${index - 1}`], ['job0']),
      needsDeadline: fc.constantFrom(minute, hour, 6 * hour),
      whenLate: fc.constantFrom('run' as const, 'fail' as const),
      policy: catchup,
      concurrency: fc.constantFrom('forbid' as const, 'queue' as const, 'replace' as const, 'allow' as const),
      retries: fc.record({
        limit: fc.constantFrom(0, 1, 3),
        backoff: fc.constantFrom('exponential' as const, 'linear' as const, 'constant' as const),
        initial: fc.constantFrom(0, second, 30 * second),
        max: fc.constantFrom(10 * second, 10 * minute),
      }),
      randomizedDelay: fc.constantFrom(0, 0, 20 * second, 30 * minute),
      locks: fc.constantFrom([], [], ['gateway'], ['gateway', 'disk'], ['disk']),
    })
    .map(({ policy, ...fields }) => jobOf(`job${index}`, unscheduled(bare({ ...fields, ...bare(policy) }))));

/** `jobOf` gives a job a schedule unless it is told that there is none. */
const unscheduled = <T extends object>(fields: T): T =>
  'schedule' in fields ? fields : { ...fields, schedule: undefined };

const change = fc.oneof(
  fc.constant('remove' as const),
  fc.constant('bring back' as const),
  fc.record({ schedule, timezone: fc.constantFrom(...zones) }),
  fc.record({ suspend: fc.boolean() }),
  catchup.map(bare),
);
/** What is changed of jobs when the config changes. */
const edits = fc.array(fc.record({ index: fc.nat(3), change }), { maxLength: 3 });
const step = fc.constantFrom(second, second, second, 7 * second, minute, 20 * minute, hour, day);
const down = fc.constantFrom(second, 10 * second, 90 * second, 20 * minute, 5 * hour, 3 * day, 40 * day);

const action = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('ticks' as const),
      count: fc.integer({ min: 1, max: 8 }),
      step,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('crash' as const),
      // The process is killed at this call of the ledger, counted from now.
      call: fc.integer({ min: 1, max: 14 }),
      isDone: fc.boolean(),
      step,
      down,
      edits: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, edits),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('stop' as const),
      grace: fc.constantFrom(0, 10 * second),
      down,
      edits: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, edits),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('jump' as const),
      by: fc.constantFrom(
        -300,
        -2500,
        -45 * second,
        -hour,
        -9 * hour,
        -500 * day,
        2 * second,
        3 * hour,
        50 * day,
        1900 * day,
      ),
      back: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('reload' as const),
      edits,
      late: fc.constantFrom(0, 1500, 2 * hour),
    }),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({
        kind: fc.constant('order' as const),
        index: fc.nat(3),
        // The number of slots before now; without it, a run of this moment.
        slot: optionally(fc.nat(4)),
        // The number of ticks after which the request is given up.
        abortsAfter: optionally(fc.nat(3), 3),
      })
      .map(bare),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('full' as const), ticks: fc.integer({ min: 1, max: 5 }), step }),
  },
);

const work: fc.Arbitrary<Work> = fc.record({
  lasts: fc.constantFrom(0, 0, second, 5 * second, 45 * second, 15 * minute, 3 * hour),
  ends: fc.constantFrom('ok', 'ok', 'ok', 'ok', 'passing', 'passing', 'plain', 'lasting', 'never'),
  stops: fc.constantFrom('at once', 'at once', 'later', 'not'),
});

export const plans = (length: number) =>
  fc.record({
    start: fc.constantFrom(...starts),
    jobs: fc
      .integer({ min: 1, max: 4 })
      .chain((count) => fc.tuple(...Array.from({ length: count }, (_, n) => job(n)))),
    maxRunning: fc.constantFrom(1, 2, 3, 10),
    works: fc.array(work, { minLength: 1, maxLength: 10 }),
    actions: fc.array(action, { minLength: 3, maxLength: length }),
  });

export type Plan = ReturnType<typeof plans> extends fc.Arbitrary<infer Drawn> ? Drawn : never;
export type Action = Plan['actions'][number];
export type Edit = Extract<Action, { kind: 'reload' }>['edits'][number];
