import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { together } from '../../src/core/index.ts';

describe('works that run together', () => {
  it('give their results in order, with their types', async () => {
    const [one, two, three] = await together([Promise.resolve(1), 'two' as const, undefined]);
    const typed: readonly [number, 'two', undefined] = [one, two, three];
    expect(typed).toEqual([1, 'two', undefined]);
  });

  it('have all ended when the failure of one is thrown', async () => {
    let ended = false;
    const slow = async (): Promise<void> => {
      await setImmediate();
      await setImmediate();
      ended = true;
    };
    const failed = Promise.reject(new Error('one failed'));
    await expect(together([failed, slow()])).rejects.toThrow('one failed');
    expect(ended).toBe(true);
  });
});
