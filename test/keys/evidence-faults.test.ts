import { describe, expect, it, onTestFinished } from 'vitest';
import { parseKeyEvent } from '../../src/keys/events/key-event.ts';
import {
  adoptedStep,
  type EngineFixture,
  engineFixture,
  hour,
  begunFixture,
  dieAt,
  stillClock,
} from './engine-fixture.ts';
import { fault, money, unixSeconds } from '../../src/core/index.ts';
import type { KeyEvent, KeyUse } from '../../src/keys/index.ts';

const minute = 60_000;
const day = 24 * hour;

const isThere = ({ gateway }: EngineFixture, id: number): boolean => gateway.keys.has(id);

/** What the journal says of a step, the newest last. */
const noted = async (fixture: EngineFixture, what: string) =>
  (await fixture.keyService().history('billing')).filter((event) => event.what === what);

describe('a renamed old key', () => {
  it.each(['after the cutover', 'between its adoption and the cutover'])(
    'stays when it was renamed %s and is used under its new name, with a notification',
    async (when) => {
      await using fixture = await engineFixture();
      const { old, id } = await fixture.planned();
      if (when === 'after the cutover') await fixture.advance([id]);
      fixture.rename(old, 'billing-legacy');
      await fixture.advance([id]);
      fixture.elapse(2 * hour);
      fixture.used('billing-legacy', minute);
      fixture.used('billing.g2', minute);
      await fixture.advance();
      expect(isThere(fixture, old)).toBe(true);
      expect(fixture.alert).toMatchObject([
        { kind: 'held', about: { why: { reason: 'used', use: { calls: 1 }, names: ['billing-legacy'] } } },
      ]);
    },
  );

  it('stays when it was renamed back and used under any of its names, whose usage is summed', async () => {
    const { fixture, old } = await begunFixture({
      retire: { when: 'unused', quiet: 6 * hour, ending: 'delete' },
    });
    fixture.elapse(7 * hour);
    fixture.rename(old, 'billing-legacy');
    fixture.used('billing.g1', hour);
    await fixture.advance();
    fixture.used('billing-legacy', minute);
    fixture.rename(old, 'billing.g1');
    fixture.used('billing.g2', minute);
    await fixture.advance();
    expect(isThere(fixture, old)).toBe(true);
    fixture.elapse(5 * minute);
    await fixture.restart();
    await fixture.advance();
    expect(isThere(fixture, old)).toBe(true);
    expect((await noted(fixture, 'held')).at(-1)).toMatchObject({ reason: 'used' });
    fixture.elapse(5 * hour + 30 * minute);
    // The call under the first name is out of the quiet time, that under the other is not.
    await fixture.advance();
    expect(isThere(fixture, old)).toBe(true);
  });

  it('has the usage of all its names summed: models together, with the latest last call', async () => {
    const { fixture, old } = await begunFixture();
    fixture.rename(old, 'billing-legacy');
    fixture.elapse(2 * hour);
    const last = fixture.clock.now() - minute;
    fixture.used('billing.g1', 30 * minute);
    fixture.used('billing-legacy', 20 * minute);
    fixture.used('billing.g1', minute);
    await fixture.advance();
    expect(fixture.alert[0]?.use).toEqual({
      calls: 3,
      lastCall: Math.floor(last / 1000),
      models: [{ model: 'm', calls: 3 }],
    });
    expect(fixture.alert[0]?.about).toMatchObject({ why: { names: ['billing.g1', 'billing-legacy'] } });
  });

  it('is deleted when it is idle under each of its names, which its evidence lists', async () => {
    const { fixture, old } = await begunFixture();
    fixture.rename(old, 'billing-legacy');
    await fixture.later(2 * hour, 'billing.g2', minute);
    const [quiet] = await noted(fixture, 'quiet');
    expect(quiet).toMatchObject({ name: 'billing.g1', names: ['billing.g1', 'billing-legacy'] });
    expect(quiet).toMatchObject({ evidence: expect.stringContaining('billing.g1 (also billing-legacy)') });
  });

  it('is retained when another key has the new name', async () => {
    const { fixture, old } = await begunFixture();
    const other = fixture.gateway.add('billing-legacy');
    fixture.rename(old, 'billing-legacy');
    await fixture.later(2 * hour, 'billing.g2', minute);
    expect(isThere(fixture, old)).toBe(true);
    expect((await noted(fixture, 'held'))[0]).toMatchObject({
      reason: 'name-shared',
      words: expect.stringContaining(`(ids ${other})`),
    });
  });
});

