import { describe, expect, it } from 'vitest';
import { fault, money, unixSeconds } from '../../src/base/index.ts';
import type { Sink } from '../../src/keys/sink.ts';
import { crash, engineHouse, fullSink, hour, memorySink, sealedSink, usualTerms } from './engine-house.ts';
import type { EngineHouse } from './engine-house.ts';

const minute = 60_000;
const day = 24 * hour;
const limited = { unlimitedQuota: false, remainQuota: money('100') };
const timed = { retire: { when: 'after-overlap' as const, quiet: hour, ending: 'delete' as const } };
const leaked = { retire: { when: 'now' as const, quiet: hour, ending: 'delete' as const } };

/** The process dies there and is started again. */
const dieAt = async (house: EngineHouse, where: string, ids?: readonly string[]): Promise<void> => {
  let isDead = false;
  house.state.at = (what) => {
    isDead ||= what === where;
    if (isDead) throw crash;
  };
  await expect(house.advance(ids)).rejects.toBe(crash);
  house.state.at = () => undefined;
  await house.restart();
};

const remains = (house: EngineHouse): Readonly<Record<string, string>> =>
  Object.fromEntries([...house.gateway.keys.values()].map(({ name, remainQuota }) => [name, remainQuota]));

const stages = async (house: EngineHouse) => (await house.desk().open()).map(({ stage }) => stage);

describe('an overlap', () => {
  it('is counted from when the consumer was told: a process that was dead for longer', async () => {
    await using house = await engineHouse();
    house.state.reload = async () => undefined;
    const old = house.gateway.add('billing.g1');
    const id = await house.start(old, timed);
    await dieAt(house, 'after record current', [id]);
    house.pass(3 * hour);
    await house.advance();
    expect(house.gateway.keys.get(old)?.expiredTime).toBe((house.clock.now() + hour) / 1000);
    house.pass(2 * hour);
    await house.advance();
    expect(house.names()).toEqual(['billing.g2']);
  });

  it('is counted from when the consumer was told: a command that failed for longer', async () => {
    await using house = await engineHouse();
    house.state.reload = async () => {
      throw fault('sink-failed', 'no such program');
    };
    const { old } = await house.begun(timed);
    house.pass(3 * hour);
    house.state.reload = async () => undefined;
    await house.advance();
    expect(house.gateway.keys.get(old)?.expiredTime).toBe((house.clock.now() + hour) / 1000);
  });
});

describe('a delivery that was cut off', () => {
  const cutOff = (settle: Sink['settle']) => {
    const sink = memorySink('memory:two');
    return {
      ...sink,
      sink: {
        ...sink.sink,
        deliver: async (...given: Parameters<Sink['deliver']>) => {
          await sink.sink.deliver(...given);
          throw crash;
        },
        ...(settle === undefined ? {} : { settle }),
      },
    };
  };

  it('is seen through before the key is handed over, as often as that takes', async () => {
    await using house = await engineHouse();
    const settled: string[] = [];
    let isUp = false;
    const two = cutOff(async (fingerprint) => {
      if (!isUp) throw fault('sink-failed', 'no rollout now');
      settled.push(fingerprint);
    });
    house.state.sinks = [two.sink];
    const old = house.gateway.add('billing.g1');
    const id = await house.start(old);
    await house.advance([id]).catch(() => undefined);
    await house.restart();
    house.pass(10 * minute);
    await house.advance();
    expect([settled, await stages(house)]).toEqual([[], ['delivering']]);
    isUp = true;
    house.pass(hour);
    await house.advance();
    expect([settled.length, await stages(house)]).toEqual([1, ['current']]);
    expect(house.names()).toEqual(['billing.g1', 'billing.g2']);
  });
});

