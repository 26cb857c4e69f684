import { expect, it } from 'vitest';
import { keepReadings } from '../../src/app/replicas/keep-readings.ts';
import { sample } from '../../src/metrics/index.ts';
import { manualClock } from '../support/manual-clock.ts';

const minute = 60_000;

it('a reader that keeps its reading gives the last one for two minutes, and reads once at a time', async () => {
  const clock = manualClock(0);
  let readings = 0;
  const { part = async () => [] } = keepReadings(
    {
      part: async () => {
        readings += 1;
        if (readings === 3) throw new Error('the third one fails');
        return [sample('tollkeeper_working', {}, readings)];
      },
    },
    clock,
  );
  const ask = async (): Promise<unknown> => (await part())[0]?.value;
  expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
  expect(readings).toBe(1);
  clock.advance(minute);
  expect(await ask()).toBe(1);
  await expect.poll(() => readings).toBe(2);
  expect(await ask()).toBe(2);
  await expect.poll(() => readings).toBe(3);
  await expect(ask()).rejects.toThrow('the third one fails');
  clock.advance(3 * minute);
  expect(await ask()).toBeGreaterThan(3);
});
