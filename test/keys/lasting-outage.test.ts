import { describe, expect, it } from 'vitest';
import { fault, money, unixSeconds } from '../../src/core/index.ts';
import type { RotationTerms, Sink } from '../../src/keys/index.ts';
import {
  crash,
  engineFixture,
  fullSink,
  hour,
  memorySink,
  noVerdict,
  sealedSink,
  defaultTerms,
  type EngineFixture,
  begunFixture,
  dieAt,
} from './engine-fixture.ts';

const minute = 60_000;
const day = 24 * hour;
const limited = { unlimitedQuota: false, remainQuota: money('100') };
const timed = { retire: { when: 'after-overlap' as const, quiet: hour, ending: 'delete' as const } };
const leaked = { retire: { when: 'now' as const, quiet: hour, ending: 'delete' as const } };

const remains = (fixture: EngineFixture): Readonly<Record<string, string>> =>
  Object.fromEntries([...fixture.gateway.keys.values()].map(({ name, remainQuota }) => [name, remainQuota]));

const stages = async (fixture: EngineFixture) =>
  (await fixture.keyService().open()).map(({ stage }) => stage);

describe('an overlap', () => {
  it('starts when the consumer is notified, however long the process was down or the command failed', async () => {
    await using fixture = await engineFixture();
    fixture.state.reload = async () => {
      throw fault('sink-failed', 'no such program');
    };
    const { old, id } = await fixture.planned(timed);
    await dieAt(fixture, 'after record current', [id]);
    await fixture.later(3 * hour);
    expect(fixture.gateway.keys.get(old)?.expiredTime).toBe('never');
    fixture.state.reload = async () => undefined;
    await fixture.later(3 * hour);
    expect(fixture.gateway.keys.get(old)?.expiredTime).toBe((fixture.clock.now() + hour) / 1000);
    await fixture.later(2 * hour);
    expect(fixture.names()).toEqual(['billing.g2']);
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
    const { id } = await fixture.planned();
    await fixture.advance([id]).catch(() => undefined);
    await fixture.restart();
    await fixture.later(10 * minute);
    expect([settled, await stages(fixture)]).toEqual([[], ['delivering']]);
    isUp = true;
    await fixture.later(hour);
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
    await fixture.keyService().confirm('billing', fixture.fingerprint(), 'person anna');
    await fixture.advance();
    isUp = true;
    await fixture.later(hour);
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
    fixture.state.verify = noVerdict;
    await fixture.begun({ tries: 3 });
    expect(fixture.names()).toHaveLength(2);
    fixture.state.unfit = fault('sink-refused', 'the service does not fit');
    for (let round = 0; round < 100; round += 1) {
      await fixture.later(5 * minute);
    }
    expect(await stages(fixture)).toEqual(['waiting']);
    expect(fixture.table.rows.filter(({ what }) => what === 'failed')).toHaveLength(3);
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g2']);
    fixture.state.unfit = undefined;
    await fixture.later(hour);
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
      await fixture.later(day);
    }
    expect(reported()).toBe(3);
  });

  it('is reported again each week after its attempts are used up', async () => {
    await using fixture = await engineFixture();
    fixture.state.verify = noVerdict;
    // It rested for long before: weeks are counted from when it began to wait.
    const id = await fixture.start(fixture.gateway.add('billing.g1'), { tries: 1 });
    fixture.elapse(20 * day);
    await fixture.advance([id]);
    await fixture.advance();
    expect(fixture.alert).toHaveLength(1);
    for (let days = 1; days <= 8; days += 1) {
      await fixture.later(day);
    }
    expect([...new Set(fixture.alerted())]).toEqual(['step-failed last', 'paused']);
  });
});

