import { describe, expect, it } from 'vitest';
import { fault, money, unixSeconds } from '../../src/core/index.ts';
import type { Sink } from '../../src/keys/sink.ts';
import {
  crash,
  engineFixture,
  fullSink,
  hour,
  memorySink,
  sealedSink,
  defaultTerms,
} from './engine-fixture.ts';
import type { EngineFixture } from './engine-fixture.ts';

const minute = 60_000;
const day = 24 * hour;
const limited = { unlimitedQuota: false, remainQuota: money('100') };
const timed = { retire: { when: 'after-overlap' as const, quiet: hour, ending: 'delete' as const } };
const leaked = { retire: { when: 'now' as const, quiet: hour, ending: 'delete' as const } };

/** The process dies there and is started again. */
const dieAt = async (fixture: EngineFixture, where: string, ids?: readonly string[]): Promise<void> => {
  let isDead = false;
  fixture.state.at = (what) => {
    isDead ||= what === where;
    if (isDead) throw crash;
  };
  await expect(fixture.advance(ids)).rejects.toBe(crash);
  fixture.state.at = () => undefined;
  await fixture.restart();
};

const remains = (fixture: EngineFixture): Readonly<Record<string, string>> =>
  Object.fromEntries([...fixture.gateway.keys.values()].map(({ name, remainQuota }) => [name, remainQuota]));

const stages = async (fixture: EngineFixture) =>
  (await fixture.keyService().open()).map(({ stage }) => stage);

