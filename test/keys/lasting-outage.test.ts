import { describe, expect, it } from 'vitest';
import { fault, money, unixSeconds } from '../../src/core/index.ts';
import type { Sink } from '../../src/keys/model/sink.ts';
import {
  crash,
  engineFixture,
  fullSink,
  hour,
  memorySink,
  sealedSink,
  defaultTerms,
  type EngineFixture,
} from './engine-fixture.ts';

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
  it('starts when the consumer is notified: a process that was down for longer', async () => {
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

  it('starts when the consumer is notified: a command that failed for longer', async () => {
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

describe('an interrupted delivery', () => {
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

  it('is completed before the cutover, however many attempts it needs', async () => {
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

describe('a temporarily unreadable sink', () => {
  it('keeps its confirmation', async () => {
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
    expect([await stages(fixture), aged.contents.deliveries, shy.contents.deliveries]).toEqual([
      ['current'],
      1,
      1,
    ]);
  });
});

describe('a sink that cannot be created from its job', () => {
  it('fails its step and then pauses the rotation; the orphan is retained, since no sink can be read', async () => {
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

describe('a rotation that requires action', () => {
  it('is reported again each week', async () => {
    await using fixture = await engineFixture();
    fixture.state.sinks = [sealedSink().sink];
    await fixture.begun();
    const reported = (): number => new Set(fixture.alert.map(({ key }) => key)).size;
    expect(reported()).toBe(1);
    for (let days = 1; days <= 15; days += 1) {
      fixture.elapse(day);
      await fixture.advance();
    }
    expect(reported()).toBe(3);
  });

  it('is reported again each week after its attempts are used up', async () => {
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
      'the rotation of billing is paused: action required',
      'the rotation of billing is still paused: action required',
    ]);
  });
});

describe('a clock difference', () => {
  it.each([
    ['of minutes leaves no orphan of a lost answer', 600, ['billing.g3']],
    [
      'of hours leaves an orphan of a lost answer, and operators are notified',
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
    const isAsked = fixture.alert.some(({ title }) => title === 'the owner of the key billing.g2 is unknown');
    expect(isAsked).toBe(left.length > 1);
  });

  it('blocks no other service for a day', async () => {
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

describe('a carried-over quota', () => {
  it('is reduced by what a superseded key spent, and the correct sum is reported', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1', limited);
    const two = memorySink('memory:two');
    fixture.state.sinks = [fixture.sink.sink, two.sink];
    const id = await fixture.start(old);
    await dieAt(fixture, 'before deliver to memory:two', [id]);
    await fixture.advance();
    expect(remains(fixture)).toEqual({ 'billing.g1': '100', 'billing.g2': '100', 'billing.g3': '100' });
    const exposure = fixture.alert.find(({ kind }) => kind === 'exposure');
    expect(exposure?.title).toBe('billing can temporarily spend its quota 3 times');
    expect(exposure?.message).toContain('200 (in gateway units) can be spent');
    fixture.spendTo(old, '90');
    const superseded = [...fixture.gateway.keys.values()].find(({ name }) => name === 'billing.g2')?.id ?? 0;
    fixture.spendTo(superseded, '70');
    fixture.elapse(2 * hour);
    fixture.used('billing.g3', minute);
    await fixture.advance();
    expect(remains(fixture)).toEqual({ 'billing.g3': '60' });
  });

  it('is settled again with a key that is used after the first settlement', async () => {
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

  it('that is split remains valid when somebody deletes the old key', async () => {
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

describe('an emptied sink', () => {
  it.each([
    ['before the old key is retired', ''],
    ['while its deletion is put off', 'before record deleting'],
  ])('retains the old key: %s', async (_, where) => {
    await using fixture = await engineFixture();
    const { old } = await fixture.begun();
    fixture.elapse(2 * hour);
    fixture.used('billing.g2', minute);
    if (where !== '') await dieAt(fixture, where);
    fixture.sink.contents.value = undefined;
    const [moved] = await fixture.advance();
    expect(moved?.fault?.message).toContain('no longer holds billing.g2: it is empty');
    expect(fixture.gateway.keys.has(old)).toBe(true);
  });
});

describe('a successor that stopped working', () => {
  const expire = (fixture: EngineFixture, name: string): void => {
    for (const [id, key] of fixture.gateway.keys)
      if (key.name === name) fixture.gateway.keys.set(id, { ...key, expiredTime: unixSeconds(1) });
  };

  it.each([
    ['before the old key is retired', ''],
    ['while its deletion is put off', 'before record deleting'],
  ])('retains the old key and is reported: %s', async (_, where) => {
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

  it('is reported if the old key ends with the overlap, even after its usage was reported', async () => {
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
      'the old key billing.g1 is still in use and expires soon',
      'the old key billing.g1 expires soon, and its successor does not work',
    ]);
  });
});

describe('a throttling gateway', () => {
  it('uses up no attempts', async () => {
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

describe('the count of failed attempts', () => {
  it.each([
    [
      'a quota that is settled once more',
      { retire: { ...defaultTerms.retire, ending: 'expire' as const } },
      limited,
    ],
    ['a proof that is taken again', {}, {}],
  ])('is kept: %s', async (_, terms, fields) => {
    await using fixture = await engineFixture();
    fixture.sink.contents.value = 'sk-other';
    await fixture.begun(terms, fields);
    fixture.elapse(2 * hour);
    fixture.used('billing.g2', minute);
    // Somebody puts the old contents back each time.
    await dieAt(fixture, 'after record retiring');
    fixture.sink.contents.value = 'sk-other';
    for (let round = 0; round < 40; round += 1) {
      fixture.elapse(5 * minute * (1 + round));
      fixture.used('billing.g2', minute);
      await fixture.advance();
    }
    expect(await stages(fixture)).toEqual(['waiting']);
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g2']);
  });
});

describe('a used-up quota', () => {
  it('retains an old key with remaining quota, and is reported', async () => {
    await using fixture = await engineFixture();
    const { old, moved } = await fixture.begun({}, limited);
    fixture.spendTo(old, '30');
    fixture.spendTo(moved?.view.candidate?.keyId ?? 0, '50');
    fixture.elapse(2 * hour);
    fixture.used('billing.g2', minute);
    await fixture.advance();
    expect(remains(fixture)).toEqual({ 'billing.g1': '30', 'billing.g2': '0' });
    expect(fixture.alert.map(({ title }) => title)).toEqual([
      'billing can temporarily spend its quota twice',
      'billing.g2 has no quota left',
      'the old key billing.g1 is retained',
    ]);
  });
});

describe('a job that was removed from the config', () => {
  it('retains a key that its former sinks may hold, and operators are notified', async () => {
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
      ({ title }) => title === 'the key billing.g2 is retained: it may be in use',
    );
    expect(asked[0]?.message).toContain('no job declares the sinks');
    expect(new Set(asked.map(({ key }) => key)).size).toBe(1);
  });
});

describe('a service whose new key stopped working', () => {
  it('gets another key once an operator gives up the rotation', async () => {
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
    expect(fixture.gateway.works(fixture.sink.contents.value ?? '')).toBe(true);
  });
});

describe('a key that was ended manually', () => {
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

  it('passes on the lifetime that it was created with, not the expiry that was set later', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    await end(fixture, old, seconds(fixture) + 7200);
    await end(fixture, old, seconds(fixture));
    const id = await fixture.start(old, leaked);
    await fixture.advance([id]);
    expect(given(fixture, 'billing.g2')).toBe('never');
  });

  it('passes on an expiry that was extended', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1', { expiredTime: unixSeconds(seconds(fixture) + 1800) });
    await end(fixture, old, seconds(fixture) + 90 * 86_400);
    await fixture.advance([await fixture.start(old)]);
    expect(given(fixture, 'billing.g2')).toBe(seconds(fixture) + 90 * 86_400);
  });

  it('is active again when its expiry is extended', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    await end(fixture, old, seconds(fixture));
    expect((await fixture.keyService().survey(new AbortController().signal)).keys[0]?.retired).toBe(true);
    await end(fixture, old, seconds(fixture) + 86_400);
    expect(
      (await fixture.keyService().survey(new AbortController().signal)).keys[0]?.retired,
    ).toBeUndefined();
  });

  it('gets no successor that would expire within an hour: the rotation reports why', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1', { expiredTime: unixSeconds(seconds(fixture) + 1800) });
    const [moved] = await fixture.advance([await fixture.start(old)]);
    expect(moved?.fault?.message).toContain('a successor of billing.g1 would inherit its lifetime');
    expect(fixture.names()).toEqual(['billing.g1']);
  });
});

describe('a first key that could not be delivered', () => {
  it('has no old key in its messages', async () => {
    await using fixture = await engineFixture();
    fixture.state.sinks = [fullSink('memory:full').sink];
    const fresh = { remainQuota: money('0'), unlimitedQuota: true, expiredTime: 'never' as const, group: '' };
    const planned = { service: 'fresh', why: 'new' as const, terms: defaultTerms, fresh };
    await fixture.advance(await fixture.keyService().start([planned], 'person anna'));
    expect(fixture.alert[0]?.message).toContain('Fresh has no other key');
    expect(await fixture.keyService().giveUp('fresh', 'person anna')).toContain('fresh has no other key');
  });
});

describe('a refused create request', () => {
  it('uses up no generation, however often it is repeated', async () => {
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

describe('a compromised key', () => {
  const other = async (fixture: EngineFixture): Promise<void> => {
    const key = fixture.gateway.add('search.g1');
    await fixture.advance([await fixture.start(key, {}, 'search')]);
  };

  it('also ends keys that were not in every sink, since nobody knows which of them is compromised', async () => {
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

  it('is deleted by the next rotation, if that starts before it is deleted', async () => {
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

  it('is not blocked by another service whose create request the gateway refused', async () => {
    await using fixture = await engineFixture();
    fixture.gateway.faults.create.push('forbidden');
    await other(fixture);
    const { moved } = await fixture.begun(leaked);
    expect(moved?.view.stage).toBe('done');
  });

  it('is not blocked by another service whose answer was lost for longer than the settling time', async () => {
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

  it('is not blocked by another service whose key cannot be verified', async () => {
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

  it('is replaced automatically once the key of another service can be deleted', async () => {
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