describe('a clock difference', () => {
  it.each([
    ['of minutes leaves no orphan of a lost answer', 600, ['billing.g3']],
    ['of hours leaves one, and operators are notified', 7200, ['billing.g2', 'billing.g3']],
  ])('%s', async (_, behind, left) => {
    await using fixture = await engineFixture();
    fixture.gateway.faults.create.push('after');
    await fixture.begun();
    const lost = [...fixture.gateway.keys.values()].find(({ name }) => name === 'billing.g2');
    if (lost?.createdTime === undefined) throw new RangeError('no key was made');
    fixture.gateway.keys.set(lost.id, {
      ...lost,
      createdTime: (lost.createdTime - behind) as typeof lost.createdTime,
    });
    await fixture.later(5 * minute);
    await fixture.later(hour);
    expect(fixture.names()).toEqual(['billing.g1', ...left]);
    const isAsked = fixture.alerted().includes('orphan-retained billing.g2 unidentified');
    expect(isAsked).toBe(left.length > 1);
  });

  it('blocks no other service for a day', async () => {
    await using fixture = await engineFixture();
    fixture.gateway.faults.create.push('before');
    await fixture.begun();
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
    fixture.state.sinks = [fixture.sink.sink, memorySink('memory:two').sink];
    const { old, id } = await fixture.planned({}, limited);
    await dieAt(fixture, 'before deliver to memory:two', [id]);
    await fixture.advance();
    expect(remains(fixture)).toEqual({ 'billing.g1': '100', 'billing.g2': '100', 'billing.g3': '100' });
    expect(fixture.alert.find(({ kind }) => kind === 'exposure')?.about).toMatchObject({
      sum: '200',
      olds: [{ name: 'billing.g2' }, { name: 'billing.g1' }],
    });
    fixture.spendTo(old, '90');
    const superseded = [...fixture.gateway.keys.values()].find(({ name }) => name === 'billing.g2')?.id ?? 0;
    fixture.spendTo(superseded, '70');
    await fixture.later(2 * hour, 'billing.g3', minute);
    expect(remains(fixture)).toEqual({ 'billing.g3': '60' });
  });

  it('is settled again with a key that is used after the first settlement', async () => {
    const { fixture, old } = await begunFixture({}, limited);
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
    await fixture.later(2 * hour);
    expect(remains(fixture)).toEqual({ 'billing.g2': '30' });
  });

  it('that is split remains valid when somebody deletes the old key', async () => {
    await using fixture = await engineFixture();
    const { old, id } = await fixture.planned({ quota: { kind: 'split' } }, limited);
    fixture.state.at = (what) => {
      if (what === 'after record current') fixture.gateway.keys.delete(old);
    };
    await fixture.advance([id]);
    fixture.state.at = () => undefined;
    await fixture.later(10 * minute);
    expect([await stages(fixture), fixture.names()]).toEqual([[], ['billing.g2']]);
  });
});

describe('an emptied sink', () => {
  it.each([
    ['before the old key is retired', ''],
    ['while its deletion is put off', 'before record deleting'],
  ])('retains the old key: %s', async (_, where) => {
    const { fixture, old } = await begunFixture();
    fixture.elapse(2 * hour);
    fixture.used('billing.g2', minute);
    if (where !== '') await dieAt(fixture, where);
    fixture.sink.contents.value = undefined;
    const [moved] = await fixture.advance();
    expect(moved?.fault?.message).toContain('billing.g2: it is empty');
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
    const { fixture, old } = await begunFixture();
    fixture.elapse(2 * hour);
    fixture.used('billing.g2', minute);
    if (where !== '') await dieAt(fixture, where);
    expire(fixture, 'billing.g2');
    await fixture.advance();
    await fixture.later(day);
    expect(fixture.gateway.keys.has(old)).toBe(true);
    expect(fixture.alert).toMatchObject([
      {
        kind: 'held',
        about: {
          name: 'billing.g1',
          why: { reason: 'successor-dead', successor: 'billing.g2', state: 'expired' },
        },
      },
    ]);
  });

  it('is reported if the old key ends with the overlap, even after its usage was reported', async () => {
    const { fixture } = await begunFixture(timed);
    await fixture.later(40 * minute, 'billing.g1');
    expire(fixture, 'billing.g2');
    await fixture.later(5 * minute);
    await fixture.advance();
    expect(fixture.alerted()).toEqual(['held billing.g1 used timed', 'held billing.g1 successor-dead timed']);
  });
});

