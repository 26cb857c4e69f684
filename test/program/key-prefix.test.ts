import { expect, it } from 'vitest';
import { openRotationHouse } from '../storm/support/rotation-house.ts';

it('a key that comes without the prefix that calls need is verified and delivered with it', async () => {
  await using house = await openRotationHouse({ sandbox: { variants: { key_prefix: 'none-required' } } });
  const first = await house.run('run', 'rotate-app');
  expect(first.code).toBe(0);
  expect(house.names()).toEqual(['app', 'app.g2']);
  const second = await house.held();
  expect(second).toMatch(/^sk-/);
  expect(await house.call(second)).toBe(200);
  expect((await house.later(4)).code).toBe(0);
  expect(house.names()).toEqual(['app.g2']);
  // The next rotation knows the form: none of its calls is refused.
  const before = house.sandbox.requests.all().length;
  house.clock.advance(31 * 24 * 3_600_000);
  expect((await house.run('run', 'rotate-app')).code).toBe(0);
  const calls = house.sandbox.requests.all().slice(before);
  expect(calls.filter(({ path }) => path.startsWith('/v1/')).map(({ status }) => status)).toEqual([200]);
  expect(await house.held()).not.toBe(second);
});

it('a key that comes without a prefix is delivered as it came where calls take it so', async () => {
  await using house = await openRotationHouse({ sandbox: { variants: { key_prefix: 'none' } } });
  expect((await house.run('run', 'rotate-app')).code).toBe(0);
  expect(await house.held()).not.toMatch(/^sk-/);
  expect(await house.call(await house.held())).toBe(200);
});
