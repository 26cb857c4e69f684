import { expect, it } from 'vitest';
import { interval, unixSeconds } from '../../src/core/index.ts';
import { segmentsOf } from '../../src/monitoring/index.ts';

const range = (start: number, end: number) => interval(unixSeconds(start), unixSeconds(end));

it('the segments of ranges that overlap are all those within any of them', () => {
  expect(
    segmentsOf([range(0, 50), range(0, 10), range(0, 30), range(20, 50), range(70, 80), range(9, 9)]),
  ).toEqual({
    bounds: [0, 10, 20, 30, 50, 70, 80],
    segments: new Set([0, 1, 2, 3, 5]),
  });
});
