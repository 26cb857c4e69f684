import { expect, it } from 'vitest';
import { fault, money, unixSeconds } from '../../src/core/index.ts';
import type { KeyUse } from '../../src/keys/index.ts';
import { type EngineFixture, engineFixture, hour, stillClock } from './engine-fixture.ts';

const minute = 60_000;

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
  await using _fixture = fixture;
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
  await using _fixture = fixture;
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
  await using _fixture = fixture;
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
  await using _fixture = fixture;
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
