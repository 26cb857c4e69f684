import { describe, expect, it } from 'vitest';
import { fault, money } from '../../src/core/index.ts';
import {
  defaultTerms,
  engineFixture,
  fullSink,
  hour,
  memorySink,
  noVerdict,
  begunFixture,
  dieAt,
} from './engine-fixture.ts';

const minute = 60_000;

const compromiseTerms = {
  ...defaultTerms,
  overlap: 0,
  retire: { when: 'now' as const, quiet: hour, ending: 'delete' as const },
};

describe('an unusable orphan', () => {
  it('is deleted while its rotation is paused, if its answer was lost', async () => {
    await using fixture = await engineFixture();
    fixture.gateway.faults.create.push('after');
    const { moved: lost } = await fixture.begun({ tries: 1 });
    expect([lost?.view.stage, fixture.names()]).toEqual(['waiting', ['billing.g1', 'billing.g2']]);
    await fixture.later(5 * minute);
    // The log tells nothing yet of a key that was made just now.
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g2']);
    const [after] = await fixture.later(hour);
    expect([after?.view.stage, fixture.names()]).toEqual(['waiting', ['billing.g1']]);
  });

  it('is deleted by a later cycle if the first attempt failed or was interrupted', async () => {
    await using fixture = await engineFixture();
    fixture.gateway.faults.create.push('before');
    await fixture.begun(compromiseTerms);
    const [done] = await fixture.later(10 * minute);
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

  it('is not confused with a key that a person created later under the name of a lost one', async () => {
    await using fixture = await engineFixture();
    fixture.gateway.faults.create.push('before');
    await fixture.begun();
    await fixture.later(hour);
    fixture.elapse(24 * hour);
    const theirs = fixture.gateway.add('billing.g2');
    await fixture.advance();
    expect(fixture.gateway.keys.has(theirs)).toBe(true);
    expect(fixture.alerted()).toContain('orphan-retained billing.g2 unidentified');
  });

  it('is never a key that somebody else named like a temporary key', async () => {
    await using fixture = await engineFixture();
    const key = fixture.gateway.add('mine');
    const signal = new AbortController().signal;
    await expect(
      fixture
        .keyService()
        .adopt({ keyId: key, service: 'tollkeeper-probe', generation: 1 }, 'person anna', signal),
    ).rejects.toThrow('temporary');
    await expect(fixture.start(key, {}, 'tollkeeper-probe')).rejects.toThrow('temporary');
  });
});

describe('a delayed key list', () => {
  it('never makes a key count as deleted: an old key is still retired on evidence', async () => {
    const { fixture, old } = await begunFixture();
    fixture.gateway.hidden.add(old);
    await fixture.later(5 * minute);
    fixture.gateway.hidden.clear();
    expect((await fixture.keyService().open()).map(({ stage }) => stage)).toEqual(['current']);
    await fixture.later(2 * hour, 'billing.g2');
    expect(fixture.names()).toEqual(['billing.g2']);
  });

  it('does not end a compromised key before its successor exists', async () => {
    await using fixture = await engineFixture();
    fixture.state.verify = noVerdict;
    const { old } = await fixture.begun(compromiseTerms);
    fixture.elapse(hour);
    fixture.gateway.hidden.add(old);
    await fixture.advance();
    fixture.gateway.hidden.clear();
    fixture.state.verify = undefined;
    const [done] = await fixture.later(7 * hour);
    expect(done?.view.stage).toBe('done');
    expect(fixture.gateway.keys.has(old)).toBe(false);
  });
});

describe('a new key that is deleted externally', () => {
  it('is created again, and the old key stays until then', async () => {
    const { fixture, moved } = await begunFixture();
    fixture.gateway.keys.delete(moved?.view.candidate?.keyId ?? 0);
    const [again] = await fixture.later(2 * hour, 'billing.g2', hour);
    expect(again?.view).toMatchObject({ stage: 'current', candidate: { name: 'billing.g3' } });
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g3']);
    expect(fixture.gateway.works(fixture.sink.contents.value ?? '')).toBe(true);
    expect(fixture.alerted()).toEqual(['taken-away billing.g2']);
    await fixture.later(2 * hour, 'billing.g3');
    expect(fixture.names()).toEqual(['billing.g3']);
  });
});

describe('evidence that nobody uses a key', () => {
  it.each(['quiet', 'retiring', 'deleting'])(
    'is collected again when it is old: killed after %s',
    async (step) => {
      const { fixture, old } = await begunFixture();
      fixture.elapse(2 * hour);
      fixture.used('billing.g2');
      await dieAt(fixture, `after record ${step}`);
      // Three days later somebody went back to the old key.
      await fixture.later(72 * hour, 'billing.g1', 10 * minute);
      expect(fixture.gateway.keys.has(old)).toBe(true);
      await fixture.later(3 * hour);
      expect(fixture.gateway.keys.has(old)).toBe(false);
      expect(await fixture.keyService().open()).toEqual([]);
    },
  );
});

describe('a compromised key', () => {
  it('is deleted immediately, although its quota cannot be settled', async () => {
    await using fixture = await engineFixture();
    const { old, id } = await fixture.planned(compromiseTerms, {
      unlimitedQuota: false,
      remainQuota: money('10'),
    });
    fixture.state.at = (what) => {
      if (what === 'after record current') fixture.spendTo(old, '1');
    };
    fixture.gateway.faults.update.push('before');
    const [moved] = await fixture.advance([id]);
    expect(moved?.view.stage).toBe('done');
    expect(fixture.names()).toEqual(['billing.g2']);
    expect(fixture.alert.map(({ kind }) => kind)).toEqual(['exposure', 'exposure']);
  });

  it('is reported once caches cannot explain why it still exists after its deletion (G8.16)', async () => {
    await using fixture = await engineFixture();
    fixture.gateway.faults.remove.push('unmoved', 'unmoved', 'unmoved', 'unmoved');
    const { id } = await fixture.planned(compromiseTerms);
    for (let round = 0; round < 4; round += 1) {
      await fixture.advance(round === 0 ? [id] : undefined);
      fixture.elapse(5 * minute);
    }
    expect(fixture.alerted()).toEqual(['still-there billing.g1']);
    await fixture.advance();
    expect(fixture.names()).toEqual(['billing.g2']);
  });
});

describe('a quota', () => {
  it('of a successor is reduced by what the old key spent before the cutover, too', async () => {
    await using fixture = await engineFixture();
    fixture.state.verify = noVerdict;
    const { old } = await fixture.begun({}, { unlimitedQuota: false, remainQuota: money('10') });
    fixture.spendTo(old, '6');
    fixture.state.verify = undefined;
    const [moved] = await fixture.later(10 * minute);
    expect(moved?.view.stage).toBe('current');
    fixture.spendTo(old, '5');
    await fixture.later(2 * hour, 'billing.g2');
    expect([...fixture.gateway.keys.values()].map(({ remainQuota }) => remainQuota)).toEqual(['5']);
  });

  it('that is split leaves a used old key half of its remaining quota, whatever it spent meanwhile', async () => {
    await using fixture = await engineFixture();
    fixture.state.verify = noVerdict;
    const { old } = await fixture.begun(
      { quota: { kind: 'split' } },
      { unlimitedQuota: false, remainQuota: money('10') },
    );
    fixture.spendTo(old, '4');
    fixture.state.verify = undefined;
    await fixture.later(10 * minute);
    expect([...fixture.gateway.keys.values()].map(({ remainQuota }) => remainQuota)).toEqual(['2', '5']);
  });
});

describe('an operator', () => {
  it('is notified when the job of an open rotation is removed from the config', async () => {
    await using fixture = await engineFixture();
    fixture.state.declared = false;
    await fixture.begun();
    await fixture.advance();
    expect(new Set(fixture.alerted())).toEqual(new Set(['no-sink']));
    fixture.state.declared = true;
    const [moved] = await fixture.advance();
    expect(moved?.view.stage).toBe('current');
  });

  it('gets the key delivered to a sink that was declared between read-back and cutover', async () => {
    await using fixture = await engineFixture();
    const { id } = await fixture.planned();
    await dieAt(fixture, 'before record current', [id]);
    const two = memorySink('memory:two');
    fixture.state.sinks = [fixture.sink.sink, two.sink];
    for (let round = 0; round < 3; round += 1) {
      await fixture.later(hour / 2);
    }
    expect((await fixture.keyService().open()).map(({ stage }) => stage)).toEqual(['current']);
    expect(two.contents.value).toBe(fixture.sink.contents.value);
    expect(fixture.gateway.works(two.contents.value ?? '')).toBe(true);
  });

  it('can give up a rotation that cuts over and never completes, and the next rotation retires its old key', async () => {
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
      'retired by the next rotation',
    );
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g2']);
    fixture.state.reload = undefined;
    const next = [...fixture.gateway.keys.keys()][1] ?? 0;
    await fixture.advance([await fixture.start(next)]);
    await fixture.later(2 * hour, 'billing.g3');
    expect(fixture.names()).toEqual(['billing.g3']);
  });

  it('gets no confirmation request for a key that requires none', async () => {
    await using fixture = await engineFixture();
    const broken = fullSink('memory:two');
    fixture.state.sinks = [fixture.sink.sink, broken.sink];
    await fixture.begun();
    await expect(
      fixture.keyService().confirm('billing', fixture.fingerprint(), 'person anna'),
    ).rejects.toThrow('requires no confirmation');
  });
});

describe('a key that is to be ended', () => {
  it('counts as ended when it no longer exists', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    fixture.gateway.keys.delete(old);
    expect(await fixture.expire(old, { kind: 'delete' }, false)).toMatchObject([{ done: true }]);
  });

  it('is not a key that is being delivered to sinks', async () => {
    await using fixture = await engineFixture();
    fixture.state.sinks = [fixture.sink.sink, fullSink('memory:two').sink];
    const { moved } = await fixture.begun();
    const ended = await fixture.expire(moved?.view.candidate?.keyId ?? 0, { kind: 'delete' }, false);
    expect(ended).toMatchObject([{ done: false, message: expect.stringContaining('give-up billing') }]);
    expect(fixture.gateway.works(fixture.sink.contents.value ?? '')).toBe(true);
  });
});

it('a failure that a clock years ahead stamped blocks nothing', async () => {
  await using fixture = await engineFixture();
  fixture.state.verify = noVerdict;
  const { id } = await fixture.planned();
  fixture.elapse(20 * 365 * 24 * hour);
  await fixture.advance([id]);
  fixture.state.verify = undefined;
  const [moved] = await fixture.later(-20 * 365 * 24 * hour + hour);
  expect(moved?.view.stage).toBe('current');
});
