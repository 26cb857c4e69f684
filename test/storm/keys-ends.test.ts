import { describe, expect, it } from 'vitest';
import { scopes } from '../../src/sandbox/index.ts';
import { sampled, stormTimes } from '../support/storm.ts';
import { openRotationHouse } from './support/rotation-house.ts';
import type { RotationHouse } from './support/rotation-house.ts';

/** Each takes seconds, and the engine has quicker tests of the same: they are for storms. */
const inStorms = it.runIf(stormTimes > 1);

/** Lets it run on, some hours between two runs, until one key is left. */
const toTheEnd = async (house: RotationHouse): Promise<void> => {
  const said: string[] = [];
  const isOver = async () => house.names().length === 1 && (await house.held()) !== house.old.key;
  while (said.length < 8 && !(await isOver())) {
    const { stdout, stderr } = await house.later(3);
    said.push(stdout + stderr);
  }
  if (!(await isOver())) throw new Error(`it came to no end:\n${said.join('\n')}`);
  expect(await house.call(await house.held())).toBe(200);
};

/** Nothing has happened to the old key, and it is in its sink. */
const expectUntouched = async (house: RotationHouse): Promise<void> => {
  expect(await house.held()).toBe(house.old.key);
  expect(await house.call(house.old.key)).toBe(200);
  expect(house.sandbox.state.keys.get(house.old.id)).toMatchObject({ name: 'app', expiredTime: -1 });
};

const orphans = async (house: RotationHouse): Promise<readonly string[]> =>
  house.names().filter((name) => name !== 'app');

describe('what only looks', () => {
  it('mode plan, --dry-run and keys plan write nothing to the gateway', async () => {
    await using house = await openRotationHouse({ job: { mode: 'plan' } });
    const planned = await house.run('run', 'rotate-app');
    expect([planned.code, planned.stdout]).toEqual([0, expect.stringContaining('1 key would be rotated')]);
    expect((await house.run('outbox')).stdout).toMatch(/key-plan:rotate-app .* ops@example\.com /);
    const dry = await house.run('run', 'rotate-app', '--dry-run');
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining('app')]);
    expect((await house.run('keys', 'list')).code).toBe(0);
    expect(house.sandbox.requests.keyWrites()).toEqual({ POST: 0, PUT: 0, DELETE: 0 });
    await expectUntouched(house);
  });
});

