import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fault, unixMillis } from '../../src/core/index.ts';
import { followOutages, type JobEvent } from '../../src/scheduler/outages.ts';
import {
  hour,
  jobOf,
  jobsOf,
  minute,
  openSchedulerFixture,
  settled,
  type SchedulerFixture,
  type WrittenJob,
} from './support/scheduler-fixture.ts';

const none = { limit: 0, backoff: 'constant', initial: 0, max: hour } as const;

let fixture: SchedulerFixture;
beforeEach(async () => {
  fixture = await openSchedulerFixture('2026-11-21T08:30:00Z');
});
afterEach(() => fixture[Symbol.asyncDispose]());

const reported = (): readonly string[] =>
  fixture.notices.map(
    ({ kind, job, outage }) => `${kind} ${job} ${new Date(outage.slot).toISOString().slice(11, 16)}`,
  );
const fails = (): void => {
  fixture.play = () => Promise.reject(fault('gateway-key-refused', 'refused'));
};
const works = (): void => {
  fixture.play = async () => ({ summary: 'done', figures: {} });
};

describe('an outage', () => {
  it('is reported once at its start and once at its end, however many runs fail', async () => {
    await fixture.start(jobsOf({ job: { retries: none } }));
    fails();
    for (const time of ['09', '10', '11']) await fixture.goTo(`2026-11-21T${time}:00:00Z`);
    expect(reported()).toEqual(['failed job 09:00']);
    expect((await fixture.ledger.outages()).map(({ job }) => job)).toEqual(['job']);
    works();
    for (const time of ['12', '13']) await fixture.goTo(`2026-11-21T${time}:00:00Z`);
    expect(reported()).toEqual(['failed job 09:00', 'recovered job 09:00']);
    expect(fixture.notices[1]).toMatchObject({ slot: Date.parse('2026-11-21T12:00:00Z') });
    expect(await fixture.ledger.outages()).toEqual([]);
    fails();
    await fixture.goTo('2026-11-21T14:00:00Z');
    expect(reported()).toEqual(['failed job 09:00', 'recovered job 09:00', 'failed job 14:00']);
  });

  it('survives a restart without a second notification, and its end is reported', async () => {
    const jobs = jobsOf({ job: { retries: none } });
    const first = await fixture.start(jobs);
    fails();
    await fixture.goTo('2026-11-21T09:00:00Z');
    await first.stop(0);
    await fixture.start(jobs);
    await fixture.goTo('2026-11-21T10:00:00Z');
    expect(reported()).toEqual(['failed job 09:00']);
    works();
    await fixture.goTo('2026-11-21T11:00:00Z');
    expect(reported()).toEqual(['failed job 09:00', 'recovered job 09:00']);
    expect(await fixture.ledger.outages()).toEqual([]);
  });

  it('does not end with a successful run on late data', async () => {
    const report = { needs: ['pull'], needsDeadline: minute, retries: none } as const;
    await fixture.start(jobsOf({ pull: { schedule: '0 0 1 1 *' }, report }));
    for (const time of ['09:00', '09:01', '10:00', '10:01']) await fixture.goTo(`2026-11-21T${time}:00Z`);
    expect((await fixture.rows('report')).map((row) => row.split(' ')[1])).toEqual(['ok', 'ok']);
    expect(reported()).toEqual(['late report 09:00']);
    fixture.watermark.set('pull', unixMillis(Date.parse('2026-11-21T11:00:00Z')));
    await fixture.goTo('2026-11-21T11:00:00Z');
    expect(reported()).toEqual(['late report 09:00', 'recovered report 09:00']);
  });

  it('does not start with a failed manual run, but ends with a successful one', async () => {
    const jobs = jobsOf({ job: { retries: none } });
    const scheduler = await fixture.start(jobs);
    const byHand = async () => {
      const now = fixture.clock.now();
      const job = jobs.get('job') ?? jobOf('job');
      const ordered = scheduler.request({ job, interval: { start: now, end: now }, trigger: 'hand' });
      await settled(scheduler);
      return ordered;
    };
    fails();
    expect((await byHand()).run.state).toBe('failed');
    expect(reported()).toEqual([]);
    await fixture.goTo('2026-11-21T09:00:00Z');
    works();
    expect((await byHand()).run.state).toBe('ok');
    expect(reported()).toEqual(['failed job 09:00', 'recovered job 09:00']);
  });

  it('ends silently when the job is removed, and a later failure starts another one', async () => {
    const scheduler = await fixture.start(jobsOf({ job: { retries: none } }));
    fails();
    await fixture.goTo('2026-11-21T09:00:00Z');
    await scheduler.adopt(new Map(), 4);
    await settled(scheduler);
    expect(await fixture.ledger.outages()).toEqual([]);
    await scheduler.adopt(jobsOf({ job: { retries: none } }), 4);
    await settled(scheduler);
    await fixture.goTo('2026-11-21T10:00:00Z');
    expect(reported()).toEqual(['failed job 09:00', 'failed job 10:00']);
  });

  it('is reported once its mail can be stored, also by the next process', async () => {
    const scheduler = await fixture.start(jobsOf({ job: { retries: none } }));
    fails();
    const { push } = fixture.notices;
    fixture.notices.push = () => {
      throw new Error('the outbox cannot be written');
    };
    await fixture.goTo('2026-11-21T09:00:00Z');
    expect(await fixture.ledger.outages()).toEqual([]);
    fixture.notices.push = push;
    await fixture.goTo('2026-11-21T09:00:01Z');
    expect(reported()).toEqual(['failed job 09:00']);
    expect((await fixture.ledger.outages()).map(({ job }) => job)).toEqual(['job']);

    works();
    fixture.notices.push = () => {
      throw new Error('the outbox cannot be written');
    };
    await fixture.goTo('2026-11-21T10:00:00Z');
    await scheduler.stop(0);
    fixture.notices.push = push;
    await fixture.start(jobsOf({ job: { retries: none } }));
    expect(reported()).toEqual(['failed job 09:00', 'recovered job 09:00']);
    expect(await fixture.ledger.events()).toEqual([]);
  });
});

