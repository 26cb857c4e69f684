import { describe, expect, it } from 'vitest';
import { money, unixSeconds } from '../../src/core/index.ts';
import { defaultTemplate, type RotationTerms } from '../../src/keys/index.ts';
import { engineFixture, hour, memorySink, type EngineFixture, webhookSink } from './engine-fixture.ts';

const { signal } = new AbortController();
const who = 'person anna';

type Sinks = readonly ReturnType<typeof memorySink>[];

/** The keys of the alerts of an event. */
const alertsOf = (fixture: EngineFixture, event: string): readonly string[] =>
  fixture.alert.filter(({ about }) => about.event === event).map(({ key }) => key);

/** A service whose two sinks hold its first key, and a rotation of it; a backup is taken behind the step that is named. */
const withRotation = async (
  fixture: EngineFixture,
  step: string,
  terms: Partial<RotationTerms> = {},
): Promise<Sinks> => {
  const sinks = [memorySink('memory:one'), memorySink('memory:two')];
  const old = fixture.gateway.add('billing.g1');
  for (const { contents } of sinks) contents.value = fixture.gateway.plaintextOf(old);
  fixture.state.sinks = sinks.map(({ sink }) => sink);
  fixture.backUpBehind(`after record ${step}`);
  await fixture.start(old, terms);
  return sinks;
};

/** Half an hour passes each round; consumers call with what the sinks hold. */
const runOn = async (fixture: EngineFixture, sinks: Sinks, rounds = 8): Promise<void> => {
  for (let round = 0; round < rounds; round += 1) {
    for (const { contents } of sinks) {
      const key = [...fixture.gateway.keys.values()].find(({ plaintext }) => plaintext === contents.value);
      if (key !== undefined) fixture.used(key.name, 0);
    }
    await fixture.later(hour / 2);
  }
};

const deadIn = (fixture: EngineFixture, sinks: Sinks): readonly string[] =>
  sinks.flatMap(({ sink, contents }) => (fixture.gateway.works(contents.value ?? '') ? [] : [sink.place]));

/** The journal of behind `created`, though the rotation was done since. */
const restored = async (fixture: EngineFixture): Promise<Sinks> => {
  const sinks = await withRotation(fixture, 'created');
  await runOn(fixture, sinks);
  await fixture.putBack();
  await fixture.advance();
  return sinks;
};

describe('an outdated journal', () => {
  it('never deletes a key that the sinks hold, and stops the service with the reason, of which operators are notified once', async () => {
    await using fixture = await engineFixture();
    const sinks = await restored(fixture);
    await runOn(fixture, sinks);
    expect(fixture.gateway.deleted.map(({ name }) => name)).toEqual(['billing.g1']);
    expect(deadIn(fixture, sinks)).toEqual([]);
    expect(fixture.names()).toEqual(['billing.g2']);
    expect(await fixture.keyService().outdated()).toMatchObject([
      { service: 'billing', differences: [expect.stringContaining('memory:one'), expect.any(String)] },
    ]);
    expect(new Set(alertsOf(fixture, 'outdated')).size).toBe(1);
  });

  it('stops every write to keys of its service, by a job or a command', async () => {
    await using fixture = await engineFixture();
    await restored(fixture);
    const writes = { ...fixture.gateway.writes };
    const [current] = fixture.gateway.keys.values();
    const { id: keyId = 0 } = current ?? {};
    const [ended] = await fixture.expire(keyId, { kind: 'delete' });
    expect(ended).toMatchObject({
      done: false,
      message: expect.stringContaining('keys reconcile billing') as string,
    });
    await fixture.keyService().giveUp('billing', who);
    expect(await fixture.start(keyId)).toBe('');
    expect(fixture.gateway.writes).toEqual(writes);
  });

  it('is shown by `reconcile`, which changes the journal only when asked, and key operations resume', async () => {
    await using fixture = await engineFixture();
    const sinks = await restored(fixture);
    const [writes, contents] = [{ ...fixture.gateway.writes }, sinks.map((one) => one.contents.value)];
    const [shown] = await fixture.keyService().reconcile({ apply: false }, who, signal);
    expect(shown).toMatchObject({ service: 'billing', applied: false });
    expect(shown?.differences).toHaveLength(2);
    expect(await fixture.keyService().outdated()).toHaveLength(1);
    const [applied] = await fixture.keyService().reconcile({ service: 'billing', apply: true }, who, signal);
    expect(applied?.changes).toEqual(shown?.changes);
    expect([await fixture.keyService().outdated(), await fixture.keyService().open()]).toEqual([[], []]);
    expect(fixture.gateway.writes).toEqual(writes);
    expect(sinks.map((one) => one.contents.value)).toEqual(contents);
    expect(await fixture.keyService().reconcile({ apply: false }, who, signal)).toEqual([]);
    // The next rotation replaces what the sinks hold, and deletes it once it is unused.
    const [current] = fixture.gateway.keys.keys();
    await fixture.advance([await fixture.start(current ?? 0)]);
    await runOn(fixture, sinks);
    expect(fixture.names()).toEqual(['billing.g3']);
    expect(deadIn(fixture, sinks)).toEqual([]);
  });

  it('recovers automatically once the difference is gone', async () => {
    await using fixture = await engineFixture();
    const sinks = await withRotation(fixture, 'planned');
    await fixture.advance();
    const [mine] = sinks;
    const before = mine?.contents.value;
    if (mine !== undefined) mine.contents.value = 'sk-of-another-program';
    await fixture.later(hour / 4);
    expect(await fixture.keyService().outdated()).toHaveLength(1);
    if (mine !== undefined) mine.contents.value = before;
    await runOn(fixture, sinks);
    expect(await fixture.keyService().outdated()).toEqual([]);
    expect(fixture.names()).toEqual(['billing.g2']);
  });

  it('is detected by the job that adopts keys: a key above the highest generation is not adopted', async () => {
    await using fixture = await engineFixture();
    const adoptAll = async () =>
      fixture.keyService().adoptAll((await fixture.keyService().survey(signal)).keys, 'job rotate');
    fixture.gateway.add('billing.g1');
    fixture.gateway.add('search.g3');
    expect(await adoptAll()).toBe(2);
    const theirs = fixture.gateway.add('billing.g2');
    fixture.gateway.add('search.g2');
    expect(await adoptAll()).toBe(0);
    expect(await fixture.keyService().outdated()).toMatchObject([
      { service: 'billing', differences: [expect.stringContaining(`billing.g2 (id ${theirs})`)] },
    ]);
    expect(alertsOf(fixture, 'outdated')).toHaveLength(1);
  });
});

