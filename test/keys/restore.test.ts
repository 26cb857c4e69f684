import { describe, expect, it } from 'vitest';
import { fault, money, unixSeconds } from '../../src/base/index.ts';
import { defaultTemplate } from '../../src/keys/plan/key-names.ts';
import type { RotationTerms } from '../../src/keys/terms.ts';
import { engineHouse, hour, memorySink } from './engine-house.ts';
import type { EngineHouse } from './engine-house.ts';

const { signal } = new AbortController();
const who = 'person anna';

type Sinks = readonly ReturnType<typeof memorySink>[];

const outOfDate = 'no key of billing is written: its journal is out of date';

const titlesOf = (house: EngineHouse, title: string): readonly string[] =>
  house.news.filter((news) => news.title === title).map(({ key }) => key);

/** A service whose two sinks hold its first key, and a rotation of it; a backup is taken behind the step that is named. */
const withRotation = async (
  house: EngineHouse,
  step: string,
  terms: Partial<RotationTerms> = {},
): Promise<Sinks> => {
  const sinks = [memorySink('memory:one'), memorySink('memory:two')];
  const old = house.gateway.add('billing.g1');
  for (const { held } of sinks) held.value = house.gateway.plaintextOf(old);
  house.state.sinks = sinks.map(({ sink }) => sink);
  house.backUpBehind(`after record ${step}`);
  await house.start(old, terms);
  return sinks;
};

/** Half an hour passes each round; consumers call with what the sinks hold. */
const runOn = async (house: EngineHouse, sinks: Sinks, rounds = 8): Promise<void> => {
  for (let round = 0; round < rounds; round += 1) {
    for (const { held } of sinks) {
      const key = [...house.gateway.keys.values()].find(({ plaintext }) => plaintext === held.value);
      if (key !== undefined) house.used(key.name, 0);
    }
    house.pass(hour / 2);
    await house.advance();
  }
};

const deadIn = (house: EngineHouse, sinks: Sinks): readonly string[] =>
  sinks.flatMap(({ sink, held }) => (house.gateway.works(held.value ?? '') ? [] : [sink.place]));

/** The journal of behind `created`, though the rotation was done since. */
const restored = async (house: EngineHouse): Promise<Sinks> => {
  const sinks = await withRotation(house, 'created');
  await runOn(house, sinks);
  await house.putBack();
  await house.advance();
  return sinks;
};

describe('a journal that is put back from a backup', () => {
  it.each(['creating', 'created', 'verifying', 'verified'])(
    'never deletes a key that the sinks hold: the backup was taken behind %s',
    async (step) => {
      await using house = await engineHouse();
      const sinks = await withRotation(house, step);
      await runOn(house, sinks);
      expect(house.names()).toEqual(['billing.g2']);
      await house.putBack();
      await runOn(house, sinks);
      expect(house.gateway.deleted.map(({ name }) => name)).toEqual(['billing.g1']);
      expect(deadIn(house, sinks)).toEqual([]);
      // Nothing is made either: the service stops with the reason, which operators are told once.
      expect(house.names()).toEqual(['billing.g2']);
      expect(await house.desk().outdated()).toMatchObject([
        { service: 'billing', differences: [expect.stringContaining('memory:one'), expect.any(String)] },
      ]);
      expect(new Set(titlesOf(house, outOfDate)).size).toBe(1);
    },
  );

  it.each([
    'adopted+planned',
    'delivering',
    'delivered',
    'read-back',
    'current',
    'quiet',
    'retiring',
    'deleting',
  ])(
    'leaves every sink with a working key and deletes none in use: the backup was taken behind %s',
    async (step) => {
      await using house = await engineHouse();
      const sinks = await withRotation(house, step);
      await runOn(house, sinks);
      await house.putBack();
      await runOn(house, sinks);
      expect(deadIn(house, sinks)).toEqual([]);
      expect(house.gateway.deleted.map(({ name }) => name)).toEqual(['billing.g1']);
    },
  );
});

