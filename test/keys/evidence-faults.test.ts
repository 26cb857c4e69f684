import { describe, expect, it } from 'vitest';
import { parseKeyEvent } from '../../src/keys/events/key-event.ts';
import { type EngineFixture, engineFixture, hour, begunFixture, dieAt } from './engine-fixture.ts';

const minute = 60_000;
const day = 24 * hour;

const isThere = ({ gateway }: EngineFixture, id: number): boolean => gateway.keys.has(id);

/** What the journal says of a step, the newest last. */
const noted = async (fixture: EngineFixture, what: string) =>
  (await fixture.keyService().history('billing')).filter((event) => event.what === what);

describe('a renamed old key', () => {
  it('stays when it was renamed after the cutover and is used under its new name, with a notification', async () => {
    const { fixture, old } = await begunFixture();
    fixture.rename(old, 'billing-legacy');
    fixture.elapse(2 * hour);
    fixture.used('billing-legacy', minute);
    fixture.used('billing.g2', minute);
    await fixture.advance();
    expect(isThere(fixture, old)).toBe(true);
    expect(fixture.alert).toMatchObject([
      {
        kind: 'held',
        about: { name: 'billing.g1', why: { reason: 'used', use: { calls: 1 }, names: ['billing-legacy'] } },
      },
    ]);
  });

  it('stays when it was renamed between its adoption and the cutover', async () => {
    await using fixture = await engineFixture();
    const { old, id } = await fixture.planned();
    fixture.rename(old, 'billing-legacy');
    await fixture.advance([id]);
    fixture.elapse(2 * hour);
    fixture.used('billing-legacy', minute);
    fixture.used('billing.g2', minute);
    await fixture.advance();
    expect(isThere(fixture, old)).toBe(true);
  });

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
  const line = {
    at: 1,
    who: 'job rotate',
    account: 'main',
    service: 'billing',
    rotation: 'r1',
    what: 'quiet',
    keyId: 1,
    generation: 1,
    name: 'billing.g1',
    from: 1,
    to: 2,
    evidence: 'no call',
  };
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
