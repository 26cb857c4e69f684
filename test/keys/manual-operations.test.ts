import { describe, expect, it } from 'vitest';
import { noProgress, unixSeconds, money } from '../../src/core/index.ts';
import { planRotations, plannedRotation } from '../../src/keys/index.ts';
import {
  engineFixture,
  fullSink,
  hour,
  defaultTerms,
  type EngineFixture,
  begunFixture,
  memorySink,
} from './engine-fixture.ts';
import { describeUse } from '../../src/keys/events/describe.ts';

const { signal } = new AbortController();
const who = 'person anna';

const policy = {
  select: {},
  every: 24 * hour,
  terms: defaultTerms,
  limits: { maxPerRun: { count: 10 }, minRemaining: 0 },
  windows: [],
  zone: 'UTC',
};

/** What a job begins now. */
const due = async (fixture: EngineFixture) => {
  const survey = await fixture.keyService().survey(signal);
  return planRotations(survey, policy, []).rotations.map(({ planned }) => planned);
};

describe('a rotation that is given up during the delivery', () => {
  const split = async (fixture: EngineFixture): Promise<number> => {
    fixture.state.sinks = [fixture.sink.sink, fullSink('memory:two').sink];
    const { old } = await fixture.begun();
    return old;
  };

  it('is due immediately from the key that all sinks held, also after a restart, until one key is in all of them', async () => {
    await using fixture = await engineFixture();
    const old = await split(fixture);
    // While it is open, nothing else is begun.
    expect(await due(fixture)).toEqual([]);
    const output = await fixture.keyService().giveUp('billing', who);
    expect(output).toMatch(/memory:one received billing\.g2, memory:two .*`tollkeeper keys rotate billing`/);
    await fixture.restart();
    const [planned, ...others] = await due(fixture);
    expect([planned, others]).toMatchObject([{ why: 'split', old: { keyId: old, generation: 1 } }, []]);
    fixture.state.sinks = [fixture.sink.sink];
    const ids = planned === undefined ? [] : await fixture.keyService().start([planned], 'job rotate');
    await fixture.keyService().advance({ ids, signal, progress: noProgress });
    expect(fixture.gateway.works(fixture.sink.contents.value ?? '')).toBe(true);
    await fixture.later(hour + 5000, 'billing.g3', 2000);
    // The former sink may hold either key, and no job declares it any more.
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g2', 'billing.g3']);
    await fixture.keyService().forgetPlaces('billing', who, signal);
    await fixture.later(2 * hour, 'billing.g3', 2000);
    expect(fixture.names()).toEqual(['billing.g3']);
    expect(await due(fixture)).toEqual([]);
  });

  it('is due although somebody deleted the key that a sink holds', async () => {
    await using fixture = await engineFixture();
    const old = await split(fixture);
    await fixture.keyService().giveUp('billing', who);
    for (const id of fixture.gateway.keys.keys()) if (id !== old) fixture.gateway.keys.delete(id);
    expect(await due(fixture)).toMatchObject([{ why: 'split', old: { keyId: old } }]);
  });

  it('is not due for that reason if no delivery was started', async () => {
    await using fixture = await engineFixture();
    fixture.state.verify = async () => Promise.reject(new Error('no answer'));
    await fixture.begun().catch(() => undefined);
    expect(await fixture.keyService().giveUp('billing', who)).toMatch(
      /billing\.g2 is retained .*`tollkeeper keys expire id:102`/,
    );
    expect(await due(fixture)).toEqual([]);
  });
});

