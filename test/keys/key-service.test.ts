import { describe, expect, it } from 'vitest';
import { toSeconds, unixMillis, unixSeconds } from '../../src/core/index.ts';
import { engineFixture, fullSink, hour, memorySink, type EngineFixture } from './engine-fixture.ts';

const signal = new AbortController().signal;

const keysOf = async (fixture: EngineFixture) => {
  const { keys } = await fixture.keyService().survey(signal);
  return Object.fromEntries(
    keys.map(({ key, service, generation, known, retired = false }) => [
      key.name,
      { service, generation, known, retired },
    ]),
  );
};

/** As a job does that selects every key. */
const adoptAll = async (fixture: EngineFixture) => {
  const { keys } = await fixture.keyService().survey(signal);
  return fixture.keyService().adoptAll(keys, 'job rotate');
};

const retiredAt = (fixture: EngineFixture, id: number) =>
  fixture.journal().state('main').lineage.get(id)?.retired;

const expiring = { retire: { when: 'unused', quiet: hour, ending: 'expire' } } as const;

/** A service whose first key was retired and is expired, still in the list. */
const retiredOnce = async (fixture: EngineFixture) => {
  const { old } = await fixture.begun(expiring);
  await fixture.later(hour + 1000, 'billing.g2', hour / 2);
  return old;
};

describe('a retired key', () => {
  it('is known, and no job brings it back', async () => {
    await using fixture = await engineFixture();
    const old = await retiredOnce(fixture);
    const ended = retiredAt(fixture, old);
    expect(ended).toBeDefined();
    fixture.elapse(hour);
    expect((await keysOf(fixture))['billing.g1']).toEqual({
      service: 'billing',
      generation: 1,
      known: true,
      retired: true,
    });
    expect(await adoptAll(fixture)).toBe(0);
    expect(retiredAt(fixture, old)).toBe(ended);
    // Not with a survey of before its end either, as a job may hold one.
    const { keys } = await fixture.keyService().survey(signal);
    const before = keys.map(({ retired: _retired, ...key }) => ({ ...key, known: false }));
    expect(await fixture.keyService().adoptAll(before, 'job rotate')).toBe(0);
    expect(retiredAt(fixture, old)).toBe(ended);
  });

  it('is not an old key of the next cutover', async () => {
    await using fixture = await engineFixture();
    const old = await retiredOnce(fixture);
    await adoptAll(fixture);
    const second = [...fixture.gateway.keys.values()].find(({ name }) => name === 'billing.g2')?.id ?? 0;
    const id = await fixture.start(second, expiring);
    await fixture.advance([id]);
    const cutover = (await fixture.keyService().history()).findLast(({ what }) => what === 'current');
    expect(cutover).toMatchObject({ name: 'billing.g3', olds: [{ keyId: second }] });
    expect(old).not.toBe(second);
  });

  it('is reactivated by an operator', async () => {
    await using fixture = await engineFixture();
    const old = await retiredOnce(fixture);
    await fixture.keyService().adopt({ keyId: old, service: 'billing', generation: 1 }, 'anna', signal);
    expect(retiredAt(fixture, old)).toBeUndefined();
    expect((await keysOf(fixture))['billing.g1']).toMatchObject({ known: true, retired: false });
  });
});

describe('valid keys of a service without a recorded rotation', () => {
  it('are candidates with the sinks that show one of them, where its mask fits no other', async () => {
    const file = memorySink('file:one');
    const unreadable = memorySink('vault:two', { read: () => Promise.resolve(undefined) });
    await using fixture = await engineFixture({ sinks: [file.sink, unreadable.sink] });
    const { gateway } = fixture;
    const add = (name: string, mask: string): number => gateway.add(name, { keyMask: mask });
    const [held, other] = [add('search.g1', 'sk-101***text'), add('search.g2', 'sk-102***text')];
    const [same, twin] = [add('mail.g1', 'sk-***text'), add('mail.g2', 'sk-***text')];
    file.contents.value = gateway.plaintextOf(held);
    unreadable.contents.value = gateway.plaintextOf(other);
    const placesNow = async () => {
      const { keys } = await fixture.keyService().survey(signal);
      return new Map(
        keys.flatMap(({ candidates = [] }) => candidates.map(({ keyId, places }) => [keyId, places])),
      );
    };
    expect(await placesNow()).toEqual(
      new Map([
        [held, ['file:one']],
        [other, []],
        [same, []],
        [twin, []],
      ]),
    );
    file.contents.value = gateway.plaintextOf(same);
    expect([...(await placesNow()).values()]).toEqual([[], [], [], []]);
  });
});