describe('a renamed successor', () => {
  it('counts as used under its new name', async () => {
    const { fixture, old, moved } = await begunFixture();
    fixture.rename(moved?.view.candidate?.keyId ?? 0, 'billing-now');
    await fixture.later(2 * hour, 'billing-now', minute);
    expect(isThere(fixture, old)).toBe(false);
  });

  it('cannot be distinguished from the old key once it has had the name of the old key', async () => {
    const { fixture, old, moved } = await begunFixture();
    fixture.elapse(5 * minute);
    fixture.rename(old, 'billing-legacy');
    await fixture.advance();
    fixture.rename(moved?.view.candidate?.keyId ?? 0, 'billing.g1');
    await fixture.later(10 * hour, 'billing-legacy', 9 * hour);
    expect(isThere(fixture, old)).toBe(true);
    expect((await noted(fixture, 'held'))[0]).toMatchObject({
      reason: 'name-shared',
      words: expect.stringContaining('had the name billing.g1'),
    });
  });
});

it('evidence that was journaled before names were recorded remains readable', () => {
  const { born: _, ...step } = adoptedStep(1) as KeyEvent & { born: unknown };
  const line = { ...step, what: 'quiet', from: 1, to: 2, evidence: 'no call' };
  expect(parseKeyEvent(line)).toEqual(line);
  expect(parseKeyEvent({ ...line, names: ['billing.g1'] })).toMatchObject({ names: ['billing.g1'] });
});

describe('a call in the log', () => {
  it('after the end of the complete part retains the old key', async () => {
    const { fixture, old } = await begunFixture();
    fixture.state.logLag = hour;
    fixture.elapse(3 * hour);
    fixture.used('billing.g2', 90 * minute);
    fixture.used('billing.g1', 10 * minute);
    await fixture.advance();
    expect(isThere(fixture, old)).toBe(true);
    expect((await noted(fixture, 'held'))[0]).toMatchObject({ reason: 'used' });
  });

  it('with the time stamp of a fast clock retains the old key nevertheless', async () => {
    const { fixture, old } = await begunFixture();
    fixture.elapse(3 * hour);
    fixture.used('billing.g2', minute);
    fixture.used('billing.g1', -5 * minute);
    await fixture.advance();
    expect(isThere(fixture, old)).toBe(true);
  });

  it('is reported although the log stays incomplete for a long time', async () => {
    const { fixture } = await begunFixture();
    fixture.elapse(5 * hour);
    fixture.state.logLag = 4 * hour;
    fixture.used('billing.g1', 30 * minute);
    await fixture.advance();
    expect((await noted(fixture, 'held'))[0]).toMatchObject({ reason: 'used' });
    fixture.elapse(2 * hour);
    fixture.state.logLag = 6 * hour;
    await fixture.advance();
    expect((await noted(fixture, 'held')).at(-1)).toMatchObject({ reason: 'log-incomplete' });
  });
});

describe('the reason why an old key is retained', () => {
  it('is reported once while the log stays incomplete, however early it was journaled', async () => {
    const { fixture } = await begunFixture();
    fixture.state.logLag = 100 * day;
    for (let hours = 0; hours < 26; hours += 1) {
      await fixture.later(hour - 1000);
    }
    expect(await noted(fixture, 'held')).toMatchObject([{ reason: 'log-incomplete' }]);
    expect(fixture.alert).toEqual([]);
    await fixture.later(hour);
    expect(fixture.alerted()).toEqual(['held billing.g1 log-incomplete']);
    for (let cycles = 0; cycles < 3; cycles += 1) {
      fixture.elapse(5 * minute);
      if (cycles === 1) await fixture.restart();
      await fixture.advance();
    }
    expect(fixture.alert).toHaveLength(1);
  });

  it.each([
    ['held', 0, 2 * hour],
    ['held', 100 * day, 3 * day],
    ['escalated', 100 * day, 20 * day],
  ])(
    'is reported although the process is killed while journaling it: %s, with a log %d ms behind',
    async (what, lag, later) => {
      await using fixture = await engineFixture();
      await fixture.begun({
        retire: { when: 'unused', quiet: hour, ending: 'delete', maxOverlap: 10 * day },
      });
      if (lag > 0) {
        fixture.state.logLag = lag;
        await fixture.later(2 * hour);
        expect(fixture.alert).toEqual([]);
      }
      fixture.elapse(later);
      if (lag === 0) fixture.used('billing.g1', minute);
      await dieAt(fixture, `after record ${what}`);
      await fixture.advance();
      expect(fixture.alert.filter(({ kind }) => kind === what)).not.toEqual([]);
    },
  );

  it('includes a doubly spendable quota although the process is killed at the cutover', async () => {
    await using fixture = await engineFixture();
    const { id } = await fixture.planned({}, { unlimitedQuota: false, remainQuota: '10' as never });
    await dieAt(fixture, 'after record current', [id]);
    await fixture.advance();
    expect(fixture.alert.map(({ kind }) => kind)).toContain('exposure');
  });
});

