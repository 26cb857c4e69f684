import { describe, expect, it } from 'vitest';
import { noProgress, unixSeconds } from '../../src/base/index.ts';
import { planRotations, plannedRotation } from '../../src/keys/plan/plan-rotations.ts';
import { engineHouse, fullSink, hour, usualTerms } from './engine-house.ts';
import type { EngineHouse } from './engine-house.ts';

const { signal } = new AbortController();
const who = 'person anna';

const policy = {
  select: {},
  every: 24 * hour,
  terms: usualTerms,
  limits: { maxPerRun: { count: 10 }, minRemaining: 0 },
  windows: [],
  zone: 'UTC',
};

/** What a job begins now. */
const due = async (house: EngineHouse) => {
  const survey = await house.desk().survey(signal);
  return planRotations(survey, policy, []).rotations.map(({ planned }) => planned);
};

describe('a rotation that is given up in mid-delivery', () => {
  const split = async (house: EngineHouse): Promise<number> => {
    const old = house.gateway.add('billing.g1');
    house.state.sinks = [house.sink.sink, fullSink('memory:two').sink];
    await house.advance([await house.start(old)]);
    return old;
  };

  it('is due at once from the key that all sinks held, also after a restart, until one key is in all of them', async () => {
    await using house = await engineHouse();
    const old = await split(house);
    // While it is open, nothing else is begun.
    expect(await due(house)).toEqual([]);
    const said = await house.desk().giveUp('billing', who);
    expect(said).toContain('memory:one took billing.g2, memory:two may hold billing.g2');
    expect(said).toContain('`tollkeeper keys rotate billing`');
    await house.restart();
    const [planned, ...others] = await due(house);
    expect([planned, others]).toMatchObject([{ why: 'split', old: { keyId: old, generation: 1 } }, []]);
    house.state.sinks = [house.sink.sink];
    const ids = planned === undefined ? [] : await house.desk().start([planned], 'job rotate');
    await house.desk().advance({ ids, signal, progress: noProgress });
    expect(house.gateway.works(house.sink.held.value ?? '')).toBe(true);
    house.pass(hour + 5000);
    house.used('billing.g3', 2000);
    await house.advance();
    expect(house.names()).toEqual(['billing.g3']);
    expect(await due(house)).toEqual([]);
  });

  it('is due though somebody deleted what a sink holds', async () => {
    await using house = await engineHouse();
    const old = await split(house);
    await house.desk().giveUp('billing', who);
    for (const id of house.gateway.keys.keys()) if (id !== old) house.gateway.keys.delete(id);
    expect(await due(house)).toMatchObject([{ why: 'split', old: { keyId: old } }]);
  });

  it('before it is not due for that', async () => {
    await using house = await engineHouse();
    house.state.verify = async () => Promise.reject(new Error('no answer'));
    await house.begun().catch(() => undefined);
    expect(await house.desk().giveUp('billing', who)).toMatch(
      /^the rotation of billing is given up; its old key is untouched and works; billing\.g2 is kept for now: .* `tollkeeper keys expire id:102` ends it$/,
    );
    expect(await due(house)).toEqual([]);
  });
});