describe('a place that cannot be read for a moment', () => {
  it('costs nobody their word: what a person confirmed stays confirmed', async () => {
    await using house = await engineHouse();
    const aged = sealedSink();
    let isUp = false;
    const shy = memorySink('memory:two');
    const reading = shy.sink.fingerprint;
    const two: Sink = {
      ...shy.sink,
      fingerprint: async (...given) => {
        if (!isUp) throw fault('sink-failed', '503');
        return reading(...given);
      },
    };
    house.state.sinks = [aged.sink, two];
    await house.begun();
    const created = house.table.rows.find(({ what }) => what === 'created');
    const { fingerprint } = JSON.parse(created?.event ?? '') as { fingerprint: string };
    await house.desk().confirm('billing', fingerprint, 'person anna');
    await house.advance();
    isUp = true;
    house.pass(hour);
    await house.advance();
    expect([await stages(house), aged.held.deliveries, shy.held.deliveries]).toEqual([['current'], 1, 1]);
  });
});

describe('a sink that cannot be made out of its job', () => {
  it('is tried as often as any step, and waits for a person then; its orphan is kept, since no sink can be read', async () => {
    await using house = await engineHouse();
    house.state.verify = async () => {
      throw fault('key-verify-unclear', 'no answer');
    };
    await house.begun({ tries: 3 });
    expect(house.names()).toHaveLength(2);
    house.state.unfit = fault('sink-refused', 'the service does not fit');
    for (let round = 0; round < 100; round += 1) {
      house.pass(5 * minute);
      await house.advance();
    }
    expect(await stages(house)).toEqual(['waiting']);
    expect(house.table.rows.filter(({ what }) => what === 'failed')).toHaveLength(3);
    expect(house.names()).toEqual(['billing.g1', 'billing.g2']);
    house.state.unfit = undefined;
    house.pass(hour);
    await house.advance();
    expect(house.names()).toEqual(['billing.g1']);
  });
});

describe('what waits for a person', () => {
  it('is told again each week', async () => {
    await using house = await engineHouse();
    house.state.sinks = [sealedSink().sink];
    await house.begun();
    const told = (): number => new Set(house.news.map(({ key }) => key)).size;
    expect(told()).toBe(1);
    for (let days = 1; days <= 15; days += 1) {
      house.pass(day);
      await house.advance();
    }
    expect(told()).toBe(3);
  });

  it('is told again each week where its tries are used up', async () => {
    await using house = await engineHouse();
    house.state.verify = async () => {
      throw fault('key-verify-unclear', 'no answer');
    };
    // It rested for long before: weeks are counted from when it began to wait.
    const id = await house.start(house.gateway.add('billing.g1'), { tries: 1 });
    house.pass(20 * day);
    await house.advance([id]);
    await house.advance();
    expect(house.news).toHaveLength(1);
    for (let days = 1; days <= 8; days += 1) {
      house.pass(day);
      await house.advance();
    }
    expect([...new Set(house.news.map(({ title }) => title))]).toEqual([
      'the rotation of billing waits for you',
      'the rotation of billing still waits for you',
    ]);
  });
});

describe('clocks that differ', () => {
  it.each([
    ['leave no key over whose answer was lost where they differ by minutes', 600, ['billing.g3']],
    [
      'leave a key over whose answer was lost where they differ by hours, and operators are asked',
      7200,
      ['billing.g2', 'billing.g3'],
    ],
  ])('%s', async (_, behind, left) => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    house.gateway.faults.create.push('after');
    const id = await house.start(old);
    await house.advance([id]);
    const lost = [...house.gateway.keys.values()].find(({ name }) => name === 'billing.g2');
    if (lost?.createdTime === undefined) throw new RangeError('no key was made');
    house.gateway.keys.set(lost.id, {
      ...lost,
      createdTime: (lost.createdTime - behind) as typeof lost.createdTime,
    });
    house.pass(5 * minute);
    await house.advance();
    house.pass(hour);
    await house.advance();
    expect(house.names()).toEqual(['billing.g1', ...left]);
    const isAsked = house.news.some(({ title }) => title === 'whose the key billing.g2 is cannot be told');
    expect(isAsked).toBe(left.length > 1);
  });

  it('keep no other service waiting for a day that will not come', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    house.gateway.faults.create.push('before');
    const id = await house.start(old);
    await house.advance([id]);
    house.pass(-day);
    const other = house.gateway.add('search.g1');
    await house.start(other, {}, 'search');
    await house.advance();
    expect(house.names()).toContain('search.g2');
  });
});

