import { describe, expect, it } from 'vitest';
import { appendFile, readFile } from 'node:fs/promises';
import { fault, money } from '../../src/base/index.ts';
import { appendAuditLines } from '../../src/keys/journal/audit-file.ts';
import { engineHouse, fullSink, hour, memorySink, sealedSink, usualTerms } from './engine-house.ts';

const minute = 60_000;

const refuseEvery = async (): Promise<never> => {
  throw fault('key-verify-unclear', 'no answer');
};

const leakTerms = {
  ...usualTerms,
  overlap: 0,
  retire: { when: 'now' as const, quiet: hour, ending: 'delete' as const },
};

describe('an orphan waits for nobody', () => {
  it('is cleared away while its rotation waits for a person: one whose answer was lost', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    house.gateway.faults.create.push('after');
    const id = await house.start(old, { tries: 1 });
    const [lost] = await house.advance([id]);
    expect([lost?.view.stage, house.names()]).toEqual(['waiting', ['billing.g1', 'billing.g2']]);
    house.pass(5 * minute);
    await house.advance();
    // The log tells nothing yet of a key that was made just now.
    expect(house.names()).toEqual(['billing.g1', 'billing.g2']);
    house.pass(hour);
    const [after] = await house.advance();
    expect([after?.view.stage, house.names()]).toEqual(['waiting', ['billing.g1']]);
  });

  it('is cleared away between two tries and while it waits: one whose plaintext died with the process', async () => {
    for (const tries of [1, 5]) {
      await using house = await engineHouse();
      const old = house.gateway.add('billing.g1');
      house.state.verify = refuseEvery;
      const id = await house.start(old, { tries });
      await house.advance([id]);
      expect(house.names()).toEqual(['billing.g1', 'billing.g2']);
      await house.restart();
      house.pass(minute);
      await house.advance();
      expect(house.names()).toEqual(['billing.g1', 'billing.g2']);
      house.pass(20 * minute);
      await house.advance();
      expect(house.names()).not.toContain('billing.g2');
    }
  });

  it('is cleared away by a later pass where the first try to delete it failed, or died', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    house.gateway.faults.create.push('before');
    const id = await house.start(old, leakTerms);
    await house.advance([id]);
    house.pass(10 * minute);
    const [done] = await house.advance();
    expect(done?.view.stage).toBe('done');
    house.gateway.add('billing.g2');
    house.pass(hour);
    house.gateway.faults.remove.push('before');
    await house.advance();
    expect(house.names()).toEqual(['billing.g3', 'billing.g2']);
    await house.restart();
    await house.advance();
    expect(house.names()).toEqual(['billing.g3']);
  });

  it('is not seen in a key that a person made later under the name of a lost one', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    house.gateway.faults.create.push('before');
    const id = await house.start(old);
    await house.advance([id]);
    house.pass(hour);
    await house.advance();
    house.pass(24 * hour);
    const theirs = house.gateway.add('billing.g2');
    await house.advance();
    expect(house.gateway.keys.has(theirs)).toBe(true);
    expect(house.news.map(({ title }) => title)).toContain('whose the key billing.g2 is cannot be told');
  });

  it('is never a key that others gave the name of throw-away keys', async () => {
    await using house = await engineHouse();
    const key = house.gateway.add('mine');
    const signal = new AbortController().signal;
    await expect(
      house.desk().adopt({ keyId: key, service: 'tollkeeper-probe', generation: 1 }, 'person anna', signal),
    ).rejects.toThrow('throw-away');
    await expect(house.start(key, {}, 'tollkeeper-probe')).rejects.toThrow('throw-away');
  });
});

describe('a list that is late', () => {
  it('deletes no key that a sink holds', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    const broken = fullSink('memory:two');
    house.state.sinks = [house.sink.sink, broken.sink];
    const id = await house.start(old);
    const [moved] = await house.advance([id]);
    house.gateway.hidden.add(moved?.view.candidate?.keyId ?? 0);
    house.pass(5 * minute);
    await house.advance();
    expect(house.gateway.works(house.sink.held.value ?? '')).toBe(true);
    expect(house.names()).toEqual(['billing.g1', 'billing.g2']);
  });

  it('takes nobody for gone: an old key is retired on evidence all the same', async () => {
    await using house = await engineHouse();
    const { old } = await house.begun();
    house.gateway.hidden.add(old);
    house.pass(5 * minute);
    await house.advance();
    house.gateway.hidden.clear();
    expect((await house.desk().open()).map(({ stage }) => stage)).toEqual(['current']);
    house.pass(2 * hour);
    house.used('billing.g2');
    await house.advance();
    expect(house.names()).toEqual(['billing.g2']);
  });

  it('does not take a leaked key out of its line before its successor is there', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    house.state.verify = refuseEvery;
    const id = await house.start(old, leakTerms);
    await house.advance([id]);
    house.pass(hour);
    house.gateway.hidden.add(old);
    await house.advance();
    house.gateway.hidden.clear();
    house.state.verify = undefined;
    house.pass(7 * hour);
    const [done] = await house.advance();
    expect(done?.view.stage).toBe('done');
    expect(house.gateway.keys.has(old)).toBe(false);
  });
});

