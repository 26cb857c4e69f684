import fc from 'fast-check';
import { expect, it, describe } from 'vitest';
import {
  noProgress,
  unixMillis,
  unixSeconds,
  type GatewayClock,
  type OwnStamps,
} from '../../src/core/index.ts';
import { runs } from '../support/storm.ts';
import { engineFixture, hour, stillClock } from './engine-fixture.ts';
import { clockEffect, clockText } from '../../src/keys/index.ts';
import { approved, titled } from '../support/approved.ts';

const signal = new AbortController().signal;

const at = unixMillis(Date.parse('2026-11-21T08:00:00Z'));

/** What is known of the clock of a gateway that is so far ahead. */
const clock = (offset: number, measuredAt = at): GatewayClock => ({
  at: measuredAt,
  offset,
  uncertainty: 500,
  since: unixMillis(0),
  jump: 0,
  stampsFrom: unixMillis(0),
});

/** An engine whose gateway has a clock of its own; `dateShift` is what its Date header is wrong by beside that. */
const openSkewed = async (shift: { gateway: number; date: number }) => {
  const time = stillClock();
  const known = () => clock(shift.gateway + shift.date, time.clock.now());
  const fixture = await engineFixture({ time, gatewayClock: known });
  const gatewayNow = () => time.clock.now() + shift.gateway;
  return {
    fixture,
    gatewayNow,
    /** Whether the gateway, by its own clock, accepts calls with the key. */
    works: (id: number): boolean => {
      const end = fixture.gateway.keys.get(id)?.expiredTime;
      return end === 'never' || (end !== undefined && end * 1000 > gatewayNow());
    },
    expire: (id: number, millis: number) => fixture.expire(id, { kind: 'expire', in: millis }),
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
};

it('the creation time of a key of our own decides where the Date header contradicts it', async () => {
  await using skewed = await openSkewed({ gateway: 0, date: 2 * hour });
  const { fixture } = skewed;
  const { old } = await fixture.begun();
  const [ended] = await skewed.expire(old, hour);
  expect(ended?.message).toMatch(/^it expires 2026-01-01 01:00 UTC/);
  fixture.elapse(hour - 2000);
  expect(skewed.works(old)).toBe(true);
  fixture.elapse(4000);
  expect(skewed.works(old)).toBe(false);
});

it('an immediate expiry ends each key for any clocks of host and gateway, and a later one never early', async () => {
  const skew = fc.integer({ min: -26 * hour, max: 26 * hour });
  await fc.assert(
    fc.asyncProperty(skew, skew, fc.nat({ max: 3 * hour }), async (first, second, later) => {
      const shift = { gateway: first, date: 0 };
      await using skewed = await openSkewed(shift);
      const createdTime = unixSeconds(1_700_000_000);
      const [now, then] = ['billing.g1', 'search.g1'].map((name) =>
        skewed.fixture.gateway.add(name, { createdTime }),
      );
      if (now === undefined || then === undefined) throw new RangeError('no key');
      // The clock jumps, and is measured with the list that precedes each change.
      shift.gateway = second;
      await skewed.expire(now, 0);
      expect(skewed.works(now)).toBe(false);
      expect(skewed.fixture.gateway.keys.get(now)?.expiredTime).toBeGreaterThan(0);
      await skewed.expire(then, later + 10_000);
      skewed.fixture.elapse(later + 8000);
      expect(skewed.works(then)).toBe(true);
      skewed.fixture.elapse(4000);
      expect(skewed.works(then)).toBe(false);
    }),
    { numRuns: runs(20) },
  );
});

it('a key whose plaintext a sink shows is called until the gateway refuses it, for eleven minutes at most', async () => {
  const time = stillClock();
  await using fixture = await engineFixture({ time });
  const { old } = await fixture.begun();
  const [current] = (await fixture.keyService().survey(signal)).keys.filter(({ key }) => key.id !== old);
  if (current === undefined) throw new RangeError('no successor');
  const { keys } = await fixture.keyService().survey(signal);
  const ask = () => fixture.keyService().awaitRefusal(current, keys, { signal, progress: noProgress });
  const start = time.clock.now();
  // A cache accepts the key for five minutes more.
  fixture.state.refuses = async () => time.clock.now() - start >= 300_000;
  const refusal = await ask();
  expect(refusal?.refusedAt).toBeGreaterThanOrEqual(start + 300_000);
  expect(refusal?.refusedAt).toBeLessThan(start + 400_000);
  fixture.state.refuses = async () => false;
  const second = time.clock.now();
  expect(await ask()).toEqual({ calledAt: second + 660_000 });
  // Another key than the one that was expired is never called.
  fixture.sink.contents.value = fixture.gateway.plaintextOf(old);
  expect(await ask()).toBeUndefined();
});

it('the stamp of a new key is compared with the Date header in the cycle that creates it, and only as it is listed', async () => {
  const time = stillClock();
  const compared: OwnStamps[] = [];
  const offset = 2 * hour;
  await using fixture = await engineFixture({
    time,
    gatewayNow: () => time.clock.now() + offset,
    gatewayClock: () => clock(offset, time.clock.now()),
    compareClock: async (stamps) => {
      compared.push(stamps);
      return false;
    },
  });
  const old = fixture.gateway.add('billing.g1');
  const id = await fixture.start(old, {
    overlap: hour,
    retire: { when: 'after-overlap', quiet: hour, ending: 'delete' },
  });
  const cutover = time.clock.now();
  await fixture.advance([id]);
  const end = fixture.gateway.keys.get(old)?.expiredTime;
  expect(end).toBeGreaterThanOrEqual((cutover + hour + offset) / 1000);
  const lists = compared.flatMap(({ list }) => list ?? []);
  expect(lists).not.toEqual([]);
  for (const { low, high } of lists) expect(low <= offset && offset <= high).toBe(true);
});

const minute = 60_000;
const day = 24 * hour;

describe('the effect of a skew', () => {
  it('is none where the clock is right or not known', () => {
    expect(clockEffect(undefined, { quiet: hour })).toEqual({ effect: 'add', margin: 0 });
    expect(clockEffect(clock(900), { quiet: hour })).toEqual({ effect: 'add', margin: 0 });
  });

  it('is a longer quiet time where it is small compared with the lag or with quiet (G16.4)', () => {
    expect(clockEffect(clock(5 * minute), { quiet: 10 * minute })).toEqual({
      effect: 'add',
      margin: 5 * minute + 500,
    });
    expect(clockEffect(clock(-hour), { quiet: 7 * day })).toEqual({
      effect: 'add',
      margin: hour + 500,
    });
  });

  it('suspends deletions where it is large, and names the clock: of the gateway, or of its log alone (G16.4)', async () => {
    const texts: [string, string][] = [];
    for (const [title, effect] of [
      ['one hour behind', clockEffect(clock(-hour), { quiet: hour })],
      ['90 minutes ahead', clockEffect(clock(90 * minute), { quiet: hour })],
      ['a log two hours behind', clockEffect(clock(0), { quiet: hour, logBehind: 2 * hour })],
    ] as const) {
      expect(effect.effect).toBe('suspend');
      texts.push([title, effect.effect === 'suspend' ? clockText(effect.problem, 'Europe/Berlin') : '']);
    }
    await expect(titled(texts)).toMatchFileSnapshot(approved('keys/clock-skew'));
  });

  it('of the log alone is added where it is small', () => {
    expect(clockEffect(undefined, { quiet: hour, logBehind: 5 * minute })).toEqual({
      effect: 'add',
      margin: 5 * minute,
    });
  });
});
