import { describe, expect, it } from 'vitest';
import { fault, money } from '../../src/core/index.ts';
import {
  defaultTerms,
  engineFixture,
  fullSink,
  hour,
  memorySink,
  noVerdict,
  sealedSink,
  begunFixture,
} from './engine-fixture.ts';

describe('a rotation', () => {
  it('creates, verifies, delivers and reads back a key, waits until the old key is idle and deletes it', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    fixture.sink.contents.value = fixture.gateway.plaintextOf(old);
    const id = await fixture.start(old);
    const [first] = await fixture.advance([id]);
    expect(first?.view).toMatchObject({ stage: 'current', candidate: { name: 'billing.g2' } });
    expect(fixture.sink.contents.value).toBe(fixture.gateway.plaintextOf(first?.view.candidate?.keyId ?? 0));
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g2']);
    const [second] = await fixture.later(hour + 1000, 'billing.g2', hour / 2);
    expect(second?.view.stage).toBe('done');
    expect(fixture.names()).toEqual(['billing.g2']);
    const making = ['adopted', 'planned', 'observed', 'creating', 'created', 'verifying', 'verified'];
    const delivering = ['delivering', 'delivered', 'read-back', 'current'];
    const ending = ['quiet', 'retiring', 'deleting', 'deleted', 'done'];
    expect(fixture.table.rows.map(({ what }) => what)).toEqual([...making, ...delivering, ...ending]);
    expect(fixture.alert).toEqual([]);
  });

  it('retains an old key that is in use, notifies once, and escalates after max_overlap', async () => {
    const { fixture, old } = await begunFixture({
      retire: { when: 'unused', quiet: hour, ending: 'delete', maxOverlap: 10 * hour },
    });
    const escalated: unknown[] = [];
    for (let hours = 0; hours < 12; hours += 1) {
      fixture.elapse(hour);
      for (const name of ['billing.g1', 'billing.g2']) fixture.used(name, 60_000);
      await fixture.advance();
      escalated.push((await fixture.keyService().open())[0]?.escalated);
    }
    expect(fixture.gateway.keys.has(old)).toBe(true);
    expect(fixture.alert.map(({ kind }) => kind)).toEqual(['held', 'escalated']);
    expect([escalated[2], escalated.at(-1)]).toEqual([undefined, true]);
    await fixture.later(2 * hour, 'billing.g2', 60_000);
    expect(fixture.gateway.keys.has(old)).toBe(false);
  });

  it('finds a key whose answer was lost, deletes it, and creates another one under a new name (G3.5)', async () => {
    await using fixture = await engineFixture();
    fixture.gateway.faults.create.push('after');
    const { moved: lost } = await fixture.begun();
    expect(lost?.fault?.code).toBe('gateway-connection-lost');
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g2']);
    expect(fixture.alert.map(({ kind }) => kind)).toEqual(['failed']);
    const [next] = await fixture.later(hour);
    expect(next?.view).toMatchObject({ stage: 'current', candidate: { name: 'billing.g3' } });
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g3']);
  });

  it('creates no further key while a list may still lack the one whose answer was lost', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    fixture.gateway.faults.create.push('after');
    fixture.gateway.hidden.add(old + 1);
    const id = await fixture.start(old);
    await fixture.advance([id]);
    fixture.elapse(10_000);
    await fixture.advance([id]);
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g2']);
  });

  it('leaves a key alone that somebody else created earlier under such a name', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    const other = fixture.gateway.add('billing.g7');
    const id = await fixture.start(old);
    const [moved] = await fixture.advance([id]);
    expect(moved?.view.candidate?.name).toBe('billing.g8');
    await fixture.later(20 * hour, 'billing.g8');
    expect(fixture.gateway.keys.has(other)).toBe(true);
    expect(fixture.gateway.keys.has(old)).toBe(false);
  });

  it('is paused after the allowed attempts, with the old key unchanged, until an operator resumes it', async () => {
    await using fixture = await engineFixture();
    const broken = fullSink('memory:one');
    fixture.state.sinks = [broken.sink];
    const { id } = await fixture.planned({ tries: 3 });
    for (let round = 0; round < 6; round += 1) {
      await fixture.advance(round === 0 ? [id] : undefined);
      fixture.elapse(7 * hour);
    }
    const [view] = await fixture.keyService().open();
    expect(view).toMatchObject({ stage: 'waiting' });
    expect(fixture.alert.map(({ kind }) => kind)).toEqual(['failed', 'failed', 'waiting']);
    expect(fixture.gateway.writes.create).toBe(1);
    fixture.state.sinks = [fixture.sink.sink];
    await fixture.keyService().resume('billing', 'person anna');
    const [after] = await fixture.advance();
    expect(after?.view.stage).toBe('current');
  });

  it('retires nothing while a sink reports a wrong key', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    const liar = memorySink('memory:two', {
      fingerprint: async () => ({ state: 'holds', fingerprint: '0'.repeat(64) }),
    });
    fixture.state.sinks = [fixture.sink.sink, liar.sink];
    const id = await fixture.start(old);
    const [moved] = await fixture.advance([id]);
    expect(moved?.fault?.message).toMatch(/^the sink memory:two holds another key /);
    expect(moved?.view.stage).not.toBe('current');
    expect(fixture.gateway.keys.has(old)).toBe(true);
    await fixture.later(7 * hour);
    // Delivered again, where it was not found.
    expect([fixture.sink.contents.deliveries, liar.contents.deliveries]).toEqual([1, 2]);
  });

  it('deletes a key that is refused for longer than caches last, and creates another one (G8.16)', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    fixture.state.verify = async () => {
      throw fault('key-verify-refused', 'refused');
    };
    const id = await fixture.start(old);
    await fixture.advance([id]);
    expect(fixture.gateway.keys.size).toBe(2);
    await fixture.later(20 * 60_000);
    expect([...fixture.gateway.keys.keys()]).toEqual([old]);
    fixture.state.verify = undefined;
    const [after] = await fixture.later(hour);
    expect(after?.view).toMatchObject({ stage: 'current', candidate: { name: 'billing.g3' } });
  });

  it('waits for the confirmation of an encrypted file, even across restarts, and asks for it once', async () => {
    await using fixture = await engineFixture();
    fixture.state.sinks = [sealedSink().sink];
    const { moved } = await fixture.begun();
    expect(moved?.view.message).toContain('keys confirm');
    await fixture.restart();
    await fixture.later(hour);
    expect(fixture.gateway.writes.create).toBe(1);
    expect(new Set(fixture.alert.map(({ key }) => key)).size).toBe(1);
    expect([fixture.alert[0]?.kind, fixture.alerted()[0]]).toEqual(['waiting', 'unconfirmed billing.g2']);
    await expect(fixture.keyService().confirm('billing', '1'.repeat(64), 'person anna')).rejects.toThrow(
      'fingerprint does not match',
    );
    await fixture.keyService().confirm('billing', fixture.fingerprint(), 'person anna');
    const [after] = await fixture.advance();
    expect(after?.view.stage).toBe('current');
  });

  it('creates the first key of a service; a key that was given up before its delivery is deleted once it is proven unused', async () => {
    await using fixture = await engineFixture();
    const fresh = { remainQuota: money('0'), unlimitedQuota: true, expiredTime: 'never' as const, group: '' };
    const planned = { service: 'fresh', why: 'new' as const, terms: { ...defaultTerms, overlap: 0 }, fresh };
    const begin = async () => fixture.advance(await fixture.keyService().start([planned], 'person anna'));
    fixture.state.verify = noVerdict;
    await begin();
    expect(fixture.gateway.keys.size).toBe(1);
    await fixture.keyService().giveUp('fresh', 'person anna');
    await fixture.later(hour);
    expect(fixture.gateway.keys.size).toBe(0);
    fixture.state.verify = undefined;
    const [done] = await begin();
    expect(done?.view.stage).toBe('done');
    expect(fixture.names()).toEqual(['fresh.g2']);
  });

  it('deletes a key that is compromised during the overlap immediately, and the one before it when it is idle', async () => {
    const { fixture, moved: first } = await begunFixture();
    const leaked = first?.view.candidate?.keyId ?? 0;
    const id = await fixture.leak(leaked, { retire: { when: 'now', quiet: hour, ending: 'delete' } });
    const [moved] = await fixture.advance([id]);
    expect(moved?.view).toMatchObject({ stage: 'current', candidate: { name: 'billing.g3' } });
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g3']);
    expect((await fixture.keyService().open()).map(({ id: one }) => one)).toEqual([id]);
    await fixture.later(hour + 5000, 'billing.g3', 2000);
    expect(fixture.names()).toEqual(['billing.g3']);
    const steps = await fixture.keyService().history('billing');
    expect(new Set(steps.filter(({ rotation }) => rotation === id).map(({ who }) => who))).toContain(
      'person anna',
    );
  });

  it('takes no step while it can only wait', async () => {
    const { fixture, id } = await begunFixture();
    fixture.elapse(2 * hour);
    fixture.used('billing.g1');
    await fixture.advance([id]);
    const [again] = await fixture.advance([id]);
    expect(again?.moved).toBe(false);
  });

  it('creates no key while that of another service could become an orphan', async () => {
    await using fixture = await engineFixture();
    const one = fixture.gateway.add('billing.g1');
    const two = fixture.gateway.add('search.g1');
    fixture.state.verify = async (key) => {
      if (key.reveal().includes('billing')) throw fault('key-verify-unclear', 'no answer');
    };
    const first = await fixture.start(one, { tries: 2 });
    const second = await fixture.start(two, {}, 'search');
    await fixture.advance([first, second]);
    // Were we to die now, only the key of billing would be an orphan.
    expect(fixture.names()).toEqual(['billing.g1', 'search.g1', 'billing.g2']);
    await fixture.later(hour);
    // The rotation of billing waits for a person now: its key is gone, and others go on.
    const views = await fixture.keyService().open();
    expect(views.map(({ service, stage }) => [service, stage])).toEqual([
      ['billing', 'waiting'],
      ['search', 'current'],
    ]);
    expect(fixture.names()).toEqual(['billing.g1', 'search.g1', 'search.g2']);
  });

  it('adopts keys by their names, except for names that two keys claim', async () => {
    await using fixture = await engineFixture();
    for (const name of ['billing.g3', 'search', 'twin', 'twin', 'tollkeeper-probe.g1'])
      fixture.gateway.add(name);
    const survey = await fixture.keyService().survey(new AbortController().signal);
    expect(await fixture.keyService().adoptAll(survey.keys, 'job rotate')).toBe(2);
    const line = [...fixture.journal().state('main').lineage.values()];
    expect(line.map(({ service, generation }) => [service, generation])).toEqual([
      ['billing', 3],
      ['search', 1],
    ]);
    const again = await fixture.keyService().survey(new AbortController().signal);
    expect(await fixture.keyService().adoptAll(again.keys, 'job rotate')).toBe(0);
  });

  it('deletes a compromised key although its consumer cannot be notified', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    fixture.state.reload = async () => {
      throw fault('command-failed', 'exit status 1');
    };
    const id = await fixture.start(old, { retire: { when: 'now', quiet: hour, ending: 'delete' } });
    await fixture.advance([id]);
    await fixture.advance([id]);
    expect(fixture.gateway.keys.has(old)).toBe(false);
    fixture.state.reload = async () => undefined;
    const [done] = await fixture.advance([id]);
    expect(done?.view.stage).toBe('done');
    expect(fixture.table.rows.map(({ what }) => what)).toContain('reloaded');
  });
});