describe('a new key that others take away', () => {
  it('is made again, and the old key stays till then', async () => {
    await using house = await engineHouse();
    const { moved } = await house.begun();
    house.gateway.keys.delete(moved?.view.candidate?.keyId ?? 0);
    house.pass(2 * hour);
    house.used('billing.g2', hour);
    const [again] = await house.advance();
    expect(again?.view).toMatchObject({ stage: 'current', candidate: { name: 'billing.g3' } });
    expect(house.names()).toEqual(['billing.g1', 'billing.g3']);
    expect(house.gateway.works(house.sink.held.value ?? '')).toBe(true);
    expect(house.news.map(({ title }) => title)).toEqual(['the new key billing.g2 was taken away']);
    house.pass(2 * hour);
    house.used('billing.g3');
    await house.advance();
    expect(house.names()).toEqual(['billing.g3']);
  });
});

describe('proof that nobody uses a key', () => {
  it.each(['quiet', 'retiring', 'deleting'])('is taken anew when it is old: died behind %s', async (step) => {
    await using house = await engineHouse();
    const { old } = await house.begun();
    house.pass(2 * hour);
    house.used('billing.g2');
    house.state.at = (what) => {
      if (what === `after record ${step}`) throw new RangeError('it died');
    };
    await house.advance().catch(() => undefined);
    house.state.at = () => undefined;
    await house.restart();
    // Three days later somebody went back to the old key.
    house.pass(72 * hour);
    house.used('billing.g1', 10 * minute);
    await house.advance();
    expect(house.gateway.keys.has(old)).toBe(true);
    house.pass(3 * hour);
    await house.advance();
    expect(house.gateway.keys.has(old)).toBe(false);
    expect(await house.desk().open()).toEqual([]);
  });
});

describe('a leaked key', () => {
  it('is deleted at once, though its quota cannot be settled', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1', { unlimitedQuota: false, remainQuota: money('10') });
    const id = await house.start(old, leakTerms);
    house.state.at = (what) => {
      if (what === 'after record current') house.spendTo(old, '1');
    };
    house.gateway.faults.update.push('before');
    const [moved] = await house.advance([id]);
    expect(moved?.view.stage).toBe('done');
    expect(house.names()).toEqual(['billing.g2']);
    expect(house.news.map(({ kind }) => kind)).toEqual(['exposure', 'exposure']);
  });

  it('that stays though the gateway says it is deleted is told of, once caches cannot be why', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    house.gateway.faults.remove.push('unmoved', 'unmoved', 'unmoved', 'unmoved');
    const id = await house.start(old, leakTerms);
    for (let round = 0; round < 4; round += 1) {
      await house.advance(round === 0 ? [id] : undefined);
      house.pass(5 * minute);
    }
    expect(house.news.map(({ title }) => title)).toEqual([
      'the key billing.g1 is still there after it was deleted',
    ]);
    await house.advance();
    expect(house.names()).toEqual(['billing.g2']);
  });
});

describe('quotas', () => {
  it('take off the successor what the old key spent before the hand-over, too', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1', { unlimitedQuota: false, remainQuota: money('10') });
    house.state.verify = refuseEvery;
    const id = await house.start(old);
    await house.advance([id]);
    house.spendTo(old, '6');
    house.state.verify = undefined;
    house.pass(10 * minute);
    const [moved] = await house.advance();
    expect(moved?.view.stage).toBe('current');
    house.spendTo(old, '5');
    house.pass(2 * hour);
    house.used('billing.g2');
    await house.advance();
    expect([...house.gateway.keys.values()].map(({ remainQuota }) => remainQuota)).toEqual(['5']);
  });

  it('split leaves an old key that is in use half of what it has, whatever it spent meanwhile', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1', { unlimitedQuota: false, remainQuota: money('10') });
    house.state.verify = refuseEvery;
    const id = await house.start(old, { quota: { kind: 'split' } });
    await house.advance([id]);
    house.spendTo(old, '4');
    house.state.verify = undefined;
    house.pass(10 * minute);
    await house.advance();
    expect([...house.gateway.keys.values()].map(({ remainQuota }) => remainQuota)).toEqual(['2', '5']);
  });
});