describe('a quota that is carried', () => {
  it('is lowered by what a superseded key spent, and the true sum is told', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1', limited);
    const two = memorySink('memory:two');
    house.state.sinks = [house.sink.sink, two.sink];
    const id = await house.start(old);
    await dieAt(house, 'before deliver to memory:two', [id]);
    await house.advance();
    expect(remains(house)).toEqual({ 'billing.g1': '100', 'billing.g2': '100', 'billing.g3': '100' });
    const exposure = house.news.find(({ kind }) => kind === 'exposure');
    expect(exposure?.title).toBe('billing can spend its quota 3 times for a while');
    expect(exposure?.words).toContain('200 may be spent');
    house.spendTo(old, '90');
    const superseded = [...house.gateway.keys.values()].find(({ name }) => name === 'billing.g2')?.id ?? 0;
    house.spendTo(superseded, '70');
    house.pass(2 * hour);
    house.used('billing.g3', minute);
    await house.advance();
    expect(remains(house)).toEqual({ 'billing.g3': '60' });
  });

  it('is settled once more with a key that is used again after it was', async () => {
    await using house = await engineHouse();
    const { old } = await house.begun({}, limited);
    house.spendTo(old, '90');
    house.pass(2 * hour);
    house.used('billing.g2', minute);
    house.gateway.faults.remove.push('before');
    await house.advance();
    expect(remains(house)).toEqual({ 'billing.g1': '90', 'billing.g2': '90' });
    house.pass(3 * hour);
    house.used('billing.g1', minute);
    house.spendTo(old, '30');
    await house.advance();
    expect(house.names()).toEqual(['billing.g1', 'billing.g2']);
    house.pass(2 * hour);
    await house.advance();
    expect(remains(house)).toEqual({ 'billing.g2': '30' });
  });

  it('and one that is split goes on where somebody took the old key away', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1', limited);
    const id = await house.start(old, { quota: { kind: 'split' } });
    house.state.at = (what) => {
      if (what === 'after record current') house.gateway.keys.delete(old);
    };
    await house.advance([id]);
    house.state.at = () => undefined;
    house.pass(10 * minute);
    await house.advance();
    expect([await stages(house), house.names()]).toEqual([[], ['billing.g2']]);
  });
});

describe('a sink that is emptied', () => {
  it.each([
    ['before the old key is retired', ''],
    ['while its deletion is put off', 'before record deleting'],
  ])('keeps the old key: %s', async (_, where) => {
    await using house = await engineHouse();
    const { old } = await house.begun();
    house.pass(2 * hour);
    house.used('billing.g2', minute);
    if (where !== '') await dieAt(house, where);
    house.sink.held.value = undefined;
    const [moved] = await house.advance();
    expect(moved?.fault?.message).toContain('no longer holds billing.g2, and is empty');
    expect(house.gateway.keys.has(old)).toBe(true);
  });
});

