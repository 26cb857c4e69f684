import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeAll, describe, expect, it } from 'vitest';
import { unixMillis } from '../../src/core/index.ts';
import {
  nextSlot,
  nextSlots,
  previousSlot,
  previousSlots,
  scheduleFault,
} from '../../src/scheduler/slots.ts';
import { distinctSchedules } from './support/distinct-schedules.ts';

const now = unixMillis(Date.parse('2026-11-21T08:00:00Z'));
const schedules = distinctSchedules(10_000);

describe('ten thousand different schedules', () => {
  let heldBytes = 0;

  beforeAll(() => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    collect();
    const heap = process.memoryUsage().heapUsed;
    for (const schedule of schedules) {
      expect(scheduleFault(schedule)).toBeUndefined();
      const next = nextSlot(schedule, now);
      expect(previousSlot(schedule, next ?? now)).toBeLessThanOrEqual(now);
    }
    collect();
    heldBytes = process.memoryUsage().heapUsed - heap;
  });

  // Croner's patterns would hold 800 MB.
  it('use a few kB each, and no instance of croner', () => {
    expect(heldBytes).toBeLessThan(60_000_000);
  });
});

describe('long intervals', () => {
  it('of every second give the same slots in both directions', () => {
    const everySecond = { expression: '* * * * * *', zone: 'Europe/Berlin' };
    const back = previousSlots(everySecond, now, 10_000);
    const forth = nextSlots(everySecond, unixMillis(now - 10_001_000), 10_000);
    expect(back.toReversed()).toEqual(forth);
    expect(back.at(-1)).toBe(now - 10_000_000);
  });
});
