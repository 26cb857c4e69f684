import { describe, expect, it } from 'vitest';
import { fault, type Fault, type FaultCode } from '../../src/core/index.ts';
import { engineFixture, hour, type EngineFixture } from './engine-fixture.ts';

const { signal } = new AbortController();

const adopt = async (fixture: EngineFixture, name: string, service: string): Promise<number> => {
  const keyId = fixture.gateway.add(name);
  await fixture.keyService().adopt({ keyId, service, generation: 1 }, 'person anna', signal);
  return keyId;
};

/** A temporary key that a probe left behind. */
const leaveProbe = async (fixture: EngineFixture, generation = 1): Promise<number> => {
  const name = `tollkeeper-probe.g${generation}`;
  const keyId = fixture.gateway.add(name);
  const at = fixture.clock.now();
  const common = { at, who: 'probe', account: 'main', rotation: `probe/${keyId}`, what: 'adopted' } as const;
  const key = { keyId, generation, name, service: 'tollkeeper-probe', born: at };
  await fixture.journal().record([{ ...common, ...key }]);
  return keyId;
};

/** The gateway fails at whatever asks for one of these keys. */
const breakKeys = (fixture: EngineFixture, failures: ReadonlyMap<number, Fault>): void => {
  const { keys } = fixture.gateway;
  const get = keys.get.bind(keys);
  keys.get = (id) => {
    const failure = failures.get(id);
    if (failure !== undefined) throw failure;
    return get(id);
  };
};

const stepsOn = (fixture: EngineFixture, keyId: number): readonly string[] =>
  fixture.table.rows.flatMap(({ what, event }) => (event.includes(`"keyId":${keyId},`) ? [what] : []));

/** A key was deleted by hand, and the gateway answers to a question about it with this; a rotation is open. */
const withOneGone = async (fixture: EngineFixture, code: FaultCode) => {
  const gone = await adopt(fixture, 'gone.g1', 'gone');
  const { old } = await fixture.begun();
  fixture.gateway.keys.delete(gone);
  breakKeys(fixture, new Map([[gone, fault(code, 'as this gateway says it')]]));
  fixture.elapse(2 * hour);
  fixture.used('billing.g2');
  return { gone, old };
};

describe('a key that was deleted manually', () => {
  it.each([
    // The gateway does not confirm the deletion: nothing is written down of it.
    ['gateway-server-error', false],
    ['gateway-timeout', false],
    ['gateway-answer-unreadable', false],
    // The gateway refuses to read it, and no longer lists it.
    ['gateway-http-error', true],
    ['gateway-not-found', true],
    ['gateway-refused', true],
    // The answer is about something else.
    ['gateway-key-refused', false],
    ['gateway-scope-missing', false],
    ['gateway-rate-limited', false],
  ] as const)(
    'does not block the rotations of its account; after %s it counts as deleted: %s',
    async (code, counts) => {
      await using fixture = await engineFixture();
      const { gone } = await withOneGone(fixture, code);
      const [done] = await fixture.advance();
      expect(done?.view.stage).toBe('done');
      expect(fixture.names()).toEqual(['billing.g2']);
      expect(stepsOn(fixture, gone)).toEqual(counts ? ['adopted', 'vanished'] : ['adopted']);
      const retired = fixture.journal().state('main').lineage.get(gone)?.retired;
      expect(retired !== undefined).toBe(counts);
    },
  );

  it('is not checked again in a cycle after the gateway throttled', async () => {
    await using fixture = await engineFixture();
    const { gone } = await withOneGone(fixture, 'gateway-rate-limited');
    const other = await adopt(fixture, 'other.g1', 'other');
    fixture.gateway.keys.delete(other);
    await fixture.later(hour);
    expect([stepsOn(fixture, gone), stepsOn(fixture, other)]).toEqual([['adopted'], ['adopted']]);
  });

  it('is checked independently of other deleted keys', async () => {
    await using fixture = await engineFixture();
    const { gone } = await withOneGone(fixture, 'gateway-server-error');
    const other = await adopt(fixture, 'other.g1', 'other');
    fixture.gateway.keys.delete(other);
    await fixture.later(hour);
    expect([stepsOn(fixture, gone), stepsOn(fixture, other)]).toEqual([['adopted'], ['adopted', 'vanished']]);
  });

  it('stops the cycle when its deletion cannot be journaled', async () => {
    await using fixture = await engineFixture();
    const { old } = await withOneGone(fixture, 'gateway-not-found');
    fixture.state.at = (what) => {
      if (what === 'before record vanished') throw fault('disk-full', 'no space left');
    };
    await expect(fixture.advance()).rejects.toMatchObject({ code: 'disk-full' });
    expect(fixture.gateway.keys.has(old)).toBe(true);
  });
});

describe('an orphan', () => {
  it('with an unknown deletion result blocks neither other orphans nor a rotation', async () => {
    await using fixture = await engineFixture();
    const first = await leaveProbe(fixture);
    const second = await leaveProbe(fixture, 2);
    const old = fixture.gateway.add('billing.g1');
    await fixture.start(old);
    // It is deleted, the answer is lost, and what the gateway says of a key that is not there tells nothing.
    const { keys } = fixture.gateway;
    const get = keys.get.bind(keys);
    keys.get = (id) => {
      if (id === first && !keys.has(first)) throw fault('gateway-server-error', 'record not found (500)');
      return get(id);
    };
    fixture.gateway.faults.remove.push('after');
    const [moved] = await fixture.advance();
    expect(moved?.view.stage).toBe('current');
    expect(fixture.names()).toEqual(['billing.g1', 'billing.g2']);
    expect(stepsOn(fixture, first)).toEqual(['adopted', 'deleting']);
    expect(stepsOn(fixture, second)).toEqual(['adopted', 'deleting', 'deleted']);
    expect(fixture.alert).toEqual([]);
  });

  it('stops the cycle when the list cannot be read again: no step is tried on unknown state', async () => {
    await using fixture = await engineFixture();
    await leaveProbe(fixture);
    await fixture.start(fixture.gateway.add('billing.g1'));
    fixture.state.at = (what) => {
      if (what !== 'after remove') return;
      fixture.gateway.keys.values = () => {
        throw fault('gateway-unreachable', 'no way there');
      };
    };
    await expect(fixture.advance()).rejects.toMatchObject({ code: 'gateway-unreachable' });
    expect(fixture.gateway.writes.create).toBe(0);
  });

  it('is deferred to the next cycle when the gateway throttles, and the rotations are advanced', async () => {
    await using fixture = await engineFixture();
    const orphanKey = await leaveProbe(fixture);
    await fixture.start(fixture.gateway.add('billing.g1'));
    breakKeys(fixture, new Map([[orphanKey, fault('gateway-rate-limited', 'slow down')]]));
    const [moved] = await fixture.advance();
    expect(moved?.moved).toBe(true);
    expect(fixture.names()).toEqual(['tollkeeper-probe.g1', 'billing.g1', 'billing.g2']);
  });
});