describe('an adopted key', () => {
  const adopt = (fixture: EngineFixture, keyId: number, service: string, generation = 1, move?: boolean) =>
    fixture
      .keyService()
      .adopt({ keyId, service, generation, ...(move === undefined ? {} : { move }) }, who, signal);
  const serviceOf = (fixture: EngineFixture, id: number) =>
    fixture.journal().state('main').lineage.get(id)?.service;

  it('is moved from another service only on request', async () => {
    await using fixture = await engineFixture();
    const id = fixture.gateway.add('legacy');
    await adopt(fixture, id, 'search');
    await expect(adopt(fixture, id, 'billing')).rejects.toMatchObject({
      message: expect.stringContaining('(id 101) is a key of') as string,
      advice: expect.stringContaining('--move') as string,
    });
    expect(serviceOf(fixture, id)).toBe('search');
    await adopt(fixture, id, 'search', 2);
    await adopt(fixture, id, 'billing', 1, true);
    expect(serviceOf(fixture, id)).toBe('billing');
  });

  it('is rejected while its service has a rotation in progress', async () => {
    const { fixture, old } = await begunFixture();
    const other = fixture.gateway.add('legacy');
    await expect(adopt(fixture, other, 'billing', 7)).rejects.toMatchObject({
      message: expect.stringContaining('a rotation in progress') as string,
      advice: expect.stringContaining('keys give-up billing') as string,
    });
    await expect(adopt(fixture, old, 'search', 1, true)).rejects.toThrow('in progress');
  });

  it('has a generation near the existing ones, in the lineage or in key names', async () => {
    await using fixture = await engineFixture();
    const id = fixture.gateway.add('legacy');
    await expect(adopt(fixture, id, 'billing', 9_999_999)).rejects.toMatchObject({
      code: 'wrong-use',
      message: expect.stringContaining('generation 9999999') as string,
      advice: expect.stringContaining('--generation 1') as string,
    });
    const named = fixture.gateway.add('billing.g5000');
    await adopt(fixture, named, 'billing', 5000);
    await adopt(fixture, id, 'billing', 6000);
    expect(serviceOf(fixture, id)).toBe('billing');
  });
});

describe('a key that is to be ended', () => {
  it('is not the one in every sink of an open rotation, unless explicitly requested', async () => {
    const { fixture } = await begunFixture();
    const fresh = [...fixture.gateway.keys.values()].find(({ name }) => name === 'billing.g2')?.id ?? 0;
    const at = unixSeconds(Math.floor(fixture.clock.now() / 1000) + 3600);
    const action = { kind: 'expire', at } as const;
    expect(await fixture.expire(fresh, action, false)).toMatchObject([
      { done: false, message: expect.stringContaining('keys rotate billing --now') as string },
    ]);
    expect(fixture.gateway.keys.get(fresh)?.expiredTime).toBe('never');
    expect(await fixture.expire(fresh, action)).toMatchObject([
      // The moment that was set.
      { done: true, message: 'it expires 2026-01-01 01:00 UTC; measured' },
    ]);
    expect(fixture.gateway.keys.get(fresh)?.expiredTime).toBe(at);
  });
});

it('a key that is adopted by its rotation has the creation time of the gateway', async () => {
  await using fixture = await engineFixture();
  const created = unixSeconds(Math.floor(fixture.clock.now() / 1000) - 40 * 86_400);
  const old = fixture.gateway.add('billing.g1', { createdTime: created });
  const pending = fixture.gateway.add('search.g1', { createdTime: unixSeconds(0) });
  const { keys } = await fixture.keyService().survey(signal);
  await fixture.keyService().start(
    keys.map((key) => plannedRotation(key, 'hand', defaultTerms)),
    who,
  );
  const born = (id: number) => fixture.journal().state('main').lineage.get(id)?.born;
  expect([born(old), born(pending)]).toEqual([created * 1000, fixture.clock.now()]);
  // Written down once: in the line.
  const planned = (await fixture.keyService().history()).find(({ what }) => what === 'planned');
  expect(planned).toMatchObject({ old: { keyId: old } });
  expect(
    fixture.table.rows.filter(({ what, event }) => what === 'planned' && event.includes('born')),
  ).toEqual([]);
});

const minute = 60_000;

const whatOf = async (fixture: EngineFixture): Promise<readonly string[]> =>
  (await fixture.keyService().history('billing')).map(({ what }) => what);
const viewOf = async (fixture: EngineFixture) => (await fixture.keyService().open())[0];

/** The old key is proven to be unused. */
const fallIdle = (fixture: EngineFixture): void => {
  fixture.elapse(2 * hour);
  fixture.used('billing.g2', minute);
};