describe('a rotation', () => {
  inStorms('hands over, overlaps, and ends with one key', async () => {
    await using house = await openRotationHouse({ limited: true });
    const first = await house.run('run', 'rotate-app');
    expect(first.code).toBe(0);
    expect(house.names()).toHaveLength(2);
    expect(await house.call(house.old.key)).toBe(200);
    expect(await house.call(await house.held())).toBe(200);
    await toTheEnd(house);
    expect((await house.run('keys', 'audit', '--verify')).code).toBe(0);
  });

  it.each(
    sampled(
      [
        ['POST', 'lost-answer'],
        ['POST', 'reset'],
        ['DELETE', 'lost-answer'],
        ['DELETE', 'reset'],
        ['PUT', 'lost-answer'],
        ['PUT', 'reset'],
      ] as const,
      6,
    ),
  )('goes on after a %s that ended in %s', async (method, kind) => {
    await using house = await openRotationHouse({ limited: true });
    house.sandbox.faults.plant({ kind, method, path: '/api/token/' });
    await house.run('run', 'rotate-app');
    expect((await orphans(house)).length).toBeLessThanOrEqual(1);
    await toTheEnd(house);
    expect(house.sandbox.faults.pending()).toEqual([]);
  });

  it.each(
    sampled(
      [
        ['sees a late key', { kind: 'late-effect', millis: 240_000, method: 'POST', path: '/api/token/' }],
        ['waits for a list', { kind: 'late-listing', millis: 240_000, method: 'POST', path: '/api/token/' }],
        [
          'waits for a delete',
          { kind: 'late-listing', millis: 500_000, method: 'DELETE', path: '/api/token/' },
        ],
        ['does not take one no for an answer', { kind: 'status', status: 401, path: '/v1/', times: 2 }],
      ] as const,
      4,
    ),
  )('%s', async (_words, fault) => {
    await using house = await openRotationHouse();
    house.sandbox.faults.plant(fault);
    await house.run('run', 'rotate-app');
    house.clock.advance(600_000);
    await toTheEnd(house);
  });

  inStorms('of a limited key leaves its fields whole where a PUT empties what is left out', async () => {
    await using house = await openRotationHouse({
      limited: true,
      sandbox: { variants: { update: 'replace', quota_request_unit: 'units' } },
    });
    await toTheEnd(house);
    const [name] = house.names();
    const key = house.sandbox.state.keys.all().find((one) => one.name === name);
    expect(key).toMatchObject({ unlimited: false, expiredTime: -1, group: 'default' });
    expect(key?.remain).toBeGreaterThan(49_000_000n);
    expect(key?.remain).toBeLessThanOrEqual(50_000_000n);
  });

  inStorms('finds its key among two thousand, while others come and go between the pages', async () => {
    await using house = await openRotationHouse({ sandbox: { variants: { key_cap: 'none' } } });
    house.sandbox.traffic.addKeys(2000, 'bulk');
    house.sandbox.traffic.addKeys(50, 'churn');
    house.sandbox.faults.plant({
      kind: 'churn',
      add: 1,
      remove: 2,
      method: 'GET',
      path: '/api/token/',
      times: 60,
    });
    await toTheEnd(house);
    expect(house.sandbox.state.keys.all().filter(({ name }) => name.startsWith('bulk-'))).toHaveLength(2000);
  });
});

describe('the old key stays as it is, and operators are told within the run', () => {
  const expectTold = async (house: RotationHouse): Promise<void> => {
    expect((await house.run('outbox')).stdout).toMatch(/ keys .* ops@example\.com /);
  };

  it('when the Admin Key may not write', async () => {
    const key = 'sk-admin-without-the-right-to-write';
    const few = scopes.filter((scope) => scope !== 'keys:write');
    await using house = await openRotationHouse({ sandbox: { adminKeys: [{ key, scopes: few }] } });
    await house.run('run', 'rotate-app');
    await expectUntouched(house);
    expect(await orphans(house)).toEqual([]);
    await expectTold(house);
  });

  inStorms('when a new key never works', async () => {
    await using house = await openRotationHouse();
    house.sandbox.faults.plant({ kind: 'status', status: 401, path: '/v1/', times: 1000 });
    await house.run('run', 'rotate-app');
    house.sandbox.faults.clear();
    await expectUntouched(house);
    expect((await orphans(house)).length).toBeLessThanOrEqual(1);
    await expectTold(house);
    await toTheEnd(house);
  });

  it.each(
    sampled(
      [
        ['lies', "process.stdin.resume().on('end', () => console.log('0'.repeat(64)))"],
        ['fails', 'process.exit(1)'],
      ] as const,
      2,
    ),
  )('when a sink %s', async (_how, script) => {
    await using house = await openRotationHouse({
      job: { deliver: `[{ command: { run: [${process.execPath}, -e, ${JSON.stringify(script)}] } }]` },
    });
    await house.run('run', 'rotate-app');
    await expectUntouched(house);
    await expectTold(house);
    house.clock.advance(24 * 3_600_000);
    await house.run('run', 'rotate-app');
    await expectUntouched(house);
  });

  inStorms('when it is used still: it is held, whoever else has taken up the new one', async () => {
    await using house = await openRotationHouse();
    await house.run('run', 'rotate-app');
    for (let runs = 0; runs < 3; runs += 1) {
      expect(await house.call(house.old.key)).toBe(200);
      await house.later(1);
    }
    expect(await house.call(house.old.key)).toBe(200);
    expect(house.names()).toHaveLength(2);
  });
});
