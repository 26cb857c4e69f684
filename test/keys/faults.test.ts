import { describe, expect, it } from 'vitest';
import { appendFile, readFile } from 'node:fs/promises';
import { fault, money } from '../../src/core/index.ts';
import { appendAuditLines } from '../../src/keys/journal/audit-file.ts';
import { engineFixture, fullSink, hour, memorySink, sealedSink, defaultTerms } from './engine-fixture.ts';

const minute = 60_000;

const refuseEvery = async (): Promise<never> => {
  throw fault('key-verify-unclear', 'no answer');
};

const compromiseTerms = {
  ...defaultTerms,
  overlap: 0,
  retire: { when: 'now' as const, quiet: hour, ending: 'delete' as const },
};

describe('an orphan waits for nobody', () => {
  it('is cleared away while its rotation waits for a person: one whose answer was lost', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    fixture.gateway.faults.create.push('after');
    const id = await fixture.start(old, { tries: 1 });
    const [lost] = await fixture.advance([id]);
    expect([lost?.view.stage, fixture.names()]).toEqual(['waiting', ['billing.g1', 'billing.g2']]);
    fixture.elapse(5 * minute);
    await fixture.advance();
    // The log tells nothing yet of a key that was made just now.
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g2']);
    fixture.elapse(hour);
    const [after] = await fixture.advance();
    expect([after?.view.stage, fixture.names()]).toEqual(['waiting', ['billing.g1']]);
  });

  it('is cleared away between two tries and while it waits: one whose plaintext died with the process', async () => {
    for (const tries of [1, 5]) {
      await using fixture = await engineFixture();
      const old = fixture.gateway.add('billing.g1');
      fixture.state.verify = refuseEvery;
      const id = await fixture.start(old, { tries });
      await fixture.advance([id]);
      expect(fixture.names()).toEqual(['billing.g1', 'billing.g2']);
      await fixture.restart();
      fixture.elapse(minute);
      await fixture.advance();
      expect(fixture.names()).toEqual(['billing.g1', 'billing.g2']);
      fixture.elapse(20 * minute);
      await fixture.advance();
      expect(fixture.names()).not.toContain('billing.g2');
    }
  });

  it('is cleared away by a later pass where the first try to delete it failed, or died', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    fixture.gateway.faults.create.push('before');
    const id = await fixture.start(old, compromiseTerms);
    await fixture.advance([id]);
    fixture.elapse(10 * minute);
    const [done] = await fixture.advance();
    expect(done?.view.stage).toBe('done');
    fixture.gateway.add('billing.g2');
    fixture.elapse(hour);
    fixture.gateway.faults.remove.push('before');
    await fixture.advance();
    expect(fixture.names()).toEqual(['billing.g3', 'billing.g2']);
    await fixture.restart();
    await fixture.advance();
    expect(fixture.names()).toEqual(['billing.g3']);
  });

  it('is not seen in a key that a person made later under the name of a lost one', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    fixture.gateway.faults.create.push('before');
    const id = await fixture.start(old);
    await fixture.advance([id]);
    fixture.elapse(hour);
    await fixture.advance();
    fixture.elapse(24 * hour);
    const theirs = fixture.gateway.add('billing.g2');
    await fixture.advance();
    expect(fixture.gateway.keys.has(theirs)).toBe(true);
    expect(fixture.alert.map(({ title }) => title)).toContain('whose the key billing.g2 is cannot be told');
  });

  it('is never a key that others gave the name of throw-away keys', async () => {
    await using fixture = await engineFixture();
    const key = fixture.gateway.add('mine');
    const signal = new AbortController().signal;
    await expect(
      fixture
        .keyService()
        .adopt({ keyId: key, service: 'tollkeeper-probe', generation: 1 }, 'person anna', signal),
    ).rejects.toThrow('throw-away');
    await expect(fixture.start(key, {}, 'tollkeeper-probe')).rejects.toThrow('throw-away');
  });
});