describe('a key that a person says belongs to a service', () => {
  const adopt = (house: EngineHouse, keyId: number, service: string, generation = 1, move?: boolean) =>
    house.desk().adopt({ keyId, service, generation, ...(move === undefined ? {} : { move }) }, who, signal);
  const serviceOf = (house: EngineHouse, id: number) => house.journal().lineage('main').get(id)?.service;

  it.each(['x/../../esc', '../etc', '-rf', '', 'a\nb'])('is none of %j', async (service) => {
    await using house = await engineHouse();
    const id = house.gateway.add('legacy');
    await expect(adopt(house, id, service)).rejects.toMatchObject({
      code: 'wrong-use',
      advice: expect.stringContaining('letters, digits') as string,
    });
    expect(serviceOf(house, id)).toBeUndefined();
  });

  it('leaves another service when it is to be moved, and never unasked', async () => {
    await using house = await engineHouse();
    const id = house.gateway.add('legacy');
    await adopt(house, id, 'search');
    await expect(adopt(house, id, 'billing')).rejects.toMatchObject({
      message: 'legacy (id 101) is a key of search',
      advice: expect.stringContaining('--move') as string,
    });
    expect(serviceOf(house, id)).toBe('search');
    await adopt(house, id, 'search', 2);
    await adopt(house, id, 'billing', 1, true);
    expect(serviceOf(house, id)).toBe('billing');
  });

  it('is not taken in or moved while its service has a rotation under way', async () => {
    await using house = await engineHouse();
    const { old } = await house.begun();
    const other = house.gateway.add('legacy');
    await expect(adopt(house, other, 'billing', 7)).rejects.toMatchObject({
      message: 'billing has a rotation under way',
      advice: expect.stringContaining('keys give-up billing') as string,
    });
    await expect(adopt(house, old, 'search', 1, true)).rejects.toThrow('under way');
  });

  it('has a place near those that there are, by the line or by the names of keys', async () => {
    await using house = await engineHouse();
    const id = house.gateway.add('legacy');
    await expect(adopt(house, id, 'billing', 9_999_999)).rejects.toMatchObject({
      message: 'generation 9999999 is more than 1000 above the highest there is, which is 0',
      advice: expect.stringContaining('--generation 1') as string,
    });
    const named = house.gateway.add('billing.g5000');
    await adopt(house, named, 'billing', 5000);
    await adopt(house, id, 'billing', 6000);
    expect(serviceOf(house, id)).toBe('billing');
  });
});

describe('a key that is to end', () => {
  it('is not the one that every sink holds while its rotation is not over, unless it is said so', async () => {
    await using house = await engineHouse();
    await house.begun();
    const fresh = [...house.gateway.keys.values()].find(({ name }) => name === 'billing.g2')?.id ?? 0;
    const at = unixSeconds(Math.floor(house.clock.now() / 1000) + 3600);
    const end = {
      keyId: fresh,
      generation: 2,
      name: 'billing.g2',
      service: 'billing',
      action: { kind: 'expire', at } as const,
    };
    expect(await house.desk().expire([end], who, signal)).toMatchObject([
      { done: false, said: expect.stringContaining('keys rotate billing --now') as string },
    ]);
    expect(house.gateway.keys.get(fresh)?.expiredTime).toBe('never');
    expect(await house.desk().expire([{ ...end, evenIfCurrent: true }], who, signal)).toMatchObject([
      // The moment that was set.
      { done: true, said: 'it ends 2026-01-01 01:00 UTC; measured' },
    ]);
    expect(house.gateway.keys.get(fresh)?.expiredTime).toBe(at);
  });
});

it('a key that comes into its line with its rotation was born when the gateway made it', async () => {
  await using house = await engineHouse();
  const created = unixSeconds(Math.floor(house.clock.now() / 1000) - 40 * 86_400);
  const old = house.gateway.add('billing.g1', { createdTime: created });
  const untold = house.gateway.add('search.g1', { createdTime: unixSeconds(0) });
  const { keys } = await house.desk().survey(signal);
  await house.desk().start(
    keys.map((key) => plannedRotation(key, 'hand', usualTerms)),
    who,
  );
  const born = (id: number) => house.journal().lineage('main').get(id)?.born;
  expect([born(old), born(untold)]).toEqual([created * 1000, house.clock.now()]);
  // Written down once: in the line.
  const planned = (await house.desk().history()).find(({ what }) => what === 'planned');
  expect(planned).toMatchObject({ old: { keyId: old } });
  expect(house.table.rows.filter(({ what, event }) => what === 'planned' && event.includes('born'))).toEqual(
    [],
  );
});
