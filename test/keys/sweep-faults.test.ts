import { describe, expect, it } from 'vitest';
import { fault } from '../../src/base/index.ts';
import type { Fault, FaultCode } from '../../src/base/index.ts';
import { engineHouse, hour } from './engine-house.ts';
import type { EngineHouse } from './engine-house.ts';

const { signal } = new AbortController();

const adopt = async (house: EngineHouse, name: string, service: string): Promise<number> => {
  const keyId = house.gateway.add(name);
  await house.desk().adopt({ keyId, service, generation: 1 }, 'person anna', signal);
  return keyId;
};

/** A throw-away key that a probe left behind. */
const leaveProbe = async (house: EngineHouse, generation = 1): Promise<number> => {
  const name = `tollkeeper-probe.g${generation}`;
  const keyId = house.gateway.add(name);
  const at = house.clock.now();
  const common = {
    at,
    who: 'probe',
    account: 'main',
    service: 'tollkeeper-probe',
    rotation: `probe/${keyId}`,
  };
  await house.journal().record([{ ...common, what: 'adopted', keyId, generation, name, born: at }]);
  return keyId;
};

/** The gateway fails at whatever asks for one of these keys. */
const breakKeys = (house: EngineHouse, failures: ReadonlyMap<number, Fault>): void => {
  const { keys } = house.gateway;
  const get = keys.get.bind(keys);
  keys.get = (id) => {
    const failure = failures.get(id);
    if (failure !== undefined) throw failure;
    return get(id);
  };
};

const stepsOn = (house: EngineHouse, keyId: number): readonly string[] =>
  house.table.rows.flatMap(({ what, event }) => (event.includes(`"keyId":${keyId},`) ? [what] : []));

/** A key was deleted by hand, and the gateway answers to a question about it with this; a rotation is open. */
const withOneGone = async (house: EngineHouse, code: FaultCode) => {
  const gone = await adopt(house, 'gone.g1', 'gone');
  const { old } = await house.begun();
  house.gateway.keys.delete(gone);
  breakKeys(house, new Map([[gone, fault(code, 'as this gateway says it')]]));
  house.pass(2 * hour);
  house.used('billing.g2');
  return { gone, old };
};

describe('a key that was deleted by hand', () => {
  it.each(['gateway-server-error', 'gateway-timeout', 'gateway-answer-unreadable'] as const)(
    'keeps no rotation of its account waiting where the gateway does not tell that it is gone: %s',
    async (code) => {
      await using house = await engineHouse();
      const { gone } = await withOneGone(house, code);
      const [done] = await house.advance();
      expect(done?.view.stage).toBe('done');
      expect(house.names()).toEqual(['billing.g2']);
      // It does not tell: nothing is written down of it.
      expect(stepsOn(house, gone)).toEqual(['adopted']);
    },
  );

  it.each(['gateway-http-error', 'gateway-not-found', 'gateway-refused'] as const)(
    'is gone where the gateway refuses to tell of it and lists it no more: %s',
    async (code) => {
      await using house = await engineHouse();
      const { gone } = await withOneGone(house, code);
      const [done] = await house.advance();
      expect(done?.view.stage).toBe('done');
      expect(stepsOn(house, gone)).toEqual(['adopted', 'vanished']);
      expect(house.journal().lineage('main').get(gone)?.retired).toBeDefined();
    },
  );

  it.each(['gateway-key-refused', 'gateway-scope-missing', 'gateway-rate-limited'] as const)(
    'is not gone for an answer that is not about it: %s',
    async (code) => {
      await using house = await engineHouse();
      const { gone } = await withOneGone(house, code);
      const [done] = await house.advance();
      expect(done?.view.stage).toBe('done');
      expect(stepsOn(house, gone)).toEqual(['adopted']);
    },
  );

  it('is not looked for any longer in a pass that the gateway has had enough of', async () => {
    await using house = await engineHouse();
    const { gone } = await withOneGone(house, 'gateway-rate-limited');
    const other = await adopt(house, 'other.g1', 'other');
    house.gateway.keys.delete(other);
    house.pass(hour);
    await house.advance();
    expect([stepsOn(house, gone), stepsOn(house, other)]).toEqual([['adopted'], ['adopted']]);
  });

  it('and one beside it are seen to each by itself', async () => {
    await using house = await engineHouse();
    const { gone } = await withOneGone(house, 'gateway-server-error');
    const other = await adopt(house, 'other.g1', 'other');
    house.gateway.keys.delete(other);
    house.pass(hour);
    await house.advance();
    expect([stepsOn(house, gone), stepsOn(house, other)]).toEqual([['adopted'], ['adopted', 'vanished']]);
  });

  it('stops the pass when that cannot be written down', async () => {
    await using house = await engineHouse();
    const { old } = await withOneGone(house, 'gateway-not-found');
    house.state.at = (what) => {
      if (what === 'before record vanished') throw fault('disk-full', 'no space left');
    };
    await expect(house.advance()).rejects.toMatchObject({ code: 'disk-full' });
    expect(house.gateway.keys.has(old)).toBe(true);
  });
});

describe('a key that nobody can use', () => {
  it('and whose end is not known keeps neither another one nor a rotation waiting', async () => {
    await using house = await engineHouse();
    const first = await leaveProbe(house);
    const second = await leaveProbe(house, 2);
    const old = house.gateway.add('billing.g1');
    await house.start(old);
    // It is deleted, the answer is lost, and what the gateway says of a key that is not there tells nothing.
    const { keys } = house.gateway;
    const get = keys.get.bind(keys);
    keys.get = (id) => {
      if (id === first && !keys.has(first)) throw fault('gateway-server-error', 'record not found (500)');
      return get(id);
    };
    house.gateway.faults.remove.push('after');
    const [moved] = await house.advance();
    expect(moved?.view.stage).toBe('current');
    expect(house.names()).toEqual(['billing.g1', 'billing.g2']);
    expect(stepsOn(house, first)).toEqual(['adopted', 'deleting']);
    expect(stepsOn(house, second)).toEqual(['adopted', 'deleting', 'deleted']);
    expect(house.news).toEqual([]);
  });

  it('stops the pass when the list cannot be read again: no step is tried on what is not known', async () => {
    await using house = await engineHouse();
    await leaveProbe(house);
    await house.start(house.gateway.add('billing.g1'));
    house.state.at = (what) => {
      if (what !== 'after remove') return;
      house.gateway.keys.values = () => {
        throw fault('gateway-unreachable', 'no way there');
      };
    };
    await expect(house.advance()).rejects.toMatchObject({ code: 'gateway-unreachable' });
    expect(house.gateway.writes.create).toBe(0);
  });

  it('waits for the next pass where the gateway has had enough, and the rotations are moved on', async () => {
    await using house = await engineHouse();
    const stray = await leaveProbe(house);
    await house.start(house.gateway.add('billing.g1'));
    breakKeys(house, new Map([[stray, fault('gateway-rate-limited', 'slow down')]]));
    const [moved] = await house.advance();
    expect(moved?.moved).toBe(true);
    expect(house.names()).toEqual(['tollkeeper-probe.g1', 'billing.g1', 'billing.g2']);
  });
});