describe('a list that is late', () => {
  it('deletes no key that a sink holds', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    const broken = fullSink('memory:two');
    fixture.state.sinks = [fixture.sink.sink, broken.sink];
    const id = await fixture.start(old);
    const [moved] = await fixture.advance([id]);
    fixture.gateway.hidden.add(moved?.view.candidate?.keyId ?? 0);
    fixture.elapse(5 * minute);
    await fixture.advance();
    expect(fixture.gateway.works(fixture.sink.held.value ?? '')).toBe(true);
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g2']);
  });

  it('takes nobody for gone: an old key is retired on evidence all the same', async () => {
    await using fixture = await engineFixture();
    const { old } = await fixture.begun();
    fixture.gateway.hidden.add(old);
    fixture.elapse(5 * minute);
    await fixture.advance();
    fixture.gateway.hidden.clear();
    expect((await fixture.keyService().open()).map(({ stage }) => stage)).toEqual(['current']);
    fixture.elapse(2 * hour);
    fixture.used('billing.g2');
    await fixture.advance();
    expect(fixture.names()).toEqual(['billing.g2']);
  });

  it('does not take a leaked key out of its line before its successor is there', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    fixture.state.verify = refuseEvery;
    const id = await fixture.start(old, compromiseTerms);
    await fixture.advance([id]);
    fixture.elapse(hour);
    fixture.gateway.hidden.add(old);
    await fixture.advance();
    fixture.gateway.hidden.clear();
    fixture.state.verify = undefined;
    fixture.elapse(7 * hour);
    const [done] = await fixture.advance();
    expect(done?.view.stage).toBe('done');
    expect(fixture.gateway.keys.has(old)).toBe(false);
  });
});

describe('a new key that others take away', () => {
  it('is made again, and the old key stays till then', async () => {
    await using fixture = await engineFixture();
    const { moved } = await fixture.begun();
    fixture.gateway.keys.delete(moved?.view.candidate?.keyId ?? 0);
    fixture.elapse(2 * hour);
    fixture.used('billing.g2', hour);
    const [again] = await fixture.advance();
    expect(again?.view).toMatchObject({ stage: 'current', candidate: { name: 'billing.g3' } });
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g3']);
    expect(fixture.gateway.works(fixture.sink.held.value ?? '')).toBe(true);
    expect(fixture.alert.map(({ title }) => title)).toEqual(['the new key billing.g2 was taken away']);
    fixture.elapse(2 * hour);
    fixture.used('billing.g3');
    await fixture.advance();
    expect(fixture.names()).toEqual(['billing.g3']);
  });
});

describe('proof that nobody uses a key', () => {
  it.each(['quiet', 'retiring', 'deleting'])(
    'is taken again when it is old: died behind %s',
    async (step) => {
      await using fixture = await engineFixture();
      const { old } = await fixture.begun();
      fixture.elapse(2 * hour);
      fixture.used('billing.g2');
      fixture.state.at = (what) => {
        if (what === `after record ${step}`) throw new RangeError('it died');
      };
      await fixture.advance().catch(() => undefined);
      fixture.state.at = () => undefined;
      await fixture.restart();
      // Three days later somebody went back to the old key.
      fixture.elapse(72 * hour);
      fixture.used('billing.g1', 10 * minute);
      await fixture.advance();
      expect(fixture.gateway.keys.has(old)).toBe(true);
      fixture.elapse(3 * hour);
      await fixture.advance();
      expect(fixture.gateway.keys.has(old)).toBe(false);
      expect(await fixture.keyService().open()).toEqual([]);
    },
  );
});