describe('a journal that is out of date', () => {
  it('stops every write to keys of its service, by a job and by hand', async () => {
    await using house = await engineHouse();
    await restored(house);
    const writes = { ...house.gateway.writes };
    const [current] = house.gateway.keys.values();
    const { id: keyId = 0, name = '' } = current ?? {};
    const key = { keyId, generation: 2, name, service: 'billing' };
    const [ended] = await house.desk().expire([{ ...key, action: { kind: 'delete' } }], who, signal);
    expect(ended).toMatchObject({
      done: false,
      said: expect.stringContaining('keys reconcile billing') as string,
    });
    await house.desk().giveUp('billing', who);
    expect(await house.start(keyId)).toBe('');
    expect(house.gateway.writes).toEqual(writes);
  });

  it('is shown by `reconcile`, which changes the journal alone when told to, and keys are written again', async () => {
    await using house = await engineHouse();
    const sinks = await restored(house);
    const [writes, held] = [{ ...house.gateway.writes }, sinks.map((one) => one.held.value)];
    const [shown] = await house.desk().reconcile({ apply: false }, who, signal);
    expect(shown).toMatchObject({ service: 'billing', applied: false });
    expect(shown?.differences).toHaveLength(2);
    expect(await house.desk().outdated()).toHaveLength(1);
    const [applied] = await house.desk().reconcile({ service: 'billing', apply: true }, who, signal);
    expect(applied?.changes).toEqual(shown?.changes);
    expect([await house.desk().outdated(), await house.desk().open()]).toEqual([[], []]);
    expect(house.gateway.writes).toEqual(writes);
    expect(sinks.map((one) => one.held.value)).toEqual(held);
    expect(await house.desk().reconcile({ apply: false }, who, signal)).toEqual([]);
    // The next rotation replaces what the sinks hold, and deletes it once it is unused.
    const [current] = house.gateway.keys.keys();
    await house.advance([await house.start(current ?? 0)]);
    await runOn(house, sinks);
    expect(house.names()).toEqual(['billing.g3']);
    expect(deadIn(house, sinks)).toEqual([]);
  });

  it('is up to date again by itself once the difference is gone', async () => {
    await using house = await engineHouse();
    const sinks = await withRotation(house, 'planned');
    await house.advance();
    const [mine] = sinks;
    const before = mine?.held.value;
    if (mine !== undefined) mine.held.value = 'sk-of-another-program';
    house.pass(hour / 4);
    await house.advance();
    expect(await house.desk().outdated()).toHaveLength(1);
    if (mine !== undefined) mine.held.value = before;
    await runOn(house, sinks);
    expect(await house.desk().outdated()).toEqual([]);
    expect(house.names()).toEqual(['billing.g2']);
  });

  it('is noticed by the job that adopts keys: a key above the highest generation is not adopted', async () => {
    await using house = await engineHouse();
    const adoptAll = async () =>
      house.desk().adoptAll((await house.desk().survey(signal)).keys, 'job rotate');
    house.gateway.add('billing.g1');
    house.gateway.add('search.g3');
    expect(await adoptAll()).toBe(2);
    const theirs = house.gateway.add('billing.g2');
    house.gateway.add('search.g2');
    expect(await adoptAll()).toBe(0);
    expect(await house.desk().outdated()).toMatchObject([
      { service: 'billing', differences: [expect.stringContaining(`billing.g2 (id ${theirs})`)] },
    ]);
    expect(titlesOf(house, outOfDate)).toHaveLength(1);
  });
});

describe('a lost answer to a create in a journal that is put back', () => {
  it('deletes neither the key that the sinks hold nor one in use', async () => {
    await using house = await engineHouse();
    house.gateway.faults.create.push('after');
    const sinks = await withRotation(house, 'create-lost');
    await runOn(house, sinks);
    expect(house.names()).toEqual(['billing.g3']);
    const deleted = house.gateway.deleted.length;
    await house.putBack();
    await runOn(house, sinks);
    expect(house.gateway.deleted).toHaveLength(deleted);
    expect(deadIn(house, sinks)).toEqual([]);
    expect(await house.desk().outdated()).toHaveLength(1);
  });
});

describe('a sink that cannot be read back', () => {
  it('keeps the orphan, which is listed and told; the rotation goes on with another key', async () => {
    await using house = await engineHouse();
    const webhook = memorySink('webhook:one');
    const { fingerprint: read, deliver } = webhook.sink;
    house.state.sinks = [
      {
        ...webhook.sink,
        deliver: async (...given) => {
          await deliver(...given);
          const reading = await read({ account: '', service: '', generation: 1, keyName: '' }, signal);
          return reading.state === 'holds' ? { fingerprint: reading.fingerprint } : {};
        },
        fingerprint: async () => ({ state: 'unreadable', why: 'it takes keys and shows none' }),
      },
    ];
    const old = house.gateway.add('billing.g1');
    webhook.held.value = house.gateway.plaintextOf(old);
    await house.start(old);
    house.backUpBehind('after record created');
    await runOn(house, [webhook], 2);
    expect(house.names()).toEqual(['billing.g1', 'billing.g2']);
    await house.putBack();
    await runOn(house, [webhook], 1);
    expect(house.names()).toEqual(['billing.g1', 'billing.g2', 'billing.g3']);
    await runOn(house, [webhook]);
    expect(house.names()).toEqual(['billing.g2', 'billing.g3']);
    expect(deadIn(house, [webhook])).toEqual([]);
    const { keys } = await house.desk().survey(signal);
    expect(keys.find(({ key }) => key.name === 'billing.g2')?.retained).toContain('the call log shows');
    expect(new Set(titlesOf(house, 'the key billing.g2 is kept: it may be in use')).size).toBe(1);
  });
});

