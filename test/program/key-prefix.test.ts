import { expect, it } from 'vitest';
import { openRotationFixture } from '../storm/support/rotation-fixture.ts';

it('a key returned without the prefix that calls need is verified and delivered with it', async () => {
  await using fixture = await openRotationFixture({ sandbox: { variants: { key_prefix: 'none-required' } } });
  const first = await fixture.run('run', 'rotate-app');
  expect(first.code).toBe(0);
  expect(fixture.names()).toEqual(['app', 'app.g2']);
  const second = await fixture.deliveredKey();
  expect(second).toMatch(/^sk-/);
  expect(await fixture.call(second)).toBe(200);
  expect((await fixture.later(4)).code).toBe(0);
  expect(fixture.names()).toEqual(['app.g2']);
  // The next rotation knows the form: none of its calls is refused.
  const before = fixture.sandbox.requests.all().length;
  fixture.clock.advance(31 * 24 * 3_600_000);
  expect((await fixture.run('run', 'rotate-app')).code).toBe(0);
  const calls = fixture.sandbox.requests.all().slice(before);
  expect(calls.filter(({ path }) => path.startsWith('/v1/')).map(({ status }) => status)).toEqual([200]);
  expect(await fixture.deliveredKey()).not.toBe(second);
});

it('a key returned without a prefix is delivered unchanged when calls accept it', async () => {
  await using fixture = await openRotationFixture({ sandbox: { variants: { key_prefix: 'none' } } });
  expect((await fixture.run('run', 'rotate-app')).code).toBe(0);
  expect(await fixture.deliveredKey()).not.toMatch(/^sk-/);
  expect(await fixture.call(await fixture.deliveredKey())).toBe(200);
});
