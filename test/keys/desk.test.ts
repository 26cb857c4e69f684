import { describe, expect, it } from 'vitest';
import { toSeconds, unixMillis, unixSeconds } from '../../src/base/index.ts';
import { engineHouse, fullSink, hour } from './engine-house.ts';
import type { EngineHouse } from './engine-house.ts';

const signal = new AbortController().signal;

const keysOf = async (house: EngineHouse) => {
  const { keys } = await house.desk().survey(signal);
  return Object.fromEntries(
    keys.map(({ key, service, generation, known, retired = false }) => [
      key.name,
      { service, generation, known, retired },
    ]),
  );
};

/** As a job does that selects every key. */
const adoptAll = async (house: EngineHouse) => {
  const { keys } = await house.desk().survey(signal);
  return house.desk().adoptAll(keys, 'job rotate');
};

const retiredAt = (house: EngineHouse, id: number) => house.journal().lineage('main').get(id)?.retired;

const expiring = { retire: { when: 'unused', quiet: hour, ending: 'expire' } } as const;

/** A service whose first key was retired and is expired, still in the list. */
const retiredOnce = async (house: EngineHouse) => {
  const { old } = await house.begun(expiring);
  house.pass(hour + 1000);
  house.used('billing.g2', hour / 2);
  await house.advance();
  return old;
};

describe('a key that has left its line', () => {
  it('is known, and no job brings it back', async () => {
    await using house = await engineHouse();
    const old = await retiredOnce(house);
    const ended = retiredAt(house, old);
    expect(ended).toBeDefined();
    house.pass(hour);
    expect((await keysOf(house))['billing.g1']).toEqual({
      service: 'billing',
      generation: 1,
      known: true,
      retired: true,
    });
    expect(await adoptAll(house)).toBe(0);
    expect(retiredAt(house, old)).toBe(ended);
    // Not with a survey of before its end either, as a job may hold one.
    const { keys } = await house.desk().survey(signal);
    const before = keys.map(({ retired: _retired, ...key }) => ({ ...key, known: false }));
    expect(await house.desk().adoptAll(before, 'job rotate')).toBe(0);
    expect(retiredAt(house, old)).toBe(ended);
  });

  it('is no old key of the next hand-over', async () => {
    await using house = await engineHouse();
    const old = await retiredOnce(house);
    await adoptAll(house);
    const second = [...house.gateway.keys.values()].find(({ name }) => name === 'billing.g2')?.id ?? 0;
    const id = await house.start(second, expiring);
    await house.advance([id]);
    const handover = (await house.desk().history()).findLast(({ what }) => what === 'current');
    expect(handover).toMatchObject({ name: 'billing.g3', olds: [{ keyId: second }] });
    expect(old).not.toBe(second);
  });

  it('comes back when a person says so', async () => {
    await using house = await engineHouse();
    const old = await retiredOnce(house);
    await house.desk().adopt({ keyId: old, service: 'billing', generation: 1 }, 'anna', signal);
    expect(retiredAt(house, old)).toBeUndefined();
    expect((await keysOf(house))['billing.g1']).toMatchObject({ known: true, retired: false });
  });
});