describe('a successor that does not work any more', () => {
  const expire = (house: EngineHouse, name: string): void => {
    for (const [id, key] of house.gateway.keys)
      if (key.name === name) house.gateway.keys.set(id, { ...key, expiredTime: unixSeconds(1) });
  };

  it.each([
    ['before the old key is retired', ''],
    ['while its deletion is put off', 'before record deleting'],
  ])('keeps the old key, and is told: %s', async (_, where) => {
    await using house = await engineHouse();
    const { old } = await house.begun();
    house.pass(2 * hour);
    house.used('billing.g2', minute);
    if (where !== '') await dieAt(house, where);
    expire(house, 'billing.g2');
    await house.advance();
    house.pass(day);
    await house.advance();
    expect(house.gateway.keys.has(old)).toBe(true);
    expect(house.news.map(({ kind, words }) => [kind, words])).toEqual([
      ['held', expect.stringContaining('billing.g2, which every sink holds, is expired')],
    ]);
  });

  it('is told where the old key ends with the overlap, also after it was told that it is used', async () => {
    await using house = await engineHouse();
    await house.begun(timed);
    house.pass(40 * minute);
    house.used('billing.g1');
    await house.advance();
    expire(house, 'billing.g2');
    house.pass(5 * minute);
    await house.advance();
    await house.advance();
    expect(house.news.map(({ title }) => title)).toEqual([
      'the old key billing.g1 is still used and ends soon',
      'the old key billing.g1 ends soon, and its successor does not work',
    ]);
  });
});

describe('a gateway that is asked too often', () => {
  it('uses no tries up', async () => {
    await using house = await engineHouse();
    const { old } = await house.begun();
    house.pass(2 * hour);
    house.used('billing.g2', minute);
    house.gateway.faults.remove.push(...Array.from({ length: 8 }, () => 'limited' as const));
    for (let round = 0; round < 8; round += 1) {
      await expect(house.advance()).rejects.toThrow('too many requests');
      house.pass(5 * minute);
    }
    house.used('billing.g2', minute);
    await house.advance();
    expect(house.gateway.keys.has(old)).toBe(false);
    expect(house.news).toEqual([]);
  });
});

describe('tries that are used up', () => {
  it.each([
    [
      'a quota that is settled once more',
      { retire: { ...usualTerms.retire, ending: 'expire' as const } },
      limited,
    ],
    ['a proof that is taken anew', {}, {}],
  ])('stay so: %s', async (_, terms, fields) => {
    await using house = await engineHouse();
    house.sink.held.value = 'sk-other';
    await house.begun(terms, fields);
    house.pass(2 * hour);
    house.used('billing.g2', minute);
    // Somebody puts the old contents back each time.
    await dieAt(house, 'after record retiring');
    house.sink.held.value = 'sk-other';
    for (let round = 0; round < 40; round += 1) {
      house.pass(5 * minute * (1 + round));
      house.used('billing.g2', minute);
      await house.advance();
    }
    expect(await stages(house)).toEqual(['waiting']);
    expect(house.names()).toEqual(['billing.g1', 'billing.g2']);
  });
});

describe('a quota that is used up', () => {
  it('keeps the old key that has some left, and is told', async () => {
    await using house = await engineHouse();
    const { old, moved } = await house.begun({}, limited);
    house.spendTo(old, '30');
    house.spendTo(moved?.view.candidate?.keyId ?? 0, '50');
    house.pass(2 * hour);
    house.used('billing.g2', minute);
    await house.advance();
    expect(remains(house)).toEqual({ 'billing.g1': '30', 'billing.g2': '0' });
    expect(house.news.map(({ title }) => title)).toEqual([
      'billing can spend its quota twice for a while',
      'billing.g2 has nothing left to spend',
      'the old key billing.g1 is kept for now',
    ]);
  });
});

describe('a job that is gone from the config', () => {
  it('keeps a key that the sinks it no longer declares may hold, and operators are asked', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    const id = await house.start(old);
    await dieAt(house, 'after record created', [id]);
    house.state.declared = false;
    for (let round = 0; round < 3; round += 1) {
      house.pass(hour);
      await house.advance();
    }
    expect(house.names()).toEqual(['billing.g1', 'billing.g2']);
    const asked = house.news.filter(({ title }) => title === 'the key billing.g2 is kept: it may be in use');
    expect(asked[0]?.words).toContain('no job declares the sinks');
    expect(new Set(asked.map(({ key }) => key)).size).toBe(1);
  });
});