describe('a leaked key', () => {
  it('is deleted at once, though its quota cannot be settled', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1', { unlimitedQuota: false, remainQuota: money('10') });
    const id = await fixture.start(old, compromiseTerms);
    fixture.state.at = (what) => {
      if (what === 'after record current') fixture.spendTo(old, '1');
    };
    fixture.gateway.faults.update.push('before');
    const [moved] = await fixture.advance([id]);
    expect(moved?.view.stage).toBe('done');
    expect(fixture.names()).toEqual(['billing.g2']);
    expect(fixture.alert.map(({ kind }) => kind)).toEqual(['exposure', 'exposure']);
  });

  it('that stays though the gateway says it is deleted is told of, once caches cannot be why', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    fixture.gateway.faults.remove.push('unmoved', 'unmoved', 'unmoved', 'unmoved');
    const id = await fixture.start(old, compromiseTerms);
    for (let round = 0; round < 4; round += 1) {
      await fixture.advance(round === 0 ? [id] : undefined);
      fixture.elapse(5 * minute);
    }
    expect(fixture.alert.map(({ title }) => title)).toEqual([
      'the key billing.g1 is still there after it was deleted',
    ]);
    await fixture.advance();
    expect(fixture.names()).toEqual(['billing.g2']);
  });
});

describe('quotas', () => {
  it('take off the successor what the old key spent before the cutover, too', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1', { unlimitedQuota: false, remainQuota: money('10') });
    fixture.state.verify = refuseEvery;
    const id = await fixture.start(old);
    await fixture.advance([id]);
    fixture.spendTo(old, '6');
    fixture.state.verify = undefined;
    fixture.elapse(10 * minute);
    const [moved] = await fixture.advance();
    expect(moved?.view.stage).toBe('current');
    fixture.spendTo(old, '5');
    fixture.elapse(2 * hour);
    fixture.used('billing.g2');
    await fixture.advance();
    expect([...fixture.gateway.keys.values()].map(({ remainQuota }) => remainQuota)).toEqual(['5']);
  });

  it('split leaves an old key that is in use half of what it has, whatever it spent meanwhile', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1', { unlimitedQuota: false, remainQuota: money('10') });
    fixture.state.verify = refuseEvery;
    const id = await fixture.start(old, { quota: { kind: 'split' } });
    await fixture.advance([id]);
    fixture.spendTo(old, '4');
    fixture.state.verify = undefined;
    fixture.elapse(10 * minute);
    await fixture.advance();
    expect([...fixture.gateway.keys.values()].map(({ remainQuota }) => remainQuota)).toEqual(['2', '5']);
  });
});

describe('what a person is to know, and can do', () => {
  it('a job that is gone from the config in the middle is told of', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    const id = await fixture.start(old);
    fixture.state.declared = false;
    await fixture.advance([id]);
    await fixture.advance();
    expect(new Set(fixture.alert.map(({ title }) => title))).toEqual(
      new Set(['the rotation of billing cannot go on']),
    );
    fixture.state.declared = true;
    const [moved] = await fixture.advance();
    expect(moved?.view.stage).toBe('current');
  });

  it('a key that waits for a person in a sealed file is told of, once', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    const sealed = sealedSink();
    fixture.state.sinks = [sealed.sink];
    await fixture.advance([await fixture.start(old)]);
    await fixture.restart();
    await fixture.advance();
    expect(new Set(fixture.alert.map(({ key }) => key)).size).toBe(1);
    expect(fixture.alert[0]).toMatchObject({
      kind: 'waiting',
      title: 'the key billing.g2 waits for whoever is to confirm it',
    });
  });

  it('a place that was declared between reading back and handing over holds the key as well', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    const id = await fixture.start(old);
    fixture.state.at = (what) => {
      if (what === 'before record current') throw new RangeError('it died');
    };
    await fixture.advance([id]).catch(() => undefined);
    fixture.state.at = () => undefined;
    const two = memorySink('memory:two');
    fixture.state.sinks = [fixture.sink.sink, two.sink];
    await fixture.restart();
    for (let round = 0; round < 3; round += 1) {
      fixture.elapse(hour / 2);
      await fixture.advance();
    }
    expect((await fixture.keyService().open()).map(({ stage }) => stage)).toEqual(['current']);
    expect(two.held.value).toBe(fixture.sink.held.value);
    expect(fixture.gateway.works(two.held.value ?? '')).toBe(true);
  });

  it('a rotation that cuts over and can never end is let go of, and the next one takes its old key along', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    fixture.state.reload = async () => {
      throw fault('sink-failed', 'no such program', { advice: 'install it' });
    };
    const id = await fixture.start(old, { tries: 1 });
    const [stuck] = await fixture.advance([id]);
    expect(stuck?.view.stage).toBe('waiting');
    expect(fixture.alert[0]?.message).not.toContain('untouched');
    expect(await fixture.keyService().giveUp('billing', 'person anna')).toContain(
      'goes with the next rotation',
    );
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g2']);
    fixture.state.reload = undefined;
    const next = [...fixture.gateway.keys.keys()][1] ?? 0;
    await fixture.advance([await fixture.start(next)]);
    fixture.elapse(2 * hour);
    fixture.used('billing.g3');
    await fixture.advance();
    expect(fixture.names()).toEqual(['billing.g3']);
  });

  it('what no person has to confirm is not said to be confirmed', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    const broken = fullSink('memory:two');
    fixture.state.sinks = [fixture.sink.sink, broken.sink];
    await fixture.advance([await fixture.start(old)]);
    const created = fixture.table.rows.find(({ what }) => what === 'created');
    const { fingerprint } = JSON.parse(created?.event ?? '') as { fingerprint: string };
    await expect(fixture.keyService().confirm('billing', fingerprint, 'person anna')).rejects.toThrow(
      'no person',
    );
  });
});