describe('two Tollkeepers on one service', () => {
  it('stop each other before a sink ends with a dead key, whatever answers are lost', async () => {
    for (const losses of [[], ['after'], ['after', 'after'], [undefined, 'after']] as const) {
      await using first = await engineHouse();
      await using second = await engineHouse({ beside: first });
      const sinks = await withRotation(first, 'planned');
      second.state.sinks = first.state.sinks;
      const [old = 0] = first.gateway.keys.keys();
      await second.start(old);
      first.gateway.faults.create.push(...losses);
      for (let round = 0; round < 12; round += 1) {
        for (const house of [first, second]) {
          await house.advance();
          expect(deadIn(first, sinks)).toEqual([]);
        }
        for (const { held } of sinks) {
          const key = [...first.gateway.keys.values()].find(({ plaintext }) => plaintext === held.value);
          if (key !== undefined) for (const house of [first, second]) house.used(key.name, 0);
        }
        first.pass(hour / 2);
      }
      const stopped = [await first.desk().outdated(), await second.desk().outdated()].flat();
      expect(stopped.length).toBeGreaterThan(0);
    }
  });
});

describe('a key that a person makes', () => {
  it('under the name of a key whose answer was lost is not deleted, nor is ours, and operators are asked', async () => {
    await using house = await engineHouse();
    const sinks = await withRotation(house, 'planned');
    house.gateway.faults.create.push('after');
    await house.advance();
    const theirs = house.gateway.add('billing.g2', { group: 'default' });
    house.used('billing.g2', 0);
    await runOn(house, sinks);
    expect(house.gateway.keys.has(theirs)).toBe(true);
    expect(house.gateway.deleted.map(({ name }) => name)).not.toContain('billing.g2');
    const title = 'whose the key billing.g2 is cannot be told';
    expect(new Set(titlesOf(house, title)).size).toBe(1);
    expect(house.news.find((news) => news.title === title)?.words).toContain('2 keys are named billing.g2');
  });

  it.each([
    ['its quota', { unlimitedQuota: false, remainQuota: money('5') }],
    ['its group', { group: 'vip' }],
    ['its expiry', { expiredTime: unixSeconds(4_000_000_000) }],
    ['another time', { createdTime: unixSeconds(1_700_000_000) }],
  ])('is told from ours by what was asked for: %s', async (words, fields) => {
    await using house = await engineHouse();
    const sinks = await withRotation(house, 'planned');
    house.gateway.faults.create.push('before');
    await house.advance();
    const theirs = house.gateway.add('billing.g2', fields);
    await runOn(house, sinks);
    expect(house.gateway.keys.has(theirs)).toBe(true);
    expect(house.news.find(({ title }) => title.startsWith('whose the key'))?.words).toContain(words);
  });

  it('under the name of the next generation is neither adopted nor deleted when the service’s key leaks', async () => {
    await using house = await engineHouse();
    const adoptAll = async () =>
      house.desk().adoptAll((await house.desk().survey(signal)).keys, 'job rotate');
    const old = house.gateway.add('billing.g1');
    await adoptAll();
    const theirs = house.gateway.add('billing.g2');
    const leaked = { when: 'now' as const, quiet: hour, ending: 'delete' as const };
    expect(await house.start(theirs, { retire: leaked })).toBe('');
    expect(await house.start(old, { retire: leaked })).toBe('');
    expect(house.names()).toEqual(['billing.g1', 'billing.g2']);
    expect(house.journal().lineage('main').has(theirs)).toBe(false);
    expect(titlesOf(house, outOfDate)).not.toEqual([]);
    // Once the journal has taken it over, the rotation begins.
    await house.desk().reconcile({ apply: true }, who, signal);
    expect(await house.start(theirs, { retire: leaked })).not.toBe('');
  });

  it('beside ours with its random suffix is left alone, and ours is found and deleted', async () => {
    await using house = await engineHouse();
    const sinks = await withRotation(house, 'planned', { template: defaultTemplate });
    house.gateway.faults.create.push('after');
    await house.advance();
    expect(house.names()).toEqual(['billing.g1', 'billing.g2-a0a0']);
    const theirs = house.gateway.add('billing.g2');
    house.used('billing.g2', 0);
    await runOn(house, sinks);
    expect(house.names()).toEqual(['billing.g2', 'billing.g3-a0a0']);
    expect(house.gateway.keys.has(theirs)).toBe(true);
    expect(await house.desk().outdated()).toEqual([]);
  });
});

describe('an outage of a sink', () => {
  it('keeps an orphan no longer than it lasts', async () => {
    await using house = await engineHouse();
    const sinks = await withRotation(house, 'planned');
    const [one, two] = house.state.sinks;
    if (one === undefined || two === undefined) throw new RangeError('two sinks');
    house.gateway.faults.create.push('after');
    await house.advance();
    house.state.sinks = [
      one,
      {
        ...two,
        fingerprint: async () => {
          throw fault('sink-failed', '503');
        },
      },
    ];
    house.pass(hour);
    await house.advance();
    expect(house.names()).toContain('billing.g2');
    house.state.sinks = [one, two];
    await runOn(house, sinks);
    expect(house.names()).toEqual(['billing.g3']);
    expect(titlesOf(house, 'the key billing.g2 is kept: it may be in use')).toEqual([]);
  });
});