describe('a service whose new key does not work any more', () => {
  it('is given another once a person gives the rotation up', async () => {
    await using house = await engineHouse();
    const { old } = await house.begun();
    await expect(house.desk().giveUp('billing', 'person anna')).rejects.toThrow('nothing to give up');
    const current = [...house.gateway.keys.values()].find(({ name }) => name === 'billing.g2');
    if (current === undefined) throw new RangeError('no key was made');
    house.gateway.keys.set(current.id, { ...current, status: 2 });
    expect(await house.desk().giveUp('billing', 'person anna')).toContain('`tollkeeper keys rotate billing`');
    await house.advance([await house.start(old)]);
    expect(house.names()).toEqual(['billing.g1', 'billing.g2', 'billing.g3']);
    expect(house.gateway.works(house.sink.held.value ?? '')).toBe(true);
  });
});

describe('a key that was ended by hand', () => {
  const end = (house: EngineHouse, keyId: number, at: number) =>
    house.desk().expire(
      [
        {
          keyId,
          generation: 1,
          name: 'billing.g1',
          service: 'billing',
          action: { kind: 'expire', at: unixSeconds(at) },
          evenIfCurrent: true,
        },
      ],
      'person anna',
      new AbortController().signal,
    );
  const seconds = (house: EngineHouse): number => Math.floor(house.clock.now() / 1000);
  const given = (house: EngineHouse, name: string) =>
    [...house.gateway.keys.values()].find((key) => key.name === name)?.expiredTime;

  it('hands on the life that others gave it, not the end that was set', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    await end(house, old, seconds(house) + 7200);
    await end(house, old, seconds(house));
    const id = await house.start(old, leaked);
    await house.advance([id]);
    expect(given(house, 'billing.g2')).toBe('never');
  });

  it('hands on an end that was put off', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1', { expiredTime: unixSeconds(seconds(house) + 1800) });
    await end(house, old, seconds(house) + 90 * 86_400);
    await house.advance([await house.start(old)]);
    expect(given(house, 'billing.g2')).toBe(seconds(house) + 90 * 86_400);
  });

  it('is in its line again where it is given a later expiry', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    await end(house, old, seconds(house));
    expect((await house.desk().survey(new AbortController().signal)).keys[0]?.retired).toBe(true);
    await end(house, old, seconds(house) + 86_400);
    expect((await house.desk().survey(new AbortController().signal)).keys[0]?.retired).toBeUndefined();
  });

  it('has no successor that would die in an hour: the rotation says why', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1', { expiredTime: unixSeconds(seconds(house) + 1800) });
    const [moved] = await house.advance([await house.start(old)]);
    expect(moved?.fault?.message).toContain('a successor of billing.g1 would live until');
    expect(house.names()).toEqual(['billing.g1']);
  });
});

describe('a first key that could not be delivered', () => {
  it('has no old key to speak of', async () => {
    await using house = await engineHouse();
    house.state.sinks = [fullSink('memory:full').sink];
    const fresh = { remainQuota: money('0'), unlimitedQuota: true, expiredTime: 'never' as const, group: '' };
    const planned = { service: 'fresh', why: 'new' as const, terms: usualTerms, fresh };
    await house.advance(await house.desk().start([planned], 'person anna'));
    expect(house.news[0]?.words).toContain('Fresh has no other key');
    expect(await house.desk().giveUp('fresh', 'person anna')).toContain('fresh has no other key');
  });
});

describe('a create that is refused', () => {
  it('uses no generation up, however often', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    const id = await house.start(old);
    house.gateway.faults.create.push(...Array.from({ length: 5 }, () => 'limited' as const));
    for (let round = 0; round < 5; round += 1) {
      await expect(house.advance([id])).rejects.toThrow('too many requests');
      house.pass(5 * minute);
    }
    await house.restart();
    await house.advance();
    expect(house.names()).toEqual(['billing.g1', 'billing.g2']);
  });
});

