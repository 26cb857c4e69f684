import { describe, expect, it } from 'vitest';
import { scopes } from '../../src/sandbox/index.ts';
import { sampled, chaosFactor } from '../support/storm.ts';
import { openRotationFixture, type RotationFixture } from './support/rotation-fixture.ts';

/** Each takes seconds, and the engine has quicker tests of the same: they are for storms. */
const inStorms = it.runIf(chaosFactor > 1);

/** Lets it run on, some hours between two runs, until one key is left. */
const toTheEnd = async (fixture: RotationFixture): Promise<void> => {
  const output: string[] = [];
  const isOver = async () =>
    fixture.names().length === 1 && (await fixture.deliveredKey()) !== fixture.old.key;
  while (output.length < 8 && !(await isOver())) {
    const { stdout, stderr } = await fixture.later(3);
    output.push(stdout + stderr);
  }
  if (!(await isOver())) throw new Error(`it came to no end:\n${output.join('\n')}`);
  expect(await fixture.call(await fixture.deliveredKey())).toBe(200);
};

/** Nothing has happened to the old key, and it is in its sink. */
const expectUntouched = async (fixture: RotationFixture): Promise<void> => {
  expect(await fixture.deliveredKey()).toBe(fixture.old.key);
  expect(await fixture.call(fixture.old.key)).toBe(200);
  expect(fixture.sandbox.state.keys.get(fixture.old.id)).toMatchObject({ name: 'app', expiredTime: -1 });
};

const orphans = async (fixture: RotationFixture): Promise<readonly string[]> =>
  fixture.names().filter((name) => name !== 'app');

describe('a read-only command', () => {
  it('such as mode plan, --dry-run and keys plan writes nothing to the gateway', async () => {
    await using fixture = await openRotationFixture({ job: { mode: 'plan' } });
    const planned = await fixture.run('run', 'rotate-app');
    expect([planned.code, planned.stdout]).toEqual([0, expect.stringContaining('1 key would be rotated')]);
    expect((await fixture.run('outbox')).stdout).toMatch(/key-plan:rotate-app .* ops@example\.com /);
    const dry = await fixture.run('run', 'rotate-app', '--dry-run');
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining('app')]);
    expect((await fixture.run('keys', 'list')).code).toBe(0);
    expect(fixture.sandbox.requests.keyWrites()).toEqual({ POST: 0, PUT: 0, DELETE: 0 });
    await expectUntouched(fixture);
  });
});

describe('a rotation', () => {
  inStorms('cuts over, overlaps, and ends with one key', async () => {
    await using fixture = await openRotationFixture({ limited: true });
    const first = await fixture.run('run', 'rotate-app');
    expect(first.code).toBe(0);
    expect(fixture.names()).toHaveLength(2);
    expect(await fixture.call(fixture.old.key)).toBe(200);
    expect(await fixture.call(await fixture.deliveredKey())).toBe(200);
    await toTheEnd(fixture);
    expect((await fixture.run('keys', 'audit', '--verify')).code).toBe(0);
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
    await using fixture = await openRotationFixture({ limited: true });
    fixture.sandbox.faults.plant({ kind, method, path: '/api/token/' });
    await fixture.run('run', 'rotate-app');
    expect((await orphans(fixture)).length).toBeLessThanOrEqual(1);
    await toTheEnd(fixture);
    expect(fixture.sandbox.faults.pending()).toEqual([]);
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
    await using fixture = await openRotationFixture();
    fixture.sandbox.faults.plant(fault);
    await fixture.run('run', 'rotate-app');
    fixture.clock.advance(600_000);
    await toTheEnd(fixture);
  });

  inStorms('of a limited key leaves its fields whole where a PUT empties what is left out', async () => {
    await using fixture = await openRotationFixture({
      limited: true,
      sandbox: { variants: { update: 'replace', quota_request_unit: 'units' } },
    });
    await toTheEnd(fixture);
    const [name] = fixture.names();
    const key = fixture.sandbox.state.keys.all().find((one) => one.name === name);
    expect(key).toMatchObject({ unlimited: false, expiredTime: -1, group: 'default' });
    expect(key?.remain).toBeGreaterThan(49_000_000n);
    expect(key?.remain).toBeLessThanOrEqual(50_000_000n);
  });

  inStorms('finds its key among two thousand, while others come and go between the pages', async () => {
    await using fixture = await openRotationFixture({ sandbox: { variants: { key_cap: 'none' } } });
    fixture.sandbox.traffic.addKeys(2000, 'bulk');
    fixture.sandbox.traffic.addKeys(50, 'churn');
    fixture.sandbox.faults.plant({
      kind: 'churn',
      add: 1,
      remove: 2,
      method: 'GET',
      path: '/api/token/',
      times: 60,
    });
    await toTheEnd(fixture);
    expect(fixture.sandbox.state.keys.all().filter(({ name }) => name.startsWith('bulk-'))).toHaveLength(
      2000,
    );
  });
});

describe('the old key stays unchanged, and operators are notified within the run,', () => {
  const expectNotified = async (fixture: RotationFixture): Promise<void> => {
    expect((await fixture.run('outbox')).stdout).toMatch(/ keys .* ops@example\.com /);
  };

  it('when the Admin Key lacks the write scope', async () => {
    const key = 'sk-admin-without-the-right-to-write';
    const few = scopes.filter((scope) => scope !== 'keys:write');
    await using fixture = await openRotationFixture({ sandbox: { adminKeys: [{ key, scopes: few }] } });
    await fixture.run('run', 'rotate-app');
    await expectUntouched(fixture);
    expect(await orphans(fixture)).toEqual([]);
    await expectNotified(fixture);
  });

  inStorms('when a new key never works', async () => {
    await using fixture = await openRotationFixture();
    fixture.sandbox.faults.plant({ kind: 'status', status: 401, path: '/v1/', times: 1000 });
    await fixture.run('run', 'rotate-app');
    fixture.sandbox.faults.clear();
    await expectUntouched(fixture);
    expect((await orphans(fixture)).length).toBeLessThanOrEqual(1);
    await expectNotified(fixture);
    await toTheEnd(fixture);
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
    await using fixture = await openRotationFixture({
      job: { deliver: `[{ command: { run: [${process.execPath}, -e, ${JSON.stringify(script)}] } }]` },
    });
    await fixture.run('run', 'rotate-app');
    await expectUntouched(fixture);
    await expectNotified(fixture);
    fixture.clock.advance(24 * 3_600_000);
    await fixture.run('run', 'rotate-app');
    await expectUntouched(fixture);
  });

  inStorms('when it is used still: it is held, whoever else has taken up the new one', async () => {
    await using fixture = await openRotationFixture();
    await fixture.run('run', 'rotate-app');
    for (let runs = 0; runs < 3; runs += 1) {
      expect(await fixture.call(fixture.old.key)).toBe(200);
      await fixture.later(1);
    }
    expect(await fixture.call(fixture.old.key)).toBe(200);
    expect(fixture.names()).toHaveLength(2);
  });
});