describe('missed slots', () => {
  it.each<[string, WrittenJob, readonly string[]]>([
    ['are reported when nothing ran in their place', { catchup: 'none' }, ['missed job 12:00']],
    ['are not reported when a later slot replaces them', { catchup: 'latest' }, []],
    ['are not reported for a suspended job', { catchup: 'none', suspend: true }, []],
  ])('%s', async (_, job, notices) => {
    const jobs = jobsOf({ job });
    await (await fixture.start(jobs)).stop(0);
    fixture.clock.set(Date.parse('2026-11-21T12:30:00Z'));
    await fixture.start(jobs);
    expect(await fixture.rows()).toHaveLength(4);
    expect(reported()).toEqual(notices);
    await fixture.goTo('2026-11-21T13:00:00Z');
    expect(reported().slice(notices.length)).toEqual(notices.map(() => 'recovered job 12:00'));
  });
});

describe('notify', () => {
  const event = (kind: JobEvent['kind'], slot: number): JobEvent => ({
    kind,
    job: 'job',
    slot: unixMillis(slot),
    at: unixMillis(slot),
    reason: kind,
  });
  const follow = (notify: ('failed' | 'late' | 'missed' | 'recovered')[], events: readonly JobEvent[]) =>
    followOutages(events, new Map(), new Map([['job', { notify }]])).notices.map(
      ({ kind, slot }) => `${kind} ${slot}`,
    );

  it('opens an outage with the first configured event', () => {
    expect(
      follow(['failed', 'recovered'], [event('missed', 1), event('failed', 2), event('good', 3)]),
    ).toEqual(['failed 2', 'recovered 3']);
    expect(follow(['failed'], [event('failed', 1), event('good', 2), event('failed', 3)])).toEqual([
      'failed 1',
      'failed 3',
    ]);
    expect(follow(['recovered'], [event('failed', 1), event('good', 2)])).toEqual([]);
    expect(follow([], [event('failed', 1), event('good', 2)])).toEqual([]);
  });

  it('leaves nothing open after an outage that starts and ends at once', () => {
    const change = followOutages(
      [event('failed', 1), event('good', 2)],
      new Map(),
      new Map([['job', { notify: ['failed' as const] }]]),
    );
    expect(change).toMatchObject({ opened: [], closed: [] });
  });
});
