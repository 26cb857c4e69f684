import { expect, it } from 'vitest';
import { openRotationFixture } from '../storm/support/rotation-fixture.ts';

/** A job that ends whatever is older than a day, used or not. */
const expireAll = (more = ''): string => `  expire-all:
    kind: expire-keys
    keys: { name: "app*" }
    stages: { delete: 1d }
    even_if_used: true
    limits: { max_per_run: 10 }
    mode: apply${more}
  snapshot: { kind: snapshot, schedule: "37 * * * *" }
`;

it('expire-keys never expires the key in the sinks of a service, and the plan gives the reason', async () => {
  await using fixture = await openRotationFixture({ jobs: expireAll() });
  // Before the first rotation nothing is delivered yet, but the rotation job covers the key.
  const before = await fixture.run('run', 'expire-all');
  expect(before.stdout).toMatch(/1 skipped/);
  expect(await fixture.call(fixture.old.key)).toBe(200);
  expect((await fixture.run('run', 'rotate-app')).code).toBe(0);
  expect((await fixture.later(4)).code).toBe(0);
  expect(fixture.names()).toEqual(['app.g2']);
  fixture.clock.advance(40 * 24 * 3_600_000);
  const plan = await fixture.run('keys', 'plan', 'expire-all');
  expect(plan.stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /app\.g2: .*secrets\/app\.env#KEY holds it.*`even_if_current: true`/,
  );
  expect((await fixture.run('run', 'expire-all')).code).toBe(0);
  expect(fixture.names()).toEqual(['app.g2']);
  expect(await fixture.call(await fixture.deliveredKey())).toBe(200);
});

it('expire-keys never expires an older key that was put back into a sink', async () => {
  await using fixture = await openRotationFixture({
    jobs: expireAll(),
    job: { retire: '{ when: after-overlap, then: expire }' },
  });
  const deliveredKey = async () => fixture.deliveredKey();
  await fixture.run('run', 'rotate-app');
  const second = await deliveredKey();
  fixture.clock.advance(31 * 24 * 3_600_000);
  await fixture.run('run', 'rotate-app');
  await fixture.run('run', 'rotate-app');
  expect(fixture.names()).toContain('app.g3');
  fixture.clock.advance(2 * 3_600_000);
  await fixture.run('run', 'rotate-app');
  // The sink is restored from a backup, and somebody gives its key a later end.
  await fixture.folder.write('secrets/app.env', `KEY=${second}\n`);
  const key = fixture.sandbox.state.keys.all().find(({ name }) => name === 'app.g2');
  if (key !== undefined) key.expiredTime = -1;
  fixture.clock.advance(2 * 24 * 3_600_000);
  await fixture.run('run', 'expire-all');
  expect(fixture.names()).toContain('app.g2');
  expect(fixture.names()).toContain('app.g3');
});

it('expire-keys expires a current key when the job sets even_if_current', async () => {
  await using fixture = await openRotationFixture({ jobs: expireAll('\n    even_if_current: true') });
  expect((await fixture.run('run', 'expire-all')).code).toBe(0);
  expect(fixture.names()).toEqual([]);
});