describe('the verification call of a successor', () => {
  it.each([
    ['a second', false, 6 * hour, 1000],
    ['a quarter of an hour less a second', false, 6 * hour, 15 * minute - 1000],
    ['nearly half of a short quiet time', false, 20 * minute, 10 * minute - 1000],
    ['a quarter of an hour', true, 6 * hour, 15 * minute],
    ['half of a short quiet time', true, 20 * minute, 10 * minute],
  ])('stamped %s after the cutover is counted as usage: %s', async (_title, counts, quiet, after) => {
    const { fixture, old } = await begunFixture({ retire: { when: 'unused', quiet, ending: 'delete' } });
    fixture.state.calls.push({ name: 'billing.g2', at: fixture.clock.now() + after });
    await fixture.later(12 * hour);
    expect(isThere(fixture, old)).toBe(!counts);
    if (!counts) expect((await noted(fixture, 'held'))[0]).toMatchObject({ reason: 'successor-unused' });
  });
});

/** An engine whose stored log ends some time ago; calls since then are only in the gateway. */
const openBehind = async () => {
  const time = stillClock();
  const reads: (readonly string[])[] = [];
  const recent = { uses: new Map<string, KeyUse>(), fails: false };
  const fixture = await engineFixture({
    time,
    recentCalls: async (names, since) => {
      reads.push(names);
      if (recent.fails) throw fault('gateway-timeout', 'no answer');
      expect(since * 1000).toBeLessThanOrEqual(time.clock.now());
      return new Map([...recent.uses].filter(([name]) => names.includes(name)));
    },
  });
  onTestFinished(() => fixture[Symbol.asyncDispose]());
  return {
    fixture,
    reads,
    recent,
    call: (name: string): void => {
      const lastCall = unixSeconds(Math.floor(time.clock.now() / 1000));
      recent.uses.set(name, { calls: 1, lastCall, models: [{ model: 'm', calls: 1 }] });
    },
  };
};

const countOf = async (fixture: EngineFixture, what: string): Promise<number> =>
  (await fixture.keyService().history('billing')).filter((event) => event.what === what).length;

it('an old key that is called after the end of the stored log is not deleted, and its idle time begins again', async () => {
  const { fixture, reads, recent, call } = await openBehind();
  const { old } = await fixture.begun();
  fixture.elapse(2 * hour);
  fixture.used('billing.g2', minute);
  call('billing.g1');
  await fixture.advance();
  expect(fixture.gateway.keys.has(old)).toBe(true);
  expect(reads).toEqual([['billing.g1']]);
  expect(fixture.alert.at(-1)).toMatchObject({
    kind: 'held',
    about: { name: 'billing.g1', why: { reason: 'used', use: { calls: 1 } } },
  });
  // The stored log does not show the call yet: the key is held all the same, with one notification.
  recent.uses.clear();
  for (let round = 0; round < 3; round += 1) {
    await fixture.later(5 * minute);
  }
  expect([fixture.gateway.keys.has(old), await countOf(fixture, 'held')]).toEqual([true, 1]);
  await fixture.later(hour, 'billing.g2', minute);
  expect(fixture.gateway.keys.has(old)).toBe(false);
});

it('an old key stays while the log cannot be read up to now, which is no failed attempt', async () => {
  const { fixture, recent } = await openBehind();
  const { old } = await fixture.begun();
  fixture.elapse(2 * hour);
  fixture.used('billing.g2', minute);
  recent.fails = true;
  const [moved] = await fixture.advance();
  expect([fixture.gateway.keys.has(old), moved?.view.tries]).toEqual([true, 0]);
  expect(moved?.view.message).toContain('read up to now');
  recent.fails = false;
  await fixture.advance();
  expect(fixture.gateway.keys.has(old)).toBe(false);
});

it('the log is read once for all keys that may be deleted in a cycle', async () => {
  const { fixture, reads } = await openBehind();
  const keyService = fixture.keyService();
  const [, second] = ['billing.g1', 'billing.g2'].map((name) => fixture.gateway.add(name));
  const { keys } = await keyService.survey(new AbortController().signal);
  await keyService.adoptAll(keys, 'person anna');
  await fixture.advance([await fixture.start(second ?? 0)]);
  await fixture.later(2 * hour, 'billing.g3', minute);
  expect(fixture.names()).toEqual(['billing.g3']);
  expect(reads.map((names) => names.toSorted())).toEqual([['billing.g1', 'billing.g2']]);
});

it('a limited old key whose remaining quota fell since its idle time was proven is kept', async () => {
  const { fixture } = await openBehind();
  const { old } = await fixture.begun(
    { quota: { kind: 'unlimited' } },
    {
      unlimitedQuota: false,
      remainQuota: money('10'),
    },
  );
  fixture.elapse(2 * hour);
  fixture.used('billing.g2', minute);
  // A call between the list of the cycle and the deletion, which no log shows yet.
  fixture.state.at = (what) => {
    if (what === 'after record quiet') fixture.spendTo(old, '9.5');
  };
  await fixture.advance();
  fixture.state.at = () => undefined;
  expect(fixture.gateway.keys.has(old)).toBe(true);
  expect(fixture.alert.at(-1)?.about).toMatchObject({
    why: { reason: 'used', quota: { from: '10', to: '9.5' } },
  });
  await fixture.later(2 * hour, 'billing.g2', minute);
  expect(fixture.gateway.keys.has(old)).toBe(false);
});