describe('a renamed key', () => {
  const rename = (fixture: EngineFixture, id: number, name: string): void => {
    const key = fixture.gateway.keys.get(id);
    if (key !== undefined) fixture.gateway.keys.set(id, { ...key, name });
  };

  it('stays a generation of its service, retired or not', async () => {
    await using fixture = await engineFixture();
    const old = await retiredOnce(fixture);
    const second = [...fixture.gateway.keys.values()].find(({ name }) => name === 'billing.g2')?.id ?? 0;
    rename(fixture, old, 'search.g7');
    rename(fixture, second, 'payments');
    expect(await keysOf(fixture)).toEqual({
      'search.g7': { service: 'billing', generation: 1, known: true, retired: true },
      payments: { service: 'billing', generation: 2, known: true, retired: false },
    });
    expect(await adoptAll(fixture)).toBe(0);
    expect(fixture.journal().state('main').lineage.get(old)).toMatchObject({
      service: 'billing',
      name: 'billing.g1',
    });
  });

  it('is retired based on the log of its current name', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    await adoptAll(fixture);
    const born = fixture.journal().state('main').lineage.get(old)?.born;
    rename(fixture, old, 'payments');
    fixture.elapse(hour);
    const id = await fixture.start(old);
    expect(fixture.journal().state('main').lineage.get(old)).toMatchObject({ name: 'payments', born });
    await fixture.advance([id]);
    fixture.elapse(hour + 1000);
    fixture.used('billing.g2');
    fixture.used('payments');
    await fixture.advance();
    await fixture.later(60_000);
    expect(fixture.names()).toEqual(['payments', 'billing.g2']);
  });

  it('is no longer a temporary key, which would be deleted', async () => {
    await using fixture = await engineFixture();
    const probe = fixture.gateway.add('tollkeeper-probe.g1');
    const common = { at: fixture.clock.now(), who: 'doctor', account: 'main', rotation: 'probe' };
    const key = { keyId: probe, generation: 1, name: 'tollkeeper-probe.g1' };
    await fixture
      .journal()
      .record([
        { ...common, service: 'tollkeeper-probe', what: 'created', ...key, fingerprint: 'a'.repeat(64) },
      ]);
    rename(fixture, probe, 'kept');
    await adoptAll(fixture);
    await fixture.advance();
    expect(fixture.names()).toEqual(['kept']);
  });

  it('is judged likewise when another key of its service is rotated', async () => {
    await using fixture = await engineFixture();
    const first = fixture.gateway.add('billing.g1');
    const second = fixture.gateway.add('billing.g2');
    await adoptAll(fixture);
    rename(fixture, first, 'payments');
    await adoptAll(fixture);
    const id = await fixture.start(second);
    await fixture.advance([id]);
    const cutover = (await fixture.keyService().history()).findLast(({ what }) => what === 'current');
    expect(cutover).toMatchObject({ olds: [{ name: 'billing.g2' }, { name: 'payments' }] });
  });
});