describe('a leaked key', () => {
  const other = async (house: EngineHouse): Promise<void> => {
    const key = house.gateway.add('search.g1');
    await house.advance([await house.start(key, {}, 'search')]);
  };

  it('takes along what not every sink ever held, since nobody knows which of them leaked', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    const two = fullSink('memory:two');
    house.state.sinks = [house.sink.sink, two.sink];
    await house.advance([await house.start(old)]);
    await house.desk().giveUp('billing', 'person anna');
    house.state.sinks = [house.sink.sink];
    expect(house.names()).toEqual(['billing.g1', 'billing.g2']);
    await house.advance([await house.start(old, leaked)]);
    expect(house.names()).toEqual(['billing.g3']);
  });

  it('is deleted by the next rotation, where that begins before it is gone', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    house.gateway.faults.remove.push('before', 'before', 'before');
    const [first] = await house.advance([await house.start(old, leaked)]);
    const second = first?.view.candidate?.keyId ?? 0;
    expect([first?.view.handedOver, house.names()]).toEqual([true, ['billing.g1', 'billing.g2']]);
    const [id = ''] = await house.desk().start(
      [
        {
          service: 'billing',
          why: 'leak',
          terms: { ...usualTerms, ...leaked },
          old: {
            keyId: second,
            generation: 2,
            name: 'billing.g2',
            remainQuota: money('0'),
            unlimitedQuota: true,
          },
        },
      ],
      'person anna',
    );
    house.gateway.faults.remove.length = 0;
    house.used('billing.g1');
    await house.advance([id]);
    expect(house.names()).toEqual(['billing.g3']);
  });

  it('waits for no other service whose create the gateway refused', async () => {
    await using house = await engineHouse();
    house.gateway.faults.create.push('forbidden');
    await other(house);
    const { moved } = await house.begun(leaked);
    expect(moved?.view.stage).toBe('done');
  });

  it('waits for no other service whose answer was lost longer than that takes to tell', async () => {
    await using house = await engineHouse();
    house.gateway.faults.create.push('after');
    await other(house);
    const { moved } = await house.begun(leaked);
    expect(moved?.view.stage).toBe('done');
    expect(house.names()).toEqual(['search.g1', 'search.g2', 'billing.g2']);
    house.pass(hour);
    await house.advance();
    expect(house.names()).toEqual(['search.g1', 'billing.g2', 'search.g3']);
  });

  it('waits for no other service whose key cannot be verified', async () => {
    await using house = await engineHouse();
    house.state.verify = async () => {
      throw fault('key-verify-unclear', 'no answer');
    };
    await other(house);
    house.state.verify = undefined;
    const { moved } = await house.begun({ ...usualTerms, ...leaked });
    expect(moved?.view.stage).toBe('done');
    expect(house.names()).toEqual(['search.g1', 'search.g2', 'billing.g2']);
    house.pass(hour);
    await house.advance();
    expect(house.names()).toEqual(['search.g1', 'billing.g2', 'search.g3']);
  });

  it('goes on by itself once the key of another service can be cleared away', async () => {
    await using house = await engineHouse();
    house.state.verify = async () => {
      throw fault('key-verify-unclear', 'no answer');
    };
    await other(house);
    house.state.verify = undefined;
    const old = house.gateway.add('billing.g1');
    const id = await house.start(old, { ...leaked, tries: 100 });
    house.gateway.faults.remove.push(...Array.from({ length: 300 }, () => 'before' as const));
    for (let round = 0; round < 36; round += 1) {
      await house.advance(round === 0 ? [id] : undefined);
      house.pass(5 * minute);
    }
    expect(house.gateway.keys.has(old)).toBe(true);
    house.gateway.faults.remove.length = 0;
    house.pass(6 * hour);
    await house.advance();
    expect(house.gateway.keys.has(old)).toBe(false);
  });
});