describe('an old key that a place of the journal may hold', () => {
  it('stays when its job leaves the configuration after the cutover, and goes once the job is back', async () => {
    const { fixture, old } = await begunFixture();
    fixture.state.declared = false;
    for (let round = 0; round < 3; round += 1) {
      fallIdle(fixture);
      await fixture.advance();
    }
    expect(fixture.gateway.keys.has(old)).toBe(true);
    expect(await viewOf(fixture)).toMatchObject({ isHeldByPlace: true });
    expect(new Set(fixture.alert.map(({ key }) => key)).size).toBe(1);
    expect(fixture.alert[0]).toMatchObject({
      kind: 'held',
      message: expect.stringContaining('keys give-up billing --forget-places') as string,
    });
    fixture.state.declared = true;
    fallIdle(fixture);
    await fixture.advance();
    expect(fixture.names()).toEqual(['billing.g2']);
  });

  it('goes once a person confirms that the place holds no key, and the audit log records who', async () => {
    const { fixture } = await begunFixture();
    const other = memorySink('file:/secrets/other');
    fixture.state.sinks = [other.sink];
    fallIdle(fixture);
    await fixture.advance();
    await fixture.keyService().forgetPlaces('billing', 'person anna', signal);
    expect(
      (await fixture.keyService().history('billing')).find(({ what }) => what === 'places-forgotten'),
    ).toMatchObject({
      what: 'places-forgotten',
      who: 'person anna',
      places: [fixture.sink.sink.place],
    });
    fallIdle(fixture);
    await fixture.advance();
    expect(fixture.names()).toEqual(['billing.g2']);
    await expect(fixture.keyService().forgetPlaces('billing', 'person anna', signal)).rejects.toMatchObject({
      code: 'wrong-use',
    });
  });

  it('goes at once when it leaked, and the step names the places that were not read', async () => {
    const { fixture } = await begunFixture();
    const other = memorySink('file:/secrets/other');
    fixture.state.sinks = [other.sink];
    const [open] = await fixture.keyService().open();
    const retire = { when: 'now', quiet: hour, ending: 'delete' } as const;
    await fixture.leak(open?.candidate?.keyId ?? 0, { retire });
    await fixture.advance();
    await fixture.advance();
    expect(fixture.names()).not.toContain('billing.g2');
    const deleting = (await fixture.keyService().history('billing')).find(({ what }) => what === 'deleting');
    expect(deleting).toMatchObject({ why: 'leaked', unread: [fixture.sink.sink.place] });
  });
});

describe('an old key that ends after the overlap', () => {
  const timed = { retire: { when: 'after-overlap', quiet: hour, ending: 'delete' } } as const;

  it('gets its former expiry back when a sink holds it again, and ends once the sink holds its successor', async () => {
    const { fixture, old } = await begunFixture({ ...timed, overlap: 4 * hour });
    await fixture.advance();
    expect(fixture.gateway.keys.get(old)?.expiredTime).not.toBe('never');
    const successor = fixture.sink.contents.value;
    fixture.sink.contents.value = fixture.gateway.plaintextOf(old);
    await fixture.later(hour);
    await fixture.advance();
    expect(fixture.gateway.keys.get(old)?.expiredTime).toBe('never');
    expect(fixture.alert.filter(({ kind }) => kind === 'held')).toHaveLength(1);
    expect(await viewOf(fixture)).toMatchObject({ isHeldByPlace: true });
    await fixture.later(9 * hour);
    expect(fixture.gateway.works(fixture.gateway.plaintextOf(old))).toBe(true);
    fixture.sink.contents.value = successor;
    await fixture.advance();
    expect(await whatOf(fixture)).toContain('hold-ended');
    expect(fixture.gateway.works(fixture.gateway.plaintextOf(old))).toBe(true);
    await fixture.later(5 * hour);
    await fixture.advance();
    expect(fixture.names()).toEqual(['billing.g2']);
  });

  it('gets its former expiry back when its job leaves the configuration', async () => {
    const { fixture, old } = await begunFixture({ ...timed, overlap: 4 * hour });
    await fixture.advance();
    fixture.state.declared = false;
    await fixture.advance();
    expect(fixture.gateway.keys.get(old)?.expiredTime).toBe('never');
  });
});

it('the history describes the use of a key by its calls, models and spend', () => {
  const models = ['a', 'b', 'c', 'd'].map((model) => ({ model, calls: 1200 }));
  const lastCall = unixSeconds(Date.parse('2026-11-20T10:07:00Z') / 1000);
  const shown = describeUse({ calls: 4800, lastCall, spend: money('3.25'), models }, 'UTC').split(', ');
  expect([shown[0], shown.at(-2), shown.at(-1)]).toEqual(['4,800 calls', '1 more model', '3.25 spent']);
  expect(describeUse({ calls: 1, models: [] }, 'UTC')).toBe('1 call');
});