describe('the part of a key in a rotation', () => {
  const parts = async (fixture: EngineFixture) => {
    const { keys } = await fixture.keyService().survey(signal);
    return Object.fromEntries(keys.map(({ key, rotation }) => [key.name, rotation?.part]));
  };

  it('is shown before and after the cutover', async () => {
    await using fixture = await engineFixture();
    const id = await fixture.start(fixture.gateway.add('billing.g1'));
    expect(await parts(fixture)).toEqual({ 'billing.g1': 'old' });
    await fixture.advance([id]);
    expect(await parts(fixture)).toEqual({ 'billing.g1': 'leaving', 'billing.g2': 'successor' });
    fixture.used('billing.g1', 0);
    await fixture.later(2 * hour, 'billing.g1');
    expect(await parts(fixture)).toEqual({ 'billing.g1': 'kept', 'billing.g2': 'successor' });
  });

  it('is leaving for a key that was created and superseded before the cutover', async () => {
    await using fixture = await engineFixture();
    fixture.state.sinks = [fullSink('memory:full').sink];
    await fixture.begun();
    await fixture.restart();
    await fixture.later(hour);
    expect((await parts(fixture))['billing.g2']).toBe('successor');
    fixture.state.sinks = [fixture.sink.sink, memorySink('memory:full').sink];
    await fixture.later(hour);
    expect(await parts(fixture)).toEqual({
      'billing.g1': 'leaving',
      'billing.g2': 'leaving',
      'billing.g3': 'successor',
    });
  });
});

describe('the successor of an expiring key', () => {
  it.each([
    ['lives as long as its predecessor was created to live', -10, 40],
    ['expires with its predecessor if its creation time is unknown', undefined, 30],
  ])('%s', async (_, bornDays, days) => {
    await using fixture = await engineFixture();
    const day = 24 * hour;
    const now = fixture.clock.now();
    const at = (moment: number) => toSeconds(unixMillis(now + moment * day));
    const createdTime = bornDays === undefined ? unixSeconds(0) : at(bornDays);
    await fixture.begun({}, { createdTime, expiredTime: at(30) });
    const made = [...fixture.gateway.keys.values()].find(({ name }) => name === 'billing.g2');
    expect(made?.expiredTime).toBe(at(days));
    // A birth that is not told is not a valid time of 1970 in the line either.
    const line = [...fixture.journal().state('main').lineage.values()];
    expect(line.every(({ born }) => born > 0)).toBe(true);
  });
});

const minute = 60_000;

it('an open rotation shows its allowed attempts and its next attempt, and no next attempt while it is paused', async () => {
  await using fixture = await engineFixture();
  fixture.state.sinks = [fullSink('memory:one').sink];
  const id = await fixture.start(fixture.gateway.add('billing.g1'), { tries: 3 });
  const viewed = async () => (await fixture.keyService().open())[0];
  expect(await viewed()).toMatchObject({ tries: 0, triesAllowed: 3 });
  expect(await viewed()).not.toHaveProperty('nextTry');
  await fixture.advance([id]);
  expect(await viewed()).toMatchObject({ tries: 1, nextTry: fixture.clock.now() + 5 * minute });
  await fixture.later(5 * minute);
  expect(await viewed()).toMatchObject({ tries: 2, nextTry: fixture.clock.now() + 10 * minute });
  await fixture.later(hour);
  expect(await viewed()).toMatchObject({ stage: 'waiting', tries: 3 });
  expect(await viewed()).not.toHaveProperty('nextTry');
});

it('a rotation whose new key is delivered says whether a call of a consumer was seen', async () => {
  const calls: { readonly name: string; readonly at: number }[] = [];
  await using fixture = await engineFixture({
    evidence: {
      firstCall: async (_account, name, since) => {
        const [first] = calls.filter((call) => call.name === name && call.at >= since);
        return first === undefined ? undefined : unixSeconds(first.at);
      },
    },
  });
  const call = (name: string): void => void calls.push({ name, at: Math.floor(fixture.clock.now() / 1000) });
  const id = await fixture.start(fixture.gateway.add('billing.g1'));
  // The verification of a new key is a call of it, too.
  call('billing.g2');
  await fixture.advance([id]);
  const viewed = async () => (await fixture.keyService().open())[0];
  const unseen = { stage: 'current', message: expect.stringContaining('not yet seen in use') as string };
  expect(await viewed()).toMatchObject(unseen);
  fixture.elapse(minute);
  call('billing.g1');
  expect(await viewed()).toMatchObject(unseen);
  call('billing.g2');
  expect(await viewed()).toMatchObject({
    stage: 'current',
    message: expect.stringContaining('delivered and in use') as string,
  });
});