describe('a sink that cannot be read back', () => {
  it('retains the orphan, which is listed and reported; the rotation continues with another key', async () => {
    await using fixture = await engineFixture();
    const webhook = webhookSink();
    fixture.state.sinks = [webhook.sink];
    const old = fixture.gateway.add('billing.g1');
    webhook.contents.value = fixture.gateway.plaintextOf(old);
    await fixture.start(old);
    fixture.backUpBehind('after record created');
    await runOn(fixture, [webhook], 2);
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g2']);
    await fixture.putBack();
    await runOn(fixture, [webhook], 1);
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g2', 'billing.g3']);
    await runOn(fixture, [webhook]);
    expect(fixture.names()).toEqual(['billing.g2', 'billing.g3']);
    expect(deadIn(fixture, [webhook])).toEqual([]);
    const { keys } = await fixture.keyService().survey(signal);
    expect(keys.find(({ key }) => key.name === 'billing.g2')?.retained).toContain('the call log shows');
    expect(new Set(alertsOf(fixture, 'orphan-retained')).size).toBe(1);
    expect(fixture.alerted()).toContain('orphan-retained billing.g2');
  });
});

describe('a key that a person created', () => {
  it('is not deleted under the name of a key whose answer was lost, nor is ours, and operators are notified', async () => {
    await using fixture = await engineFixture();
    const sinks = await withRotation(fixture, 'planned');
    fixture.gateway.faults.create.push('after');
    await fixture.advance();
    const theirs = fixture.gateway.add('billing.g2', { group: 'default' });
    fixture.used('billing.g2', 0);
    await runOn(fixture, sinks);
    expect(fixture.gateway.keys.has(theirs)).toBe(true);
    expect(fixture.gateway.deleted.map(({ name }) => name)).not.toContain('billing.g2');
    expect(new Set(alertsOf(fixture, 'orphan-retained')).size).toBe(1);
    expect(fixture.alert.find(({ about }) => about.event === 'orphan-retained')?.about).toMatchObject({
      name: 'billing.g2',
      identified: false,
      reason: 'ambiguous',
      facts: { ids: { length: 2 } },
    });
  });

  it.each([
    ['its quota', { unlimitedQuota: false, remainQuota: money('5') }],
    ['its group', { group: 'vip' }],
    ['its expiry', { expiredTime: unixSeconds(4_000_000_000) }],
    ['creation time', { createdTime: unixSeconds(1_700_000_000) }],
  ])('is distinguished from ours by the request: %s', async (text, fields) => {
    await using fixture = await engineFixture();
    const sinks = await withRotation(fixture, 'planned');
    fixture.gateway.faults.create.push('before');
    await fixture.advance();
    const theirs = fixture.gateway.add('billing.g2', fields);
    await runOn(fixture, sinks);
    expect(fixture.gateway.keys.has(theirs)).toBe(true);
    const alert = fixture.alert.find(({ about }) => about.event === 'orphan-retained');
    expect(alert?.about).toMatchObject({ identified: false, reason: 'not-ours' });
    expect(alert?.message).toContain(text);
  });

  it('is neither adopted nor deleted under the name of the next generation when the service’s key is compromised', async () => {
    await using fixture = await engineFixture();
    const adoptAll = async () =>
      fixture.keyService().adoptAll((await fixture.keyService().survey(signal)).keys, 'job rotate');
    const old = fixture.gateway.add('billing.g1');
    await adoptAll();
    const theirs = fixture.gateway.add('billing.g2');
    const leaked = { when: 'now' as const, quiet: hour, ending: 'delete' as const };
    expect(await fixture.start(theirs, { retire: leaked })).toBe('');
    expect(await fixture.start(old, { retire: leaked })).toBe('');
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g2']);
    expect(fixture.journal().state('main').lineage.has(theirs)).toBe(false);
    expect(alertsOf(fixture, 'outdated')).not.toEqual([]);
    // Once the journal has taken it over, the rotation begins.
    await fixture.keyService().reconcile({ apply: true }, who, signal);
    expect(await fixture.start(theirs, { retire: leaked })).not.toBe('');
  });

  it('is left alone beside ours with its random suffix, and ours is found and deleted', async () => {
    await using fixture = await engineFixture();
    const sinks = await withRotation(fixture, 'planned', { template: defaultTemplate });
    fixture.gateway.faults.create.push('after');
    await fixture.advance();
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g2-a0a0']);
    const theirs = fixture.gateway.add('billing.g2');
    fixture.used('billing.g2', 0);
    await runOn(fixture, sinks);
    expect(fixture.names()).toEqual(['billing.g2', 'billing.g3-a0a0']);
    expect(fixture.gateway.keys.has(theirs)).toBe(true);
    expect(await fixture.keyService().outdated()).toEqual([]);
  });
});
