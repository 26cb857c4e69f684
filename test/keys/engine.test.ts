import { describe, expect, it } from 'vitest';
import { fault, money } from '../../src/base/index.ts';
import { engineHouse, fullSink, hour, memorySink, sealedSink, usualTerms } from './engine-house.ts';

describe('a rotation', () => {
  it('makes, verifies, delivers, reads back, waits for the old key to fall quiet and deletes it', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    house.sink.held.value = house.gateway.plaintextOf(old);
    const id = await house.start(old);
    const [first] = await house.advance([id]);
    expect(first?.view).toMatchObject({ stage: 'current', candidate: { name: 'billing.g2' } });
    expect(house.sink.held.value).toBe(house.gateway.plaintextOf(first?.view.candidate?.keyId ?? 0));
    expect(house.names()).toEqual(['billing.g1', 'billing.g2']);
    house.pass(hour + 1000);
    house.used('billing.g2', hour / 2);
    const [second] = await house.advance();
    expect(second?.view.stage).toBe('done');
    expect(house.names()).toEqual(['billing.g2']);
    expect(house.table.rows.map(({ what }) => what)).toEqual([
      'adopted',
      'planned',
      'observed',
      'creating',
      'created',
      'verifying',
      'verified',
      'delivering',
      'delivered',
      'read-back',
      'current',
      'quiet',
      'retiring',
      'deleting',
      'deleted',
      'done',
    ]);
    expect(house.news).toEqual([]);
  });

  it('keeps an old key that is used, tells it once, and brings it before the operators past its time', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing');
    const id = await house.start(old, {
      retire: { when: 'unused', quiet: hour, ending: 'delete', maxOverlap: 10 * hour },
    });
    await house.advance([id]);
    for (let hours = 0; hours < 12; hours += 1) {
      house.pass(hour);
      house.state.calls.push(
        { name: 'billing', at: house.clock.now() - 60_000 },
        { name: 'billing.g2', at: house.clock.now() - 60_000 },
      );
      await house.advance();
    }
    expect(house.gateway.keys.has(old)).toBe(true);
    expect(house.news.map(({ kind }) => kind)).toEqual(['held', 'escalated']);
    expect(house.news[0]?.words).toMatch(/billing is still used: \d+ calls?, the last at .*, of m/);
    house.pass(2 * hour);
    house.used('billing.g2', 60_000);
    await house.advance();
    expect(house.gateway.keys.has(old)).toBe(false);
  });

  it('finds a key whose answer was lost, deletes it, and makes another under another name', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    house.gateway.faults.create.push('after');
    const id = await house.start(old);
    const [lost] = await house.advance([id]);
    expect(lost?.fault?.code).toBe('gateway-connection-lost');
    expect(house.names()).toEqual(['billing.g1', 'billing.g2']);
    expect(house.news.map(({ kind }) => kind)).toEqual(['failed']);
    house.pass(hour);
    const [next] = await house.advance();
    expect(next?.view).toMatchObject({ stage: 'current', candidate: { name: 'billing.g3' } });
    expect(house.names()).toEqual(['billing.g1', 'billing.g3']);
  });

  it('clears a key away that shows up after its rotation has gone on without it', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    house.gateway.faults.create.push('before');
    const id = await house.start(old);
    await house.advance([id]);
    house.pass(hour);
    const [next] = await house.advance();
    expect(next?.view).toMatchObject({ stage: 'current', candidate: { name: 'billing.g3' } });
    // The request was on its way all the while.
    const late = house.gateway.add('billing.g2');
    house.pass(hour);
    await house.advance();
    expect(house.gateway.keys.has(late)).toBe(false);
    expect(house.gateway.keys.has(old)).toBe(true);
  });

  it('leaves a key alone that somebody else made under such a name before', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    const other = house.gateway.add('billing.g7');
    const id = await house.start(old);
    const [moved] = await house.advance([id]);
    expect(moved?.view.candidate?.name).toBe('billing.g8');
    house.pass(20 * hour);
    house.used('billing.g8');
    await house.advance();
    expect(house.gateway.keys.has(other)).toBe(true);
    expect(house.gateway.keys.has(old)).toBe(false);
  });

  it('stops after so many tries, the old key untouched, until a person lets it go on', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    const broken = fullSink('memory:one');
    house.state.sinks = [broken.sink];
    const id = await house.start(old, { tries: 3 });
    for (let round = 0; round < 6; round += 1) {
      await house.advance(round === 0 ? [id] : undefined);
      house.pass(7 * hour);
    }
    const [view] = await house.desk().open();
    expect(view).toMatchObject({ stage: 'waiting' });
    expect(house.news.map(({ kind }) => kind)).toEqual(['failed', 'failed', 'waiting']);
    expect(house.gateway.writes.create).toBe(1);
    house.state.sinks = [house.sink.sink];
    await house.desk().resume('billing', 'person anna');
    const [after] = await house.advance();
    expect(after?.view.stage).toBe('current');
  });

  it('does not retire anything while a sink lies', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    const liar = memorySink('memory:two', {
      fingerprint: async () => ({ state: 'holds', fingerprint: '0'.repeat(64) }),
    });
    house.state.sinks = [house.sink.sink, liar.sink];
    const id = await house.start(old);
    const [moved] = await house.advance([id]);
    expect(moved?.fault?.message).toBe(
      'the sink memory:two holds another key, after billing.g2 was delivered there',
    );
    expect(moved?.view.stage).not.toBe('current');
    expect(house.gateway.keys.has(old)).toBe(true);
    house.pass(7 * hour);
    await house.advance();
    // Delivered again, where it was not found.
    expect([house.sink.held.deliveries, liar.held.deliveries]).toEqual([1, 2]);
  });

  it('deletes a key that is refused for longer than caches last, and makes another', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    house.state.verify = async () => {
      throw fault('key-verify-refused', 'refused');
    };
    const id = await house.start(old);
    await house.advance([id]);
    expect(house.gateway.keys.size).toBe(2);
    house.pass(20 * 60_000);
    await house.advance();
    expect([...house.gateway.keys.keys()]).toEqual([old]);
    house.state.verify = undefined;
    house.pass(hour);
    const [after] = await house.advance();
    expect(after?.view).toMatchObject({ stage: 'current', candidate: { name: 'billing.g3' } });
  });

  it('deletes a leaked key as soon as its successor is in every sink', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    house.used('billing.g1', 0);
    const id = await house.start(old, { retire: { when: 'now', quiet: hour, ending: 'delete' } });
    const [moved] = await house.advance([id]);
    expect(moved?.view.stage).toBe('done');
    expect(house.names()).toEqual(['billing.g2']);
  });

  it('carries what is left, and takes off the successor what the old key spent afterwards', async () => {
    await using house = await engineHouse();
    const { old, moved } = await house.begun({}, { unlimitedQuota: false, remainQuota: money('10.5') });
    const successor = moved?.view.candidate?.keyId ?? 0;
    expect(house.gateway.keys.get(successor)).toMatchObject({ unlimitedQuota: false, remainQuota: '10.5' });
    expect(house.news.map(({ kind }) => kind)).toEqual(['exposure']);
    house.spendTo(old, '8.25');
    house.pass(2 * hour);
    house.used('billing.g2');
    await house.advance();
    expect(house.gateway.keys.get(successor)?.remainQuota).toBe('8.25');
    expect(house.gateway.keys.has(old)).toBe(false);
  });

  it('splits what is left, and gives the successor the rest of it at the end', async () => {
    await using house = await engineHouse();
    const { old, moved } = await house.begun(
      { quota: { kind: 'split' } },
      { unlimitedQuota: false, remainQuota: money('10') },
    );
    const successor = moved?.view.candidate?.keyId ?? 0;
    expect(house.gateway.keys.get(successor)?.remainQuota).toBe('5');
    expect(house.gateway.keys.get(old)?.remainQuota).toBe('5');
    house.pass(2 * hour);
    house.used('billing.g2');
    await house.advance();
    expect(house.gateway.keys.get(successor)?.remainQuota).toBe('10');
  });

  it('sets the end of the old key at the hand-over when it ends with the overlap', async () => {
    await using house = await engineHouse();
    const { old } = await house.begun({ retire: { when: 'after-overlap', quiet: hour, ending: 'delete' } });
    expect(house.gateway.keys.get(old)?.expiredTime).toBe(Math.ceil((house.clock.now() + hour) / 1000));
    house.pass(hour / 2 + 60_000);
    house.used('billing.g1', 30_000);
    await house.advance();
    expect(house.news.map(({ title }) => title)).toEqual([
      'the old key billing.g1 is still used and ends soon',
    ]);
    house.pass(hour);
    const [done] = await house.advance();
    expect(done?.view.stage).toBe('done');
    expect(house.gateway.keys.has(old)).toBe(false);
  });

  it('waits for the person who has to take an encrypted file, across restarts too', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    const aged = sealedSink();
    house.state.sinks = [aged.sink];
    const id = await house.start(old);
    const [moved] = await house.advance([id]);
    expect(moved?.view.words).toContain('keys confirm');
    await house.restart();
    house.pass(hour);
    await house.advance();
    expect(house.gateway.writes.create).toBe(1);
    await expect(house.desk().confirm('billing', '1'.repeat(64), 'person anna')).rejects.toThrow(
      'not the fingerprint',
    );
    const created = house.table.rows.find(({ what }) => what === 'created');
    const { fingerprint } = JSON.parse(created?.event ?? '') as { fingerprint: string };
    await house.desk().confirm('billing', fingerprint, 'person anna');
    const [after] = await house.advance();
    expect(after?.view.stage).toBe('current');
  });

  it('makes the first key of a service; one that was given up before it was delivered is deleted once it is proven unused', async () => {
    await using house = await engineHouse();
    const fresh = { remainQuota: money('0'), unlimitedQuota: true, expiredTime: 'never' as const, group: '' };
    const terms = {
      job: 'rotate',
      template: '{service}.g{generation}',
      overlap: 0,
      quota: { kind: 'carry' as const },
      retire: { when: 'unused' as const, quiet: hour, ending: 'delete' as const },
      tries: 3,
    };
    house.state.verify = async () => {
      throw fault('key-verify-unclear', 'no answer');
    };
    const [id = ''] = await house
      .desk()
      .start([{ service: 'fresh', why: 'new', terms, fresh }], 'person anna');
    await house.advance([id]);
    expect(house.gateway.keys.size).toBe(1);
    await house.desk().giveUp('fresh', 'person anna');
    house.pass(hour);
    await house.advance();
    expect(house.gateway.keys.size).toBe(0);
    house.state.verify = undefined;
    const [again = ''] = await house
      .desk()
      .start([{ service: 'fresh', why: 'new', terms, fresh }], 'person anna');
    const [done] = await house.advance([again]);
    expect(done?.view.stage).toBe('done');
    expect(house.names()).toEqual(['fresh.g2']);
  });

  it('ends when somebody else takes the old key away', async () => {
    await using house = await engineHouse();
    const { old } = await house.begun();
    house.gateway.keys.delete(old);
    const [done] = await house.advance();
    expect(done?.view.stage).toBe('done');
    expect(house.table.rows.map(({ what }) => what)).toContain('vanished');
  });

  it('takes a key that leaks during the overlap away at once, and the one before it when it is quiet', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    const [first] = await house.advance([await house.start(old)]);
    const leaked = first?.view.candidate?.keyId ?? 0;
    const retire = { when: 'now' as const, quiet: hour, ending: 'delete' as const };
    const key = { keyId: leaked, generation: 2, name: 'billing.g2' };
    const [id = ''] = await house.desk().start(
      [
        {
          service: 'billing',
          why: 'leak',
          terms: { ...usualTerms, overlap: 0, retire },
          old: { ...key, remainQuota: money('0'), unlimitedQuota: true },
        },
      ],
      'person anna',
    );
    const [moved] = await house.advance([id]);
    expect(moved?.view).toMatchObject({ stage: 'current', candidate: { name: 'billing.g3' } });
    expect(house.names()).toEqual(['billing.g1', 'billing.g3']);
    expect((await house.desk().open()).map(({ id: one }) => one)).toEqual([id]);
    house.pass(hour + 5000);
    house.used('billing.g3', 2000);
    await house.advance();
    expect(house.names()).toEqual(['billing.g3']);
    const steps = await house.desk().history('billing');
    expect(new Set(steps.filter(({ rotation }) => rotation === id).map(({ who }) => who))).toContain(
      'person anna',
    );
  });

  it('takes no step while it can do nothing but wait', async () => {
    await using house = await engineHouse();
    const { id } = await house.begun();
    house.pass(2 * hour);
    house.used('billing.g1');
    await house.advance([id]);
    const [again] = await house.advance([id]);
    expect(again?.moved).toBe(false);
  });

  it('makes no key while that of another service could still be left over', async () => {
    await using house = await engineHouse();
    const one = house.gateway.add('billing.g1');
    const two = house.gateway.add('search.g1');
    house.state.verify = async (key) => {
      if (key.reveal().includes('billing')) throw fault('key-verify-unclear', 'no answer');
    };
    const first = await house.start(one, { tries: 2 });
    const second = await house.start(two, {}, 'search');
    await house.advance([first, second]);
    // Were we to die now, only the key of billing would be an orphan.
    expect(house.names()).toEqual(['billing.g1', 'search.g1', 'billing.g2']);
    house.pass(hour);
    await house.advance();
    // The rotation of billing waits for a person now: its key is gone, and others go on.
    const views = await house.desk().open();
    expect(views.map(({ service, stage }) => [service, stage])).toEqual([
      ['billing', 'waiting'],
      ['search', 'current'],
    ]);
    expect(house.names()).toEqual(['billing.g1', 'search.g1', 'search.g2']);
  });

  it('adopts what its names say, but for names that two keys claim', async () => {
    await using house = await engineHouse();
    for (const name of ['billing.g3', 'search', 'twin', 'twin', 'tollkeeper-probe.g1'])
      house.gateway.add(name);
    const survey = await house.desk().survey(new AbortController().signal);
    expect(await house.desk().adoptAll(survey.keys, 'job rotate')).toBe(2);
    const line = [...house.journal().lineage('main').values()];
    expect(line.map(({ service, generation }) => [service, generation])).toEqual([
      ['billing', 3],
      ['search', 1],
    ]);
    const again = await house.desk().survey(new AbortController().signal);
    expect(await house.desk().adoptAll(again.keys, 'job rotate')).toBe(0);
  });

  it('deletes a leaked key though its consumer cannot be told', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    house.state.reload = async () => {
      throw fault('command-failed', 'exit status 1');
    };
    const id = await house.start(old, { retire: { when: 'now', quiet: hour, ending: 'delete' } });
    await house.advance([id]);
    await house.advance([id]);
    expect(house.gateway.keys.has(old)).toBe(false);
    house.state.reload = async () => undefined;
    const [done] = await house.advance([id]);
    expect(done?.view.stage).toBe('done');
    expect(house.table.rows.map(({ what }) => what)).toContain('reloaded');
  });
});