describe('an overlap', () => {
  it('is counted from when the consumer was told: a process that was dead for longer', async () => {
    await using fixture = await engineFixture();
    fixture.state.reload = async () => undefined;
    const old = fixture.gateway.add('billing.g1');
    const id = await fixture.start(old, timed);
    await dieAt(fixture, 'after record current', [id]);
    fixture.elapse(3 * hour);
    await fixture.advance();
    expect(fixture.gateway.keys.get(old)?.expiredTime).toBe((fixture.clock.now() + hour) / 1000);
    fixture.elapse(2 * hour);
    await fixture.advance();
    expect(fixture.names()).toEqual(['billing.g2']);
  });

  it('is counted from when the consumer was told: a command that failed for longer', async () => {
    await using fixture = await engineFixture();
    fixture.state.reload = async () => {
      throw fault('sink-failed', 'no such program');
    };
    const { old } = await fixture.begun(timed);
    fixture.elapse(3 * hour);
    fixture.state.reload = async () => undefined;
    await fixture.advance();
    expect(fixture.gateway.keys.get(old)?.expiredTime).toBe((fixture.clock.now() + hour) / 1000);
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

  it('is seen through before the cutover, as often as that takes', async () => {
    await using fixture = await engineFixture();
    const settled: string[] = [];
    let isUp = false;
    const two = cutOff(async (fingerprint) => {
      if (!isUp) throw fault('sink-failed', 'no rollout now');
      settled.push(fingerprint);
    });
    fixture.state.sinks = [two.sink];
    const old = fixture.gateway.add('billing.g1');
    const id = await fixture.start(old);
    await fixture.advance([id]).catch(() => undefined);
    await fixture.restart();
    fixture.elapse(10 * minute);
    await fixture.advance();
    expect([settled, await stages(fixture)]).toEqual([[], ['delivering']]);
    isUp = true;
    fixture.elapse(hour);
    await fixture.advance();
    expect([settled.length, await stages(fixture)]).toEqual([1, ['current']]);
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g2']);
  });
});

describe('a place that cannot be read for a moment', () => {
  it('costs nobody their word: what a person confirmed stays confirmed', async () => {
    await using fixture = await engineFixture();
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
    fixture.state.sinks = [aged.sink, two];
    await fixture.begun();
    const created = fixture.table.rows.find(({ what }) => what === 'created');
    const { fingerprint } = JSON.parse(created?.event ?? '') as { fingerprint: string };
    await fixture.keyService().confirm('billing', fingerprint, 'person anna');
    await fixture.advance();
    isUp = true;
    fixture.elapse(hour);
    await fixture.advance();
    expect([await stages(fixture), aged.held.deliveries, shy.held.deliveries]).toEqual([['current'], 1, 1]);
  });
});

describe('a sink that cannot be made out of its job', () => {
  it('is tried as often as any step, and waits for a person then; its orphan is kept, since no sink can be read', async () => {
    await using fixture = await engineFixture();
    fixture.state.verify = async () => {
      throw fault('key-verify-unclear', 'no answer');
    };
    await fixture.begun({ tries: 3 });
    expect(fixture.names()).toHaveLength(2);
    fixture.state.unfit = fault('sink-refused', 'the service does not fit');
    for (let round = 0; round < 100; round += 1) {
      fixture.elapse(5 * minute);
      await fixture.advance();
    }
    expect(await stages(fixture)).toEqual(['waiting']);
    expect(fixture.table.rows.filter(({ what }) => what === 'failed')).toHaveLength(3);
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g2']);
    fixture.state.unfit = undefined;
    fixture.elapse(hour);
    await fixture.advance();
    expect(fixture.names()).toEqual(['billing.g1']);
  });
});

describe('what waits for a person', () => {
  it('is told again each week', async () => {
    await using fixture = await engineFixture();
    fixture.state.sinks = [sealedSink().sink];
    await fixture.begun();
    const told = (): number => new Set(fixture.alert.map(({ key }) => key)).size;
    expect(told()).toBe(1);
    for (let days = 1; days <= 15; days += 1) {
      fixture.elapse(day);
      await fixture.advance();
    }
    expect(told()).toBe(3);
  });

  it('is told again each week where its tries are used up', async () => {
    await using fixture = await engineFixture();
    fixture.state.verify = async () => {
      throw fault('key-verify-unclear', 'no answer');
    };
    // It rested for long before: weeks are counted from when it began to wait.
    const id = await fixture.start(fixture.gateway.add('billing.g1'), { tries: 1 });
    fixture.elapse(20 * day);
    await fixture.advance([id]);
    await fixture.advance();
    expect(fixture.alert).toHaveLength(1);
    for (let days = 1; days <= 8; days += 1) {
      fixture.elapse(day);
      await fixture.advance();
    }
    expect([...new Set(fixture.alert.map(({ title }) => title))]).toEqual([
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
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    fixture.gateway.faults.create.push('after');
    const id = await fixture.start(old);
    await fixture.advance([id]);
    const lost = [...fixture.gateway.keys.values()].find(({ name }) => name === 'billing.g2');
    if (lost?.createdTime === undefined) throw new RangeError('no key was made');
    fixture.gateway.keys.set(lost.id, {
      ...lost,
      createdTime: (lost.createdTime - behind) as typeof lost.createdTime,
    });
    fixture.elapse(5 * minute);
    await fixture.advance();
    fixture.elapse(hour);
    await fixture.advance();
    expect(fixture.names()).toEqual(['billing.g1', ...left]);
    const isAsked = fixture.alert.some(({ title }) => title === 'whose the key billing.g2 is cannot be told');
    expect(isAsked).toBe(left.length > 1);
  });

  it('keep no other service waiting for a day that will not come', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    fixture.gateway.faults.create.push('before');
    const id = await fixture.start(old);
    await fixture.advance([id]);
    fixture.elapse(-day);
    const other = fixture.gateway.add('search.g1');
    await fixture.start(other, {}, 'search');
    await fixture.advance();
    expect(fixture.names()).toContain('search.g2');
  });
});

describe('a quota that is carried', () => {
  it('is lowered by what a superseded key spent, and the true sum is told', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1', limited);
    const two = memorySink('memory:two');
    fixture.state.sinks = [fixture.sink.sink, two.sink];
    const id = await fixture.start(old);
    await dieAt(fixture, 'before deliver to memory:two', [id]);
    await fixture.advance();
    expect(remains(fixture)).toEqual({ 'billing.g1': '100', 'billing.g2': '100', 'billing.g3': '100' });
    const exposure = fixture.alert.find(({ kind }) => kind === 'exposure');
    expect(exposure?.title).toBe('billing can spend its quota 3 times for a while');
    expect(exposure?.message).toContain('200 may be spent');
    fixture.spendTo(old, '90');
    const superseded = [...fixture.gateway.keys.values()].find(({ name }) => name === 'billing.g2')?.id ?? 0;
    fixture.spendTo(superseded, '70');
    fixture.elapse(2 * hour);
    fixture.used('billing.g3', minute);
    await fixture.advance();
    expect(remains(fixture)).toEqual({ 'billing.g3': '60' });
  });

  it('is settled once more with a key that is used again after it was', async () => {
    await using fixture = await engineFixture();
    const { old } = await fixture.begun({}, limited);
    fixture.spendTo(old, '90');
    fixture.elapse(2 * hour);
    fixture.used('billing.g2', minute);
    fixture.gateway.faults.remove.push('before');
    await fixture.advance();
    expect(remains(fixture)).toEqual({ 'billing.g1': '90', 'billing.g2': '90' });
    fixture.elapse(3 * hour);
    fixture.used('billing.g1', minute);
    fixture.spendTo(old, '30');
    await fixture.advance();
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g2']);
    fixture.elapse(2 * hour);
    await fixture.advance();
    expect(remains(fixture)).toEqual({ 'billing.g2': '30' });
  });

  it('and one that is split goes on where somebody took the old key away', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1', limited);
    const id = await fixture.start(old, { quota: { kind: 'split' } });
    fixture.state.at = (what) => {
      if (what === 'after record current') fixture.gateway.keys.delete(old);
    };
    await fixture.advance([id]);
    fixture.state.at = () => undefined;
    fixture.elapse(10 * minute);
    await fixture.advance();
    expect([await stages(fixture), fixture.names()]).toEqual([[], ['billing.g2']]);
  });
});

describe('a sink that is emptied', () => {
  it.each([
    ['before the old key is retired', ''],
    ['while its deletion is put off', 'before record deleting'],
  ])('keeps the old key: %s', async (_, where) => {
    await using fixture = await engineFixture();
    const { old } = await fixture.begun();
    fixture.elapse(2 * hour);
    fixture.used('billing.g2', minute);
    if (where !== '') await dieAt(fixture, where);
    fixture.sink.held.value = undefined;
    const [moved] = await fixture.advance();
    expect(moved?.fault?.message).toContain('no longer holds billing.g2, and is empty');
    expect(fixture.gateway.keys.has(old)).toBe(true);
  });
});

describe('a successor that does not work any more', () => {
  const expire = (fixture: EngineFixture, name: string): void => {
    for (const [id, key] of fixture.gateway.keys)
      if (key.name === name) fixture.gateway.keys.set(id, { ...key, expiredTime: unixSeconds(1) });
  };

  it.each([
    ['before the old key is retired', ''],
    ['while its deletion is put off', 'before record deleting'],
  ])('keeps the old key, and is told: %s', async (_, where) => {
    await using fixture = await engineFixture();
    const { old } = await fixture.begun();
    fixture.elapse(2 * hour);
    fixture.used('billing.g2', minute);
    if (where !== '') await dieAt(fixture, where);
    expire(fixture, 'billing.g2');
    await fixture.advance();
    fixture.elapse(day);
    await fixture.advance();
    expect(fixture.gateway.keys.has(old)).toBe(true);
    expect(fixture.alert.map(({ kind, message }) => [kind, message])).toEqual([
      ['held', expect.stringContaining('billing.g2, which every sink holds, is expired')],
    ]);
  });

  it('is told where the old key ends with the overlap, also after it was told that it is used', async () => {
    await using fixture = await engineFixture();
    await fixture.begun(timed);
    fixture.elapse(40 * minute);
    fixture.used('billing.g1');
    await fixture.advance();
    expire(fixture, 'billing.g2');
    fixture.elapse(5 * minute);
    await fixture.advance();
    await fixture.advance();
    expect(fixture.alert.map(({ title }) => title)).toEqual([
      'the old key billing.g1 is still used and ends soon',
      'the old key billing.g1 ends soon, and its successor does not work',
    ]);
  });
});

describe('a gateway that is asked too often', () => {
  it('uses no tries up', async () => {
    await using fixture = await engineFixture();
    const { old } = await fixture.begun();
    fixture.elapse(2 * hour);
    fixture.used('billing.g2', minute);
    fixture.gateway.faults.remove.push(...Array.from({ length: 8 }, () => 'limited' as const));
    for (let round = 0; round < 8; round += 1) {
      await expect(fixture.advance()).rejects.toThrow('too many requests');
      fixture.elapse(5 * minute);
    }
    fixture.used('billing.g2', minute);
    await fixture.advance();
    expect(fixture.gateway.keys.has(old)).toBe(false);
    expect(fixture.alert).toEqual([]);
  });
});

describe('tries that are used up', () => {
  it.each([
    [
      'a quota that is settled once more',
      { retire: { ...defaultTerms.retire, ending: 'expire' as const } },
      limited,
    ],
    ['a proof that is taken again', {}, {}],
  ])('stay so: %s', async (_, terms, fields) => {
    await using fixture = await engineFixture();
    fixture.sink.held.value = 'sk-other';
    await fixture.begun(terms, fields);
    fixture.elapse(2 * hour);
    fixture.used('billing.g2', minute);
    // Somebody puts the old contents back each time.
    await dieAt(fixture, 'after record retiring');
    fixture.sink.held.value = 'sk-other';
    for (let round = 0; round < 40; round += 1) {
      fixture.elapse(5 * minute * (1 + round));
      fixture.used('billing.g2', minute);
      await fixture.advance();
    }
    expect(await stages(fixture)).toEqual(['waiting']);
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g2']);
  });
});

describe('a quota that is used up', () => {
  it('keeps the old key that has some left, and is told', async () => {
    await using fixture = await engineFixture();
    const { old, moved } = await fixture.begun({}, limited);
    fixture.spendTo(old, '30');
    fixture.spendTo(moved?.view.candidate?.keyId ?? 0, '50');
    fixture.elapse(2 * hour);
    fixture.used('billing.g2', minute);
    await fixture.advance();
    expect(remains(fixture)).toEqual({ 'billing.g1': '30', 'billing.g2': '0' });
    expect(fixture.alert.map(({ title }) => title)).toEqual([
      'billing can spend its quota twice for a while',
      'billing.g2 has nothing left to spend',
      'the old key billing.g1 is kept for now',
    ]);
  });
});

describe('a job that is gone from the config', () => {
  it('keeps a key that the sinks it no longer declares may hold, and operators are asked', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    const id = await fixture.start(old);
    await dieAt(fixture, 'after record created', [id]);
    fixture.state.declared = false;
    for (let round = 0; round < 3; round += 1) {
      fixture.elapse(hour);
      await fixture.advance();
    }
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g2']);
    const asked = fixture.alert.filter(
      ({ title }) => title === 'the key billing.g2 is kept: it may be in use',
    );
    expect(asked[0]?.message).toContain('no job declares the sinks');
    expect(new Set(asked.map(({ key }) => key)).size).toBe(1);
  });
});

