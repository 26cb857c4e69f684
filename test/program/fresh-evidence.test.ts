import { expect, it } from 'vitest';
import { openRotationFixture } from '../storm/support/rotation-fixture.ts';

it('an old key that comes back into use minutes before its deletion stays, although the pulled log does not show the call', async () => {
  await using fixture = await openRotationFixture();
  expect((await fixture.run('run', 'rotate-app')).code).toBe(0);
  const { key } = fixture.old;
  for (let hours = 0; hours < 3; hours += 1) {
    fixture.clock.advance(3_600_000);
    expect(await fixture.call(await fixture.deliveredKey())).toBe(200);
  }
  expect((await fixture.run('run', 'pull-logs')).code).toBe(0);
  // The lag keeps this call out of the pull.
  expect(await fixture.call(key)).toBe(200);
  fixture.clock.advance(60_000);
  expect((await fixture.run('run', 'rotate-app')).code).toBe(0);
  expect(await fixture.call(key)).toBe(200);
  expect(fixture.names()).toEqual(['app', 'app.g2']);
  expect((await fixture.run('keys', 'history', 'app')).stdout).toMatch(/app is retained: .* still in use/);
  for (let hours = 0; hours < 2; hours += 1) await fixture.later(2);
  expect(fixture.names()).toEqual(['app.g2']);
});
