import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fault } from '../../src/core/index.ts';
import { planClaim } from '../../src/scheduler/claims.ts';
import type { RunLedger } from '../../src/storage/index.ts';
import { blockedRuns } from './support/blocked-runs.ts';
import {
  at,
  hour,
  jobOf,
  jobsOf,
  minute,
  openSchedulerFixture,
  settled,
  type SchedulerFixture,
} from './support/scheduler-fixture.ts';

let fixture: SchedulerFixture;
beforeEach(async () => {
  fixture = await openSchedulerFixture('2026-11-21T08:30:00Z');
});
afterEach(() => fixture[Symbol.asyncDispose]());

const writes = ['claim', 'forget', 'reopen', 'begin', 'end', 'close', 'noteOutages'] as const;
type Write = (typeof writes)[number];

/** The ledger of the fixture on a disk that is full for a while: `refused` says which calls are. */
const fullDisk = (inner: RunLedger) => {
  const disk = { refused: (_call: Write): boolean => false, refusals: 0 };
  const refuse = (call: Write): void => {
    if (!disk.refused(call)) return;
    disk.refusals += 1;
    throw new Error('no space left on device');
  };
  const ledger: RunLedger = {
    ...inner,
    claim: async (claims) => (refuse('claim'), inner.claim(claims)),
    forget: async (jobs) => (refuse('forget'), inner.forget(jobs)),
    reopen: async (key, moment) => (refuse('reopen'), inner.reopen(key, moment)),
    begin: async (keys, moment) => (refuse('begin'), inner.begin(keys, moment)),
    end: async (ends) => (refuse('end'), inner.end(ends)),
    close: async (closings) => (refuse('close'), inner.close(closings)),
    noteOutages: async (change) => (refuse('noteOutages'), inner.noteOutages(change)),
  };
  return { disk, ledger };
};

describe('a ledger that is temporarily not writable', () => {
  it.each(writes)(
    'that rejects %s starts nothing unrecorded, and loses or duplicates nothing',
    async (call) => {
      const { disk, ledger } = fullDisk(fixture.ledger);
      const retries = { limit: 1, backoff: 'constant', initial: minute, max: hour } as const;
      let failing = true;
      const begun: Promise<string>[] = [];
      fixture.play = async ({ run }) => {
        begun.push(fixture.ledger.find(run).then((row) => `${row?.state} ${row?.attempts === run.attempts}`));
        if (failing) throw fault('gateway-unreachable', 'no way there');
        return { summary: 'done', figures: {} };
      };
      const jobs = jobsOf({ job: { retries }, quarter: { schedule: '*/15 * * * *', retries } });
      const scheduler = await fixture.start(jobs, { ledger });
      disk.refused = (one) => one === call;
      await fixture.goTo('2026-11-21T09:00:00Z');
      failing = false;
      for (let second = 1; second < 5; second += 1) await fixture.goTo(`2026-11-21T09:00:0${second}Z`);
      disk.refused = () => false;
      await fixture.goTo('2026-11-21T09:00:05Z');
      await fixture.goTo('2026-11-21T09:01:05Z');
      const ended = (await fixture.runs()).map(
        ({ job, slot, state }) => `${job} ${new Date(slot).getUTCMinutes()} ${state}`,
      );
      expect(ended.toSorted()).toEqual(['job 0 ok', 'quarter 0 ok', 'quarter 45 missed']);
      expect(new Set(await Promise.all(begun))).toEqual(new Set(['running true']));
      expect(scheduler.openRuns()).toEqual([]);
      const runs = await fixture.runs();
      const attempts = await fixture.ledger.attempts(runs);
      expect(attempts).toHaveLength(fixture.began.length);
      if (call === 'claim' || call === 'begin' || call === 'end') expect(disk.refusals).toBeGreaterThan(4);
    },
  );

  it('records a successful run when it becomes writable, without running it again', async () => {
    const { disk, ledger } = fullDisk(fixture.ledger);
    const blocked = blockedRuns(fixture);
    const scheduler = await fixture.start(jobsOf({ job: {} }), { ledger });
    await fixture.goTo('2026-11-21T09:00:00Z');
    disk.refused = () => true;
    blocked[0]?.end();
    await fixture.goTo('2026-11-21T09:00:01Z');
    await fixture.goTo('2026-11-21T10:00:00Z');
    expect(await fixture.rows()).toEqual(['2026-11-21T09:00:00 running']);
    expect(fixture.lines.filter(({ message }) => message === 'cannot update the run ledger')).toHaveLength(1);
    expect(scheduler.problem()).toEqual({
      since: at('2026-11-21T09:00:01Z'),
      message: 'no space left on device',
    });
    disk.refused = () => false;
    await fixture.goTo('2026-11-21T10:00:01Z');
    expect(scheduler.problem()).toBeUndefined();
    expect(await fixture.rows()).toEqual(['2026-11-21T09:00:00 ok', '2026-11-21T10:00:00 running']);
    expect((await fixture.runs())[0]?.endedAt).toBe(at('2026-11-21T09:00:01Z'));
    expect(blocked).toHaveLength(2);
  });

  it('loses no claimed slot when it rejects a reload halfway', async () => {
    const { disk, ledger } = fullDisk(fixture.ledger);
    const scheduler = await fixture.start(jobsOf({ job: {}, going: {} }), { ledger });
    fixture.clock.set(at('2026-11-21T09:00:00Z'));
    disk.refused = (call) => call === 'forget';
    await expect(scheduler.adopt(jobsOf({ job: {} }), 4)).rejects.toThrow('no space left');
    await settled(scheduler);
    expect(fixture.began.toSorted()).toEqual(['going 2026-11-21T09:00:00', 'job 2026-11-21T09:00:00']);
    disk.refused = () => false;
    await scheduler.adopt(jobsOf({ job: {} }), 4);
    await fixture.goTo('2026-11-21T10:00:00Z');
    expect(fixture.began).toHaveLength(3);
  });

  it('rejects a request that cannot be recorded', async () => {
    const { disk, ledger } = fullDisk(fixture.ledger);
    const jobs = jobsOf({ job: {} });
    const scheduler = await fixture.start(jobs, { ledger });
    disk.refused = () => true;
    const now = fixture.clock.now();
    const ordered = scheduler.request({
      job: jobOf('job'),
      interval: { start: now, end: now },
      trigger: 'hand',
    });
    await expect(ordered).rejects.toThrow('no space left');
    expect(fixture.began).toEqual([]);
    expect(scheduler.openRuns()).toEqual([]);
  });
});

