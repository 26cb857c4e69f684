import { expect, it } from 'vitest';
import { openRotationFixture } from '../storm/support/rotation-fixture.ts';

const minute = 60_000;

/** Minutes pass; consumers call with the key every two, the log is pulled, the job runs. */
const elapse = async (
  fixture: Awaited<ReturnType<typeof openRotationFixture>>,
  minutes: number,
  key: string,
): Promise<void> => {
  for (let done = 0; done < minutes; done += 2) {
    fixture.clock.advance(2 * minute);
    expect(await fixture.call(key)).toBe(200);
  }
  fixture.clock.advance(1000);
  expect((await fixture.run('run', 'pull-logs')).code).toBe(0);
  await fixture.run('run', 'rotate-app');
};

const job = { overlap: '10m', retire: '{ when: unused, quiet: 10m, then: delete, max_overlap: 60m }' };

it('a gateway whose clock is an hour behind keeps the old key until the clock is right', async () => {
  let shift = -60 * minute;
  await using fixture = await openRotationFixture({ job, pulls: '*/5 * * * *', gatewayShift: () => shift });
  await fixture.run('run', 'rotate-app');
  const deliveredKey = await fixture.deliveredKey();
  expect(deliveredKey).not.toBe(fixture.old.key);
  // The consumer goes on with the old key for longer than max_overlap.
  await elapse(fixture, 90, fixture.old.key);
  expect(fixture.names()).toEqual(['app', 'app.g2']);
  const status = await fixture.run('status');
  expect(status.code).toBe(1);
  expect(status.stdout.replaceAll(/\s+/g, ' ')).toContain('gateway is 1 hour behind');
  expect((await fixture.run('outbox')).stdout).toMatch(/clock/);
  shift = 0;
  await elapse(fixture, 2, deliveredKey);
  expect(fixture.names()).toEqual(['app', 'app.g2']);
  expect((await fixture.run('status')).code).toBe(0);
  // Quiet for long enough since, as far as a log tells whose rows come late: then the old one goes.
  await elapse(fixture, 30, deliveredKey);
  expect(fixture.names()).toEqual(['app.g2']);
});

it('a gateway whose clock is an hour ahead never makes our own verification count as a consumer', async () => {
  await using fixture = await openRotationFixture({
    job: { overlap: '10m', retire: '{ when: unused, quiet: 20h, then: delete, max_overlap: 60d }' },
    gatewayShift: () => 60 * minute,
  });
  await fixture.run('run', 'rotate-app');
  // Nobody calls at all: the consumer has not taken the new key up.
  fixture.clock.advance(24 * 60 * minute);
  await fixture.run('run', 'pull-logs');
  await fixture.run('run', 'rotate-app');
  expect(fixture.names()).toEqual(['app', 'app.g2']);
  await elapse(fixture, 30, await fixture.deliveredKey());
  expect(fixture.names()).toEqual(['app.g2']);
});

it('expire-keys expires nothing while the clock of the gateway is wrong, and reports it', async () => {
  await using fixture = await openRotationFixture({
    gatewayShift: () => -60 * minute,
    jobs: `  expire-tmp:
    kind: expire-keys
    keys: { name: "tmp*" }
    stages: { delete: 1d }
    quiet: 1h
    even_if_used: true
    mode: apply
`,
  });
  fixture.sandbox.state.keys.create({
    name: 'tmp-one',
    group: 'default',
    unlimited: true,
    remain: 0n,
    expiredTime: -1,
    createdAt: fixture.sandbox.state.seconds() - 10 * 86_400,
  });
  const ran = await fixture.run('run', 'expire-tmp');
  expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('1 skipped')]);
  const plan = await fixture.run('keys', 'plan', 'expire-tmp');
  expect(plan.stdout.replaceAll(/\s+/g, ' ')).toContain('gateway is 1 hour behind');
  expect((await fixture.run('status')).code).toBe(1);
  expect(fixture.sandbox.state.keys.all().some(({ name }) => name === 'tmp-one')).toBe(true);
});
