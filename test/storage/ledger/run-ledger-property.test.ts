import fc from 'fast-check';
import { createMemoryLedger } from '../../support/memory-ledger.ts';
import { expect, it } from 'vitest';
import { interval } from '../../../src/core/index.ts';
import type { Warehouse } from '../../../src/warehouse/index.ts';
import { type Claim, type LedgerRun, type RunKey, type RunLedger } from '../../../src/storage/index.ts';
import { at } from './ledger-support.ts';
import { openIn, testFolder } from '../../warehouse/support.ts';
import { few } from '../../support/storm.ts';

const jobNames = ['pull', 'daily "spend"', "o'report"];
const slots = Array.from({ length: 5 }, (_, index) => (index + 1) * 10);
const everyKey = jobNames.flatMap((job) =>
  slots.flatMap((slot) => [slot, slot + 1].map((one) => ({ job, slot: at(one) }))),
);

const job = fc.constantFrom(...jobNames);
/** Often the very moment of a slot. */
const moment = fc.oneof(fc.constantFrom(...slots), fc.integer({ min: 0, max: 70 })).map(at);
const key: fc.Arbitrary<RunKey> = fc.record({ job, slot: fc.constantFrom(...slots).map(at) });
/** Any characters, line ends and quotes too; no halves of them. */
const anyText = fc.string({ unit: 'binary', maxLength: 12 });
const maybe = <Name extends string, T>(
  name: Name,
  value: fc.Arbitrary<T>,
): fc.Arbitrary<{ [N in Name]?: T }> =>
  fc.option(value).map((one) => (one === null ? {} : { [name]: one }) as { [N in Name]?: T });
const why = fc
  .tuple(
    maybe('code', fc.oneof(anyText, fc.constantFrom('process-ended', 'job-suspended', 'run-stopped'))),
    maybe('reason', anyText),
  )
  .map(([code, reason]) => ({ ...code, ...reason }));

const run: fc.Arbitrary<LedgerRun> = fc
  .record({
    key,
    state: fc.constantFrom('queued', 'missed', 'skipped'),
    trigger: fc.constantFrom('schedule', 'schedule', 'catchup', 'hand', 'backfill', 'needed'),
    version: fc.nat(5),
    claimedAt: moment,
    length: fc.nat(50),
    more: fc.oneof(
      fc.constant({}),
      maybe('nextAttempt', moment),
      fc.integer({ min: 0, max: 60 }).map((length) => ({ length })),
    ),
    why,
  })
  .map(({ key: { job: name, slot }, more, length, why: words_, ...rest }) => ({
    ...rest,
    ...words_,
    job: name,
    slot,
    account: 'main',
    attempts: 0,
    interval: interval(slot, at(slot + length)),
    ...('length' in more ? { through: at(slot + more.length), state: 'missed' as const } : more),
  }));

const claim: fc.Arbitrary<Claim> = fc
  .record({
    name: job,
    claimedThrough: moment,
    hasCursor: fc.boolean(),
    version: fc.nat(9),
    schedule: anyText,
    runs: fc.array(run, { maxLength: 5 }),
    reopened: maybe('reopenedAfter', moment),
  })
  .map(({ name, claimedThrough, hasCursor, version, schedule, runs, reopened }) =>
    hasCursor ? { cursor: { job: name, version, schedule, claimedThrough }, runs, ...reopened } : { runs },
  );

const event = fc.constantFrom('failed' as const, 'late', 'missed', 'suspended', 'good');
const ending = fc
  .record({
    key,
    at: moment,
    state: fc.constantFrom('ok', 'failed', 'interrupted'),
    why,
    summary: maybe('summary', anyText),
    next: maybe('nextAttempt', moment),
    event: maybe('event', event),
  })
  .map(({ key: ended, at: endedAt, state, why: words_, summary, next, event: what }) => ({
    ...ended,
    at: endedAt,
    state,
    ...words_,
    ...summary,
    ...next,
    ...what,
  }));
const closing = fc
  .record({
    key,
    at: moment,
    state: fc.constantFrom('missed', 'skipped', 'failed', 'interrupted'),
    reason: anyText,
    code: maybe('code', anyText),
    event: maybe('event', event),
  })
  .map(({ key: closed, code, event: what, ...rest }) => ({ ...closed, ...rest, ...code, ...what }));
const unrecorded = fc
  .record({
    key,
    attempt: fc.integer({ min: 1, max: 3 }),
    code: fc.constantFrom('run-stopped' as const, 'lease-lost'),
  })
  .map(({ key: ended, ...rest }) => ({ ...ended, ...rest }));