describe('a service whose new key does not work any more', () => {
  it('is given another once a person gives the rotation up', async () => {
    await using fixture = await engineFixture();
    const { old } = await fixture.begun();
    await expect(fixture.keyService().giveUp('billing', 'person anna')).rejects.toThrow('nothing to give up');
    const current = [...fixture.gateway.keys.values()].find(({ name }) => name === 'billing.g2');
    if (current === undefined) throw new RangeError('no key was made');
    fixture.gateway.keys.set(current.id, { ...current, status: 2 });
    expect(await fixture.keyService().giveUp('billing', 'person anna')).toContain(
      '`tollkeeper keys rotate billing`',
    );
    await fixture.advance([await fixture.start(old)]);
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g2', 'billing.g3']);
    expect(fixture.gateway.works(fixture.sink.held.value ?? '')).toBe(true);
  });
});

describe('a key that was ended by hand', () => {
  const end = (fixture: EngineFixture, keyId: number, at: number) =>
    fixture.keyService().expire(
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
  const seconds = (fixture: EngineFixture): number => Math.floor(fixture.clock.now() / 1000);
  const given = (fixture: EngineFixture, name: string) =>
    [...fixture.gateway.keys.values()].find((key) => key.name === name)?.expiredTime;

  it('hands on the life that others gave it, not the end that was set', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    await end(fixture, old, seconds(fixture) + 7200);
    await end(fixture, old, seconds(fixture));
    const id = await fixture.start(old, leaked);
    await fixture.advance([id]);
    expect(given(fixture, 'billing.g2')).toBe('never');
  });

  it('hands on an end that was put off', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1', { expiredTime: unixSeconds(seconds(fixture) + 1800) });
    await end(fixture, old, seconds(fixture) + 90 * 86_400);
    await fixture.advance([await fixture.start(old)]);
    expect(given(fixture, 'billing.g2')).toBe(seconds(fixture) + 90 * 86_400);
  });

  it('is in its line again where it is given a later expiry', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    await end(fixture, old, seconds(fixture));
    expect((await fixture.keyService().survey(new AbortController().signal)).keys[0]?.retired).toBe(true);
    await end(fixture, old, seconds(fixture) + 86_400);
    expect(
      (await fixture.keyService().survey(new AbortController().signal)).keys[0]?.retired,
    ).toBeUndefined();
  });

  it('has no successor that would die in an hour: the rotation says why', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1', { expiredTime: unixSeconds(seconds(fixture) + 1800) });
    const [moved] = await fixture.advance([await fixture.start(old)]);
    expect(moved?.fault?.message).toContain('a successor of billing.g1 would live until');
    expect(fixture.names()).toEqual(['billing.g1']);
  });
});