describe('before an old key goes', () => {
  it('each sink is read once more: one that others put back may hold it', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    const before = fixture.gateway.plaintextOf(old);
    fixture.sink.held.value = before;
    await fixture.advance([await fixture.start(old)]);
    const fresh = fixture.sink.held.value;
    fixture.sink.held.value = before;
    fixture.elapse(2 * hour);
    fixture.used('billing.g2');
    await fixture.advance();
    expect(fixture.gateway.works(before)).toBe(true);
    expect(fixture.alert.at(-1)?.message).toContain('no longer holds billing.g2, but another key');
    fixture.sink.held.value = fresh;
    fixture.elapse(hour);
    await fixture.advance();
    expect(fixture.names()).toEqual(['billing.g2']);
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
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    fixture.gateway.keys.delete(old);
    const ended = await fixture.keyService().expire([end(old, 'billing.g1', 1)], 'job end', signal);
    expect(ended.map(({ done }) => done)).toEqual([true]);
  });

  it('is not the one that is on its way into sinks', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    const broken = fullSink('memory:two');
    fixture.state.sinks = [fixture.sink.sink, broken.sink];
    const [moved] = await fixture.advance([await fixture.start(old)]);
    const fresh = moved?.view.candidate?.keyId ?? 0;
    const ended = await fixture.keyService().expire([end(fresh, 'billing.g2', 2)], 'person anna', signal);
    expect(ended).toMatchObject([{ done: false, said: expect.stringContaining('give-up billing') }]);
    expect(fixture.gateway.works(fixture.sink.held.value ?? '')).toBe(true);
  });
});

describe('what was written down wrongly', () => {
  it('half a line that a failed write left is taken away before the next one', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    await fixture.start(old);
    await appendFile(fixture.path(), '{"seq":3,"prev":"');
    await appendAuditLines(fixture.path(), ['{"seq":3}']);
    expect((await readFile(fixture.path(), 'utf8')).split('\n').slice(2)).toEqual(['{"seq":3}', '']);
  });

  it('a failure of a clock that was years ahead holds nothing up', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    fixture.state.verify = refuseEvery;
    const id = await fixture.start(old);
    fixture.elapse(20 * 365 * 24 * hour);
    await fixture.advance([id]);
    fixture.state.verify = undefined;
    fixture.elapse(-20 * 365 * 24 * hour + hour);
    const [moved] = await fixture.advance();
    expect(moved?.view.stage).toBe('current');
  });
});