describe('a clock that jumps', () => {
  it('ahead during a failure and back at the next start retries after the normal wait', async () => {
    fixture.play = () => Promise.reject(fault('gateway-unreachable', 'no way there'));
    const first = await fixture.start(jobsOf({ job: {} }));
    await fixture.goTo('2027-11-21T09:00:00Z');
    expect((await fixture.runs()).at(-1)).toMatchObject({
      state: 'failed',
      nextAttempt: at('2027-11-21T09:00:30Z'),
    });
    await first.stop(0);
    fixture.clock.set(at('2026-11-21T08:40:00Z'));
    fixture.play = async () => ({ summary: 'done', figures: {} });
    await fixture.start(jobsOf({ job: {} }));
    await fixture.goTo('2026-11-21T08:40:30Z');
    expect((await fixture.runs()).at(-1)).toMatchObject({ state: 'ok', attempts: 2 });
  });

  it('back over a requested slot rejects the request and runs the slot in its time', async () => {
    const blocked = blockedRuns(fixture);
    const scheduler = await fixture.start(
      jobsOf({ job: { locks: ['gateway'] }, other: { locks: ['gateway'], schedule: '59 8 * * *' } }),
    );
    await fixture.goTo('2026-11-21T08:59:00Z');
    await fixture.goTo('2026-11-21T09:00:00Z');
    expect(blocked).toHaveLength(1);
    const slot = at('2026-11-21T09:00:00Z');
    const ordered = scheduler.request({
      job: jobOf('job'),
      slot,
      interval: { start: slot, end: slot },
      trigger: 'hand',
    });
    const refused = expect(ordered).rejects.toThrow(/set back/);
    await settled(scheduler);
    await fixture.goTo('2026-11-21T08:59:30Z');
    await refused;
    blocked[0]?.end();
    await fixture.goTo('2026-11-21T08:59:31Z');
    expect(blocked).toHaveLength(1);
    await fixture.goTo('2026-11-21T09:00:00Z');
    expect(blocked).toHaveLength(2);
  });
});

describe('a cursor of another version of the program', () => {
  it('whose schedule is now invalid starts again at the current time', () => {
    const now = at('2026-11-21T09:30:00Z');
    const cursor = {
      job: 'job',
      version: 3,
      schedule: JSON.stringify(['*/2 9 1 * *x', 'UTC']),
      claimedThrough: at('2026-11-21T08:30:00Z'),
    };
    const claim = planClaim(jobOf('job'), cursor, now);
    expect(claim?.runs).toEqual([]);
    expect(claim?.cursor).toMatchObject({ version: 4, claimedThrough: now });
  });
});