describe('a key that somebody renamed', () => {
  const rename = (house: EngineHouse, id: number, name: string): void => {
    const key = house.gateway.keys.get(id);
    if (key !== undefined) house.gateway.keys.set(id, { ...key, name });
  };

  it('stays in its line, retired or not', async () => {
    await using house = await engineHouse();
    const old = await retiredOnce(house);
    const second = [...house.gateway.keys.values()].find(({ name }) => name === 'billing.g2')?.id ?? 0;
    rename(house, old, 'search.g7');
    rename(house, second, 'payments');
    expect(await keysOf(house)).toEqual({
      'search.g7': { service: 'billing', generation: 1, known: true, retired: true },
      payments: { service: 'billing', generation: 2, known: true, retired: false },
    });
    expect(await adoptAll(house)).toBe(0);
    expect(house.journal().lineage('main').get(old)).toMatchObject({
      service: 'billing',
      name: 'billing.g1',
    });
  });

  it('is retired on what the log shows under the name it has', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    await adoptAll(house);
    const born = house.journal().lineage('main').get(old)?.born;
    rename(house, old, 'payments');
    house.pass(hour);
    const id = await house.start(old);
    expect(house.journal().lineage('main').get(old)).toMatchObject({ name: 'payments', born });
    await house.advance([id]);
    house.pass(hour + 1000);
    house.used('billing.g2');
    house.used('payments');
    await house.advance();
    house.pass(60_000);
    await house.advance();
    expect(house.names()).toEqual(['payments', 'billing.g2']);
  });

  it('is no throw-away key any more, which would be cleared away', async () => {
    await using house = await engineHouse();
    const probe = house.gateway.add('tollkeeper-probe.g1');
    const common = { at: house.clock.now(), who: 'doctor', account: 'main', rotation: 'probe' };
    const key = { keyId: probe, generation: 1, name: 'tollkeeper-probe.g1' };
    await house
      .journal()
      .record([
        { ...common, service: 'tollkeeper-probe', what: 'created', ...key, fingerprint: 'a'.repeat(64) },
      ]);
    rename(house, probe, 'kept');
    await adoptAll(house);
    await house.advance();
    expect(house.names()).toEqual(['kept']);
  });

  it('is judged so, too, where another of its line is rotated', async () => {
    await using house = await engineHouse();
    const first = house.gateway.add('billing.g1');
    const second = house.gateway.add('billing.g2');
    await adoptAll(house);
    rename(house, first, 'payments');
    await adoptAll(house);
    const id = await house.start(second);
    await house.advance([id]);
    const handover = (await house.desk().history()).findLast(({ what }) => what === 'current');
    expect(handover).toMatchObject({ olds: [{ name: 'billing.g2' }, { name: 'payments' }] });
  });
});

describe('the part that a key has in a rotation', () => {
  const parts = async (house: EngineHouse) => {
    const { keys } = await house.desk().survey(signal);
    return Object.fromEntries(keys.map(({ key, rotation }) => [key.name, rotation?.part]));
  };

  it('is told before and after the hand-over', async () => {
    await using house = await engineHouse();
    const id = await house.start(house.gateway.add('billing.g1'));
    expect(await parts(house)).toEqual({ 'billing.g1': 'old' });
    await house.advance([id]);
    expect(await parts(house)).toEqual({ 'billing.g1': 'leaving', 'billing.g2': 'successor' });
    house.used('billing.g1', 0);
    house.pass(2 * hour);
    house.used('billing.g1');
    await house.advance();
    expect(await parts(house)).toEqual({ 'billing.g1': 'kept', 'billing.g2': 'successor' });
  });

  it('is to leave for one that was made, and superseded before the hand-over', async () => {
    await using house = await engineHouse();
    const { sinks } = house.state;
    house.state.sinks = [fullSink('memory:full').sink];
    await house.begun();
    await house.restart();
    house.pass(hour);
    await house.advance();
    expect((await parts(house))['billing.g2']).toBe('successor');
    house.state.sinks = sinks;
    house.pass(hour);
    await house.advance();
    expect(await parts(house)).toEqual({
      'billing.g1': 'leaving',
      'billing.g2': 'leaving',
      'billing.g3': 'successor',
    });
  });
});

describe('the successor of a key that expires', () => {
  it.each([
    ['lives as long as the one before it was to', -10, 40],
    ['expires with the one before it, where no birth is told', undefined, 30],
  ])('%s', async (_, bornDays, days) => {
    await using house = await engineHouse();
    const day = 24 * hour;
    const now = house.clock.now();
    const at = (moment: number) => toSeconds(unixMillis(now + moment * day));
    const createdTime = bornDays === undefined ? unixSeconds(0) : at(bornDays);
    await house.begun({}, { createdTime, expiredTime: at(30) });
    const made = [...house.gateway.keys.values()].find(({ name }) => name === 'billing.g2');
    expect(made?.expiredTime).toBe(at(days));
    // A birth that is not told is no moment of 1970 in the line either.
    const line = [...house.journal().lineage('main').values()];
    expect(line.every(({ born }) => born > 0)).toBe(true);
  });
});