describe('a first key that could not be delivered', () => {
  it('has no old key to speak of', async () => {
    await using fixture = await engineFixture();
    fixture.state.sinks = [fullSink('memory:full').sink];
    const fresh = { remainQuota: money('0'), unlimitedQuota: true, expiredTime: 'never' as const, group: '' };
    const planned = { service: 'fresh', why: 'new' as const, terms: defaultTerms, fresh };
    await fixture.advance(await fixture.keyService().start([planned], 'person anna'));
    expect(fixture.alert[0]?.message).toContain('Fresh has no other key');
    expect(await fixture.keyService().giveUp('fresh', 'person anna')).toContain('fresh has no other key');
  });
});

describe('a create that is refused', () => {
  it('uses no generation up, however often', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    const id = await fixture.start(old);
    fixture.gateway.faults.create.push(...Array.from({ length: 5 }, () => 'limited' as const));
    for (let round = 0; round < 5; round += 1) {
      await expect(fixture.advance([id])).rejects.toThrow('too many requests');
      fixture.elapse(5 * minute);
    }
    await fixture.restart();
    await fixture.advance();
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g2']);
  });
});

describe('a leaked key', () => {
  const other = async (fixture: EngineFixture): Promise<void> => {
    const key = fixture.gateway.add('search.g1');
    await fixture.advance([await fixture.start(key, {}, 'search')]);
  };

  it('takes along what not every sink ever held, since nobody knows which of them leaked', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    const two = fullSink('memory:two');
    fixture.state.sinks = [fixture.sink.sink, two.sink];
    await fixture.advance([await fixture.start(old)]);
    await fixture.keyService().giveUp('billing', 'person anna');
    fixture.state.sinks = [fixture.sink.sink];
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g2']);
    await fixture.advance([await fixture.start(old, leaked)]);
    expect(fixture.names()).toEqual(['billing.g3']);
  });

  it('is deleted by the next rotation, where that begins before it is gone', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    fixture.gateway.faults.remove.push('before', 'before', 'before');
    const [first] = await fixture.advance([await fixture.start(old, leaked)]);
    const second = first?.view.candidate?.keyId ?? 0;
    expect([first?.view.cutOver, fixture.names()]).toEqual([true, ['billing.g1', 'billing.g2']]);
    const [id = ''] = await fixture.keyService().start(
      [
        {
          service: 'billing',
          why: 'leak',
          terms: { ...defaultTerms, ...leaked },
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
    fixture.gateway.faults.remove.length = 0;
    fixture.used('billing.g1');
    await fixture.advance([id]);
    expect(fixture.names()).toEqual(['billing.g3']);
  });

  it('waits for no other service whose create the gateway refused', async () => {
    await using fixture = await engineFixture();
    fixture.gateway.faults.create.push('forbidden');
    await other(fixture);
    const { moved } = await fixture.begun(leaked);
    expect(moved?.view.stage).toBe('done');
  });

  it('waits for no other service whose answer was lost longer than that takes to tell', async () => {
    await using fixture = await engineFixture();
    fixture.gateway.faults.create.push('after');
    await other(fixture);
    const { moved } = await fixture.begun(leaked);
    expect(moved?.view.stage).toBe('done');
    expect(fixture.names()).toEqual(['search.g1', 'search.g2', 'billing.g2']);
    fixture.elapse(hour);
    await fixture.advance();
    expect(fixture.names()).toEqual(['search.g1', 'billing.g2', 'search.g3']);
  });

  it('waits for no other service whose key cannot be verified', async () => {
    await using fixture = await engineFixture();
    fixture.state.verify = async () => {
      throw fault('key-verify-unclear', 'no answer');
    };
    await other(fixture);
    fixture.state.verify = undefined;
    const { moved } = await fixture.begun({ ...defaultTerms, ...leaked });
    expect(moved?.view.stage).toBe('done');
    expect(fixture.names()).toEqual(['search.g1', 'search.g2', 'billing.g2']);
    fixture.elapse(hour);
    await fixture.advance();
    expect(fixture.names()).toEqual(['search.g1', 'billing.g2', 'search.g3']);
  });

  it('goes on by itself once the key of another service can be cleared away', async () => {
    await using fixture = await engineFixture();
    fixture.state.verify = async () => {
      throw fault('key-verify-unclear', 'no answer');
    };
    await other(fixture);
    fixture.state.verify = undefined;
    const old = fixture.gateway.add('billing.g1');
    const id = await fixture.start(old, { ...leaked, tries: 100 });
    fixture.gateway.faults.remove.push(...Array.from({ length: 300 }, () => 'before' as const));
    for (let round = 0; round < 36; round += 1) {
      await fixture.advance(round === 0 ? [id] : undefined);
      fixture.elapse(5 * minute);
    }
    expect(fixture.gateway.keys.has(old)).toBe(true);
    fixture.gateway.faults.remove.length = 0;
    fixture.elapse(6 * hour);
    await fixture.advance();
    expect(fixture.gateway.keys.has(old)).toBe(false);
  });
});