const outage = fc.record({ job, slot: moment, openedAt: moment });

type Step = { readonly message: string; readonly take: (ledger: RunLedger) => Promise<unknown> };

const step = (name: string, values: unknown, take: Step['take']): Step => ({
  message: `${name} ${JSON.stringify(values)}`,
  take,
});

const steps: fc.Arbitrary<Step | 'restart'> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .array(claim, { minLength: 1, maxLength: 3 })
      .map((claims) => step('claim', claims, async (ledger) => ledger.claim(claims))),
  },
  // Mostly of runs that wait, as the loop has it; sometimes of whatever there is.
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.array(fc.nat(10), { maxLength: 4 }), moment, maybe('late', anyText))
      .map(([picks, now, late]) =>
        step('begin open', [picks, late], async (ledger) => {
          const open = (await ledger.open()).filter(({ state }) => state !== 'running');
          const begins = picks
            .flatMap((pick) => open[pick] ?? [])
            .map(({ job: name, slot }) => ({ job: name, slot, ...late }));
          return ledger.begin(begins, now);
        }),
      ),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.array(key, { minLength: 1, maxLength: 2 }), moment)
      .map(([keys, now]) =>
        step('begin', keys, async (ledger) => ledger.begin(keys, now).catch(() => 'refused')),
      ),
  },
  {
    weight: 5,
    arbitrary: fc
      .array(ending, { maxLength: 12 })
      .map((ends) => step('end', ends, async (ledger) => ledger.end(ends))),
  },
  {
    weight: 2,
    arbitrary: fc
      .uniqueArray(unrecorded, { maxLength: 4, selector: ({ job: name, slot }) => `${slot} ${name}` })
      .map((ends) => step('note ends', ends, async (ledger) => ledger.noteEnds(ends))),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(closing, { maxLength: 3 })
      .map((list) => step('close', list, async (ledger) => ledger.close(list))),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(key, moment)
      .map(([one, now]) => step('reopen', one, async (ledger) => ledger.reopen(one, now))),
  },
  {
    weight: 1,
    arbitrary: fc
      .array(job, { maxLength: 2 })
      .map((jobs) => step('forget', jobs, async (ledger) => ledger.forget(jobs))),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({
        opened: fc.array(outage, { maxLength: 3 }),
        closed: fc.array(job, { maxLength: 2 }),
        noted: fc.array(key, { maxLength: 3 }),
        mails: fc.constant([]),
      })
      .map((change) => step('outages', change, async (ledger) => ledger.noteOutages(change))),
  },
  {
    weight: 1,
    arbitrary: moment.map((before) => step('trim', before, async (ledger) => ledger.trim(before))),
  },
  { weight: 1, arbitrary: fc.constant('restart' as const) },
);

const look = async (ledger: RunLedger): Promise<unknown> => ({
  list: await ledger.list({ limit: 1000 }),
  attempts: await ledger.attempts(everyKey),
  cursors: await ledger.cursors(),
});

const lookClosely = async (ledger: RunLedger): Promise<unknown> => ({
  ...((await look(ledger)) as object),
  open: await ledger.open(),
  outages: await ledger.outages(),
  events: await ledger.events(),
  latest: await ledger.latest(),
  failures: await ledger.failures(),
  goodEnds: await ledger.goodEnds(),
  processEnds: await ledger.processEnds(),
  orderedStops: await ledger.orderedStops(),
  good: await Promise.all(jobNames.map(async (name) => ledger.goodThrough(name))),
  few: await ledger.list({ job: 'pull', states: ['ok', 'missed', 'running'], limit: 3 }),
  found: await Promise.all(everyKey.slice(0, 4).map(async (one) => ledger.find(one))),
});

it('the run ledger behaves as its model over any sequence of calls and restarts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 25, size: 'max' }), async (sequence) => {
      await using folder = await testFolder();
      const model = createMemoryLedger();
      let warehouse: Warehouse = await openIn(folder);
      try {
        for (const one of sequence) {
          if (one === 'restart') {
            await warehouse[Symbol.asyncDispose]();
            warehouse = await openIn(folder);
            expect(await lookClosely(warehouse.runs)).toEqual(await lookClosely(model));
          } else {
            const expected = await one.take(model);
            expect([one.message, await one.take(warehouse.runs)]).toEqual([one.message, expected]);
            expect([one.message, await look(warehouse.runs)]).toEqual([one.message, await look(model)]);
          }
        }
        expect(await lookClosely(warehouse.runs)).toEqual(await lookClosely(model));
      } finally {
        await warehouse[Symbol.asyncDispose]();
      }
    }),
    { numRuns: few(7, 40) },
  );
});
