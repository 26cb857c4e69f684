import { expect, it } from 'vitest';
import { openRotationFixture } from '../storm/support/rotation-fixture.ts';

const normalized = (text: string): string => text.replaceAll(/\s+/g, ' ');

it('keys rotate --now of a key that no job delivers recommends keys expire, and no job of another service', async () => {
  await using fixture = await openRotationFixture();
  const { key } = fixture.sandbox.state.keys.create({
    name: 'lonely',
    group: 'default',
    unlimited: true,
    remain: 0n,
    expiredTime: -1,
    createdAt: fixture.sandbox.state.seconds(),
  });
  const refused = await fixture.run('keys', 'rotate', 'lonely', '--now', '--yes');
  expect(refused.code).toBe(2);
  expect(normalized(refused.stderr)).toContain(`tollkeeper keys expire id:${key.id}`);
  expect(refused.stderr).not.toContain('--job');
});

it('keys rotate --now reports which key was deleted and since when it is rejected', async () => {
  await using fixture = await openRotationFixture();
  const done = await fixture.run('keys', 'rotate', 'app', '--now', '--yes');
  expect(done.code).toBe(0);
  expect(normalized(done.stdout)).toMatch(
    new RegExp(String.raw`app \(id ${fixture.old.id}\) is deleted; .* since 2026-12-22 06:03`),
  );
  expect(await fixture.call(fixture.old.key)).toBe(401);
});

it('keys rotate of an exhausted key requires --quota when the job carries its quota over', async () => {
  await using fixture = await openRotationFixture({ limited: true });
  const key = fixture.sandbox.state.keys.get(fixture.old.id);
  if (key !== undefined) key.remain = 0n;
  for (const how of [[], ['--now', '--yes']]) {
    const refused = await fixture.run('keys', 'rotate', 'app', ...how);
    expect(refused.code).toBe(2);
    expect(normalized(refused.stderr)).toContain('tollkeeper keys rotate app --quota AMOUNT');
  }
  expect(fixture.names()).toEqual(['app']);
  const rotated = await fixture.run('keys', 'rotate', 'app', '--quota', '5');
  expect(rotated.code).toBe(0);
  const successor = fixture.sandbox.state.keys.all().find(({ name }) => name === 'app.g2');
  // Less what our verification cost.
  expect(successor?.remain).toBeGreaterThan(499_999_000n);
  expect(await fixture.call(await fixture.deliveredKey())).toBe(200);
});

it('a name too long for its next generation is reported by check and by a notification of the job', async () => {
  const long = `app-${'x'.repeat(45)}`;
  await using fixture = await openRotationFixture();
  fixture.sandbox.state.keys.create({
    name: long,
    group: 'default',
    unlimited: true,
    remain: 0n,
    expiredTime: -1,
    createdAt: fixture.sandbox.state.seconds() - 40 * 86_400,
  });
  expect((await fixture.run('check')).code).toBe(0);
  expect((await fixture.run('run', 'rotate-app')).code).toBe(0);
  expect((await fixture.run('outbox')).stdout).toContain('cannot be rotated');
  await fixture.run('run', 'rotate-app');
  expect((await fixture.run('outbox')).stdout.match(/cannot be rotated/g)).toHaveLength(1);
  await using other = await openRotationFixture({ job: { keys: `{ name: "${long}" }` } });
  const checked = await other.run('check');
  expect(checked.code).toBe(1);
  expect(normalized(checked.stdout)).toMatch(/jobs\.yaml:\d+:\d+: .*keys\.name.* would exceed 50 bytes/);
});

it('keys shows expiry, last call and spend at 80 columns, and everything with --wide', async () => {
  await using fixture = await openRotationFixture();
  expect(await fixture.call(fixture.old.key)).toBe(200);
  fixture.clock.advance(3_600_000);
  expect((await fixture.run('run', 'pull-logs')).code).toBe(0);
  const { key } = fixture.sandbox.state.keys.create({
    name: 'app-new',
    group: 'default',
    unlimited: true,
    remain: 0n,
    expiredTime: fixture.sandbox.state.seconds() + 90 * 86_400,
    createdAt: fixture.sandbox.state.seconds(),
  });
  fixture.clock.advance(12_000);
  const lines = (await fixture.onTerminal(80, 'keys')).split('\n');
  const title = lines.find((line) => line.includes('KEY')) ?? '';
  expect(title).toMatch(/KEY .*EXPIRES .*LAST CALL .*SPEND/);
  expect(title).not.toContain('TO ITS END');
  const wide = await fixture.onTerminal(80, 'keys', '--wide');
  expect(wide).toMatch(/KEY .*ID .*SERVICE .*AGE .*TO ITS END .*EXPIRES .*LAST CALL .*IDLE .*SPEND/);
  const row = wide.split('\n').find((line) => line.includes(String(key.id))) ?? '';
  expect(row).toContain('12 s');
  expect(row).not.toContain('over 30 d');
});
