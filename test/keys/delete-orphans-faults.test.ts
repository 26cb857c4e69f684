import { describe, expect, it } from 'vitest';
import { fault, type Fault, type FaultCode, noProgress } from '../../src/core/index.ts';
import { engineFixture, hour, type EngineFixture, crash, memorySink, webhookSink } from './engine-fixture.ts';
import { readFile, writeFile } from 'node:fs/promises';

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

  it.each([
    ['is not checked again in a cycle after the gateway throttled', 'gateway-rate-limited', ['adopted']],
    ['is checked independently of other deleted keys', 'gateway-server-error', ['adopted', 'vanished']],
  ] as const)('%s', async (_, code, steps) => {
    await using fixture = await engineFixture();
    const { gone } = await withOneGone(fixture, code);
    const other = await adopt(fixture, 'other.g1', 'other');
    fixture.gateway.keys.delete(other);
    await fixture.later(hour);
    expect([stepsOn(fixture, gone), stepsOn(fixture, other)]).toEqual([['adopted'], steps]);
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

/** A sink that refuses so many deliveries. */
const sluggish = (refusals: number) => {
  let left = refusals;
  const sink = memorySink('memory:one', {
    deliver: async (key) => {
      left -= 1;
      if (left >= 0) throw fault('sink-failed', 'the disk is full');
      sink.contents.value = key.reveal();
      return {};
    },
  });
  return sink;
};

it('a delivery that fails twice is repeated within the call, with the same key', async () => {
  await using fixture = await engineFixture();
  fixture.state.sinks = [sluggish(2).sink];
  const ids = [await fixture.start(fixture.gateway.add('billing.g1'))];
  const [advanced] = await fixture.keyService().advance({ ids, signal, progress: noProgress, retries: true });
  expect(advanced).toMatchObject({ fault: undefined, view: { stage: 'current', tries: 0 } });
  expect(fixture.gateway.writes.create).toBe(1);
});

it('a key that no sink took is deleted when the process ends, and the next one creates another', async () => {
  await using fixture = await engineFixture();
  fixture.state.sinks = [sluggish(3).sink];
  const old = fixture.gateway.add('billing.g1');
  const ids = [await fixture.start(old)];
  await fixture.keyService().advance({ ids, signal, progress: noProgress, retries: true });
  expect(fixture.names()).toEqual(['billing.g1', 'billing.g2']);
  await fixture.keyService().releaseUndelivered(signal);
  expect(fixture.names()).toEqual(['billing.g1']);
  await fixture.restart();
  await fixture.advance(ids);
  expect(fixture.names()).toEqual(['billing.g1', 'billing.g3']);
});

it('a key that a sink may hold stays when the process ends', async () => {
  await using fixture = await engineFixture();
  const half = memorySink('memory:half', {
    deliver: async (key) => {
      half.contents.value = key.reveal();
      throw fault('sink-failed', 'the answer was lost');
    },
  });
  for (const { sink } of [half, webhookSink()]) {
    fixture.state.sinks = [
      {
        ...sink,
        deliver: async (...given) =>
          sink.deliver(...given).then(() => Promise.reject(fault('sink-failed', 'lost'))),
      },
    ];
    const id = await fixture.start(
      fixture.gateway.add(`${sink.place.split(':')[1] ?? ''}.g1`),
      {},
      sink.place.split(':')[1],
    );
    await fixture.advance([id]);
    const before = fixture.names();
    await fixture.keyService().releaseUndelivered(signal);
    expect(fixture.names()).toEqual(before);
  }
});

it('three requests without an answer do not block a rotation whose sink cannot be read back', async () => {
  await using fixture = await engineFixture();
  fixture.state.sinks = [webhookSink().sink];
  fixture.gateway.faults.create = ['after', 'after', 'after'];
  await fixture.begun({ tries: 9 });
  for (let round = 0; round < 60 && fixture.names().length > 0; round += 1) {
    await fixture.later(15 * 60_000);
  }
  // Each attempt is deleted once the log is complete past it, and the fourth is delivered.
  expect(fixture.names()).toEqual(['billing.g1', 'billing.g5']);
  expect(fixture.gateway.deleted.map(({ name }) => name).toSorted()).toEqual([
    'billing.g2',
    'billing.g3',
    'billing.g4',
  ]);
});

it('an attempt without an answer is retained while the audit file lacks a step of the database', async () => {
  await using fixture = await engineFixture();
  fixture.state.sinks = [webhookSink().sink];
  fixture.gateway.faults.create = ['after'];
  await fixture.advance([await fixture.start(fixture.gateway.add('billing.g1'), { tries: 9 })]);
  const [first] = (await readFile(fixture.path(), 'utf8')).split('\n');
  await writeFile(fixture.path(), `${first ?? ''}\n`);
  for (let round = 0; round < 12; round += 1) {
    fixture.elapse(15 * 60_000);
    await fixture.advance().catch(() => undefined);
  }
  expect(fixture.names()).toContain('billing.g2');
});

it('a process that dies after each creation leaves three undelivered keys at most, also while lists are late', async () => {
  await using fixture = await engineFixture();
  fixture.state.logLag = 10 * hour;
  const id = await fixture.start(fixture.gateway.add('billing.g1'));
  let isDead = false;
  fixture.state.at = (what) => {
    isDead ||= what.startsWith('before record verifying');
    if (isDead) throw crash;
  };
  for (let life = 0; life < 12; life += 1) {
    await fixture.advance([id]).catch(() => undefined);
    isDead = false;
    await fixture.restart();
    fixture.elapse(5000);
    // The list does not show the newest key yet.
    fixture.gateway.hidden.clear();
    fixture.gateway.hidden.add(Math.max(...fixture.gateway.keys.keys()));
  }
  expect(fixture.names()).toEqual(['billing.g1', 'billing.g2', 'billing.g3', 'billing.g4']);
});
