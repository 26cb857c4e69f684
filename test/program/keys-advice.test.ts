import { expect, it } from 'vitest';
import { openRotationHouse } from '../storm/support/rotation-house.ts';

const words = (text: string): string => text.replaceAll(/\s+/g, ' ');

it('keys rotate --now of a key that no job delivers advises keys expire, and no job of another service', async () => {
  await using house = await openRotationHouse();
  const { key } = house.sandbox.state.keys.create({
    name: 'lonely',
    group: 'default',
    unlimited: true,
    remain: 0n,
    expiredTime: -1,
    createdAt: house.sandbox.state.seconds(),
  });
  const refused = await house.run('keys', 'rotate', 'lonely', '--now', '--yes');
  expect(refused.code).toBe(2);
  expect(words(refused.stderr)).toContain(`tollkeeper keys expire id:${key.id}`);
  expect(refused.stderr).not.toContain('--job');
});

it('keys rotate --now says which key was deleted and since when it is refused', async () => {
  await using house = await openRotationHouse();
  const done = await house.run('keys', 'rotate', 'app', '--now', '--yes');
  expect(done.code).toBe(0);
  expect(words(done.stdout)).toMatch(
    new RegExp(
      String.raw`app \(id ${house.old.id}\) is deleted; calls with it are refused since 2026-12-22 06:03`,
    ),
  );
  expect(await house.call(house.old.key)).toBe(401);
});

it('keys rotate of an exhausted key requires --quota where the job carries its quota over', async () => {
  await using house = await openRotationHouse({ limited: true });
  const key = house.sandbox.state.keys.get(house.old.id);
  if (key !== undefined) key.remain = 0n;
  for (const how of [[], ['--now', '--yes']]) {
    const refused = await house.run('keys', 'rotate', 'app', ...how);
    expect(refused.code).toBe(2);
    expect(words(refused.stderr)).toContain('tollkeeper keys rotate app --quota AMOUNT');
  }
  expect(house.names()).toEqual(['app']);
  const rotated = await house.run('keys', 'rotate', 'app', '--quota', '5');
  expect(rotated.code).toBe(0);
  const successor = house.sandbox.state.keys.all().find(({ name }) => name === 'app.g2');
  // Less what our verification cost.
  expect(successor?.remain).toBeGreaterThan(499_999_000n);
  expect(await house.call(await house.held())).toBe(200);
});

it('a name too long for its next generation is reported by check and notified by the job', async () => {
  const long = `app-${'x'.repeat(45)}`;
  await using house = await openRotationHouse();
  house.sandbox.state.keys.create({
    name: long,
    group: 'default',
    unlimited: true,
    remain: 0n,
    expiredTime: -1,
    createdAt: house.sandbox.state.seconds() - 40 * 86_400,
  });
  expect((await house.run('check')).code).toBe(0);
  expect((await house.run('run', 'rotate-app')).code).toBe(0);
  expect((await house.run('outbox')).stdout).toContain('cannot be rotated');
  await house.run('run', 'rotate-app');
  expect((await house.run('outbox')).stdout.match(/cannot be rotated/g)).toHaveLength(1);
  await using other = await openRotationHouse({ job: { keys: `{ name: "${long}" }` } });
  const checked = await other.run('check');
  expect(checked.code).toBe(1);
  expect(words(checked.stdout)).toMatch(/jobs\.yaml:\d+:\d+: .*keys\.name.* would outgrow 50 bytes/);
});

it('keys shows expiry, last call and spend at 80 columns, and everything with --wide', async () => {
  await using house = await openRotationHouse();
  expect(await house.call(house.old.key)).toBe(200);
  house.clock.advance(3_600_000);
  expect((await house.run('run', 'pull-logs')).code).toBe(0);
  const { key } = house.sandbox.state.keys.create({
    name: 'app-new',
    group: 'default',
    unlimited: true,
    remain: 0n,
    expiredTime: house.sandbox.state.seconds() + 90 * 86_400,
    createdAt: house.sandbox.state.seconds(),
  });
  house.clock.advance(12_000);
  const lines = (await house.onTerminal(80, 'keys')).split('\n');
  const title = lines.find((line) => line.includes('KEY')) ?? '';
  expect(title).toMatch(/KEY .*EXPIRES .*LAST CALL .*SPEND/);
  expect(title).not.toContain('TO ITS END');
  const wide = await house.onTerminal(80, 'keys', '--wide');
  expect(wide).toMatch(/KEY .*ID .*SERVICE .*AGE .*TO ITS END .*EXPIRES .*LAST CALL .*IDLE .*SPEND/);
  const row = wide.split('\n').find((line) => line.includes(String(key.id))) ?? '';
  expect(row).toContain('12 s');
  expect(row).not.toContain('over 30 d');
});
