import { expect, it } from 'vitest';
import { openRotationFixture } from '../storm/support/rotation-fixture.ts';

const hour = 3_600_000;

it.each([-2, 2])(
  'keys expire ends a key at once at a gateway that is %i hours ahead, and says since when',
  async (hours) => {
    await using fixture = await openRotationFixture({ gatewayShift: () => hours * hour });
    const { id, key } = fixture.old;
    expect(await fixture.call(key)).toBe(200);
    const expired = await fixture.run('keys', 'expire', `id:${id}`, '--yes', '--even-if-current');
    expect([expired.code, expired.stdout]).toMatchObject([
      0,
      expect.stringMatching(/app \(id \d+\) is refused since 2026-12-22 \d\d:\d\d/) as string,
    ]);
    expect(await fixture.call(key)).toBe(401);
  },
);

it('keys expire --at +1h ends a key in an hour at a gateway that is two hours ahead', async () => {
  await using fixture = await openRotationFixture({ gatewayShift: () => 2 * hour });
  const { id, key } = fixture.old;
  const expired = await fixture.run(
    'keys',
    'expire',
    `id:${id}`,
    '--at',
    '+1h',
    '--yes',
    '--even-if-current',
  );
  expect([expired.code, expired.stderr]).toEqual([0, '']);
  fixture.clock.advance(hour - 60_000);
  expect(await fixture.call(key)).toBe(200);
  fixture.clock.advance(120_000);
  expect(await fixture.call(key)).toBe(401);
});

it('keys expire says that caches may accept a key whose plaintext no sink shows, and --delete deletes it', async () => {
  await using fixture = await openRotationFixture();
  const { id } = fixture.old;
  await fixture.folder.write('secrets/app.env', 'OTHER=kept\n');
  const expired = await fixture.run('keys', 'expire', `id:${id}`, '--yes', '--even-if-current');
  expect(expired.code).toBe(0);
  expect(expired.stdout.replaceAll(/\s+/g, ' ')).toMatch(/is expired .*may accept it until 2026-12-22/);
  const deleted = await fixture.run('keys', 'expire', `id:${id}`, '--delete', '--yes', '--even-if-current');
  expect([deleted.code, fixture.names()]).toEqual([0, []]);
});