describe('a throttling gateway', () => {
  it('uses up no attempts', async () => {
    const { fixture, old } = await begunFixture();
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
  it.each<[string, Partial<RotationTerms>, Partial<typeof limited>]>([
    ['a quota that is settled once more', { retire: { ...defaultTerms.retire, ending: 'expire' } }, limited],
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
      await fixture.later(5 * minute * (1 + round), 'billing.g2', minute);
    }
    expect(await stages(fixture)).toEqual(['waiting']);
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g2']);
  });
});

describe('a used-up quota', () => {
  it('retains an old key with remaining quota, and is reported', async () => {
    const { fixture, old, moved } = await begunFixture({}, limited);
    fixture.spendTo(old, '30');
    fixture.spendTo(moved?.view.candidate?.keyId ?? 0, '50');
    await fixture.later(2 * hour, 'billing.g2', minute);
    expect(remains(fixture)).toEqual({ 'billing.g1': '30', 'billing.g2': '0' });
    expect(fixture.alerted()).toEqual([
      'exposure billing.g2',
      'quota-used-up billing.g2',
      'held billing.g1 successor-dead',
    ]);
  });
});

describe('a job that was removed from the config', () => {
  it('retains a key that its former sinks may hold, and operators are notified', async () => {
    await using fixture = await engineFixture();
    const { id } = await fixture.planned();
    await dieAt(fixture, 'after record created', [id]);
    fixture.state.declared = false;
    for (let round = 0; round < 3; round += 1) {
      await fixture.later(hour);
    }
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g2']);
    const asked = fixture.alert.filter(({ about }) => about.event === 'orphan-retained');
    expect(asked[0]?.about).toMatchObject({
      name: 'billing.g2',
      identified: true,
      reason: 'sinks-undeclared',
    });
    expect(new Set(asked.map(({ key }) => key)).size).toBe(1);
  });
});

describe('a service whose new key stopped working', () => {
  it('gets another key once an operator gives up the rotation', async () => {
    const { fixture, old } = await begunFixture();
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
    fixture.expire(keyId, { kind: 'expire', at: unixSeconds(at) });
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
    const { moved } = await fixture.begun({}, { expiredTime: unixSeconds(seconds(fixture) + 1800) });
    expect(moved?.fault?.message).toContain('a successor of billing.g1');
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
    const { id } = await fixture.planned();
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
    const two = fullSink('memory:two');
    fixture.state.sinks = [fixture.sink.sink, two.sink];
    const { old } = await fixture.begun();
    await fixture.keyService().giveUp('billing', 'person anna');
    fixture.state.sinks = [fixture.sink.sink];
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g2']);
    await fixture.advance([await fixture.start(old, leaked)]);
    expect(fixture.names()).toEqual(['billing.g3']);
  });

  it('is deleted by the next rotation, if that starts before it is deleted', async () => {
    await using fixture = await engineFixture();
    fixture.gateway.faults.remove.push('before', 'before', 'before');
    const { moved: first } = await fixture.begun(leaked);
    const second = first?.view.candidate?.keyId ?? 0;
    expect([first?.view.cutOver, fixture.names()]).toEqual([true, ['billing.g1', 'billing.g2']]);
    const id = await fixture.leak(second, leaked);
    fixture.gateway.faults.remove.length = 0;
    fixture.used('billing.g1');
    await fixture.advance([id]);
    expect(fixture.names()).toEqual(['billing.g3']);
  });

  it.each<[string, (fixture: EngineFixture) => void, readonly string[]]>([
    ['create request the gateway refused', ({ gateway }) => gateway.faults.create.push('forbidden'), []],
    ['answer was lost for long', ({ gateway }) => gateway.faults.create.push('after'), ['search.g2']],
    ['key cannot be verified', ({ state }) => (state.verify = noVerdict), ['search.g2']],
  ])('is not blocked by another service whose %s', async (_, harm, orphans) => {
    await using fixture = await engineFixture();
    harm(fixture);
    await other(fixture);
    fixture.state.verify = undefined;
    const { moved } = await fixture.begun(leaked);
    expect([moved?.view.stage, fixture.names()]).toEqual(['done', ['search.g1', ...orphans, 'billing.g2']]);
    if (orphans.length === 0) return;
    await fixture.later(hour);
    expect(fixture.names()).toEqual(['search.g1', 'billing.g2', 'search.g3']);
  });

  it('is replaced automatically once the key of another service can be deleted', async () => {
    await using fixture = await engineFixture();
    fixture.state.verify = noVerdict;
    await other(fixture);
    fixture.state.verify = undefined;
    const { old, id } = await fixture.planned({ ...leaked, tries: 100 });
    fixture.gateway.faults.remove.push(...Array.from({ length: 300 }, () => 'before' as const));
    for (let round = 0; round < 36; round += 1) {
      await fixture.advance(round === 0 ? [id] : undefined);
      fixture.elapse(5 * minute);
    }
    expect(fixture.gateway.keys.has(old)).toBe(true);
    fixture.gateway.faults.remove.length = 0;
    await fixture.later(6 * hour);
    expect(fixture.gateway.keys.has(old)).toBe(false);
  });
});
