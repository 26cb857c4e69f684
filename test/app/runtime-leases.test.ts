import { expect, it } from 'vitest';
import type { Config } from '../../src/config/index.ts';
import { type Runtime, createRuntimeLeases } from '../../src/app/runtime/runtime.ts';

const openFixture = () => {
  const closed: string[] = [];
  /** A runtime whose config is called so. */
  const runtime = (name: string): Runtime =>
    ({
      config: { name } as unknown as Config,
      holdsMail: async (file: string) => Promise.resolve(file === name),
      [Symbol.asyncDispose]: async () => {
        await Promise.resolve();
        closed.push(name);
      },
    }) as unknown as Runtime;
  const leases = createRuntimeLeases(runtime('first'));
  return { closed, leases, replaceBy: (name: string) => leases.replace(runtime(name)) };
};

it('a runtime that nothing uses is closed as soon as another replaces it', async () => {
  const { closed, leases, replaceBy } = openFixture();
  replaceBy('second');
  await Promise.resolve();
  expect(closed).toEqual(['first']);
  expect(leases.config()).toEqual({ name: 'second' });
});

it('a runtime in use stays open until its last lease ends, and new leases are of the next one', async () => {
  const { closed, leases, replaceBy } = openFixture();
  const one = leases.lease();
  {
    using other = leases.lease();
    replaceBy('second');
    using next = leases.lease();
    expect([await other.holdsMail('first'), await next.holdsMail('second')]).toEqual([true, true]);
  }
  await Promise.resolve();
  expect(closed).toEqual([]);
  one[Symbol.dispose]();
  one[Symbol.dispose]();
  await Promise.resolve();
  expect(closed).toEqual(['first']);
});

it('ending a lease twice ends no other lease', async () => {
  const { closed, leases, replaceBy } = openFixture();
  const [one, other] = [leases.lease(), leases.lease()];
  replaceBy('second');
  one[Symbol.dispose]();
  one[Symbol.dispose]();
  await Promise.resolve();
  expect(closed).toEqual([]);
  other[Symbol.dispose]();
  await Promise.resolve();
  expect(closed).toEqual(['first']);
});

it('shutdown closes each runtime once, in use or not', async () => {
  const { closed, leases, replaceBy } = openFixture();
  const lease = leases.lease();
  replaceBy('second');
  replaceBy('third');
  await leases[Symbol.asyncDispose]();
  expect(closed.toSorted()).toEqual(['first', 'second', 'third']);
  lease[Symbol.dispose]();
  await Promise.resolve();
  expect(closed).toHaveLength(3);
});