describe('what a person is to know, and can do', () => {
  it('a job that is gone from the config in the middle is told of', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    const id = await house.start(old);
    house.state.declared = false;
    await house.advance([id]);
    await house.advance();
    expect(new Set(house.news.map(({ title }) => title))).toEqual(
      new Set(['the rotation of billing cannot go on']),
    );
    house.state.declared = true;
    const [moved] = await house.advance();
    expect(moved?.view.stage).toBe('current');
  });

  it('a key that waits for a person in a sealed file is told of, once', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    const sealed = sealedSink();
    house.state.sinks = [sealed.sink];
    await house.advance([await house.start(old)]);
    await house.restart();
    await house.advance();
    expect(new Set(house.news.map(({ key }) => key)).size).toBe(1);
    expect(house.news[0]).toMatchObject({
      kind: 'waiting',
      title: 'the key billing.g2 waits for whoever is to confirm it',
    });
  });

  it('a place that was declared between reading back and handing over holds the key as well', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    const id = await house.start(old);
    house.state.at = (what) => {
      if (what === 'before record current') throw new RangeError('it died');
    };
    await house.advance([id]).catch(() => undefined);
    house.state.at = () => undefined;
    const two = memorySink('memory:two');
    house.state.sinks = [house.sink.sink, two.sink];
    await house.restart();
    for (let round = 0; round < 3; round += 1) {
      house.pass(hour / 2);
      await house.advance();
    }
    expect((await house.desk().open()).map(({ stage }) => stage)).toEqual(['current']);
    expect(two.held.value).toBe(house.sink.held.value);
    expect(house.gateway.works(two.held.value ?? '')).toBe(true);
  });

  it('a rotation that hands over and can never end is let go of, and the next one takes its old key along', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    house.state.reload = async () => {
      throw fault('sink-failed', 'no such program', { advice: 'install it' });
    };
    const id = await house.start(old, { tries: 1 });
    const [stuck] = await house.advance([id]);
    expect(stuck?.view.stage).toBe('waiting');
    expect(house.news[0]?.words).not.toContain('untouched');
    expect(await house.desk().giveUp('billing', 'person anna')).toContain('goes with the next rotation');
    expect(house.names()).toEqual(['billing.g1', 'billing.g2']);
    house.state.reload = undefined;
    const next = [...house.gateway.keys.keys()][1] ?? 0;
    await house.advance([await house.start(next)]);
    house.pass(2 * hour);
    house.used('billing.g3');
    await house.advance();
    expect(house.names()).toEqual(['billing.g3']);
  });

  it('what no person has to confirm is not said to be confirmed', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    const broken = fullSink('memory:two');
    house.state.sinks = [house.sink.sink, broken.sink];
    await house.advance([await house.start(old)]);
    const created = house.table.rows.find(({ what }) => what === 'created');
    const { fingerprint } = JSON.parse(created?.event ?? '') as { fingerprint: string };
    await expect(house.desk().confirm('billing', fingerprint, 'person anna')).rejects.toThrow('no person');
  });
});

describe('before an old key goes', () => {
  it('each sink is read once more: one that others put back may hold it', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    const before = house.gateway.plaintextOf(old);
    house.sink.held.value = before;
    await house.advance([await house.start(old)]);
    const fresh = house.sink.held.value;
    house.sink.held.value = before;
    house.pass(2 * hour);
    house.used('billing.g2');
    await house.advance();
    expect(house.gateway.works(before)).toBe(true);
    expect(house.news.at(-1)?.words).toContain('no longer holds billing.g2, but another key');
    house.sink.held.value = fresh;
    house.pass(hour);
    await house.advance();
    expect(house.names()).toEqual(['billing.g2']);
  });
});

describe('a key that is to end', () => {
  const signal = new AbortController().signal;
  const end = (keyId: number, name: string, generation: number) => ({
    keyId,
    generation,
    name,
    service: 'billing',
    action: { kind: 'delete' as const },
  });

  it('and that is gone already has ended', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    house.gateway.keys.delete(old);
    const ended = await house.desk().expire([end(old, 'billing.g1', 1)], 'job end', signal);
    expect(ended.map(({ done }) => done)).toEqual([true]);
  });

  it('is not the one that is on its way into sinks', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    const broken = fullSink('memory:two');
    house.state.sinks = [house.sink.sink, broken.sink];
    const [moved] = await house.advance([await house.start(old)]);
    const fresh = moved?.view.candidate?.keyId ?? 0;
    const ended = await house.desk().expire([end(fresh, 'billing.g2', 2)], 'person anna', signal);
    expect(ended).toMatchObject([{ done: false, said: expect.stringContaining('give-up billing') }]);
    expect(house.gateway.works(house.sink.held.value ?? '')).toBe(true);
  });
});

describe('what was written down wrongly', () => {
  it('half a line that a failed write left is taken away before the next one', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    await house.start(old);
    await appendFile(house.path(), '{"seq":3,"prev":"');
    await appendAuditLines(house.path(), ['{"seq":3}']);
    expect((await readFile(house.path(), 'utf8')).split('\n').slice(2)).toEqual(['{"seq":3}', '']);
  });

  it('a failure of a clock that was years ahead holds nothing up', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    house.state.verify = refuseEvery;
    const id = await house.start(old);
    house.pass(20 * 365 * 24 * hour);
    await house.advance([id]);
    house.state.verify = undefined;
    house.pass(-20 * 365 * 24 * hour + hour);
    const [moved] = await house.advance();
    expect(moved?.view.stage).toBe('current');
  });
});
