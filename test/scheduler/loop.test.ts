import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/core/index.ts';
import { createLog } from '../../src/core/logging/json-log.ts';
import { startLoop, type Housekeeping } from '../../src/scheduler/index.ts';
import { wakeByMinute, type Waker } from '../../src/scheduler/waker.ts';
import { manualClock } from '../support/manual-clock.ts';

const clock = manualClock(0);
const lines: string[] = [];
const log = createLog({
  write: (line) => void lines.push(line),
  level: 'debug',
  clock,
  redact: (text) => text,
});

/** A waker that the test triggers. */
const byHand = () => {
  let wake = (): void => undefined;
  let stopped = false;
  const waker: Waker = (call) => {
    wake = call;
    return {
      stop: () => {
        stopped = true;
      },
    };
  };
  return { waker, wake: () => wake(), isStopped: () => stopped };
};

beforeEach(() => {
  clock.set(1_000_000);
  lines.length = 0;
});

describe('wake-ups', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const hour = 3_600_000;
  /** Moments of the wake-ups, in seconds since the beginning. */
  const wakeUps = (needsEachSecond: () => boolean) => {
    vi.setSystemTime(Date.parse('2026-11-21T09:00:30Z'));
    let elapsed = 0;
    const at: number[] = [];
    const waker = wakeByMinute(systemClock, needsEachSecond);
    const loop = startLoop({
      clock,
      log,
      waker,
      reconcile: async () => void at.push(elapsed),
      housekeeping: [],
    });
    const pass = async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second += 1) {
        elapsed += 1;
        await vi.advanceTimersByTimeAsync(1000);
      }
    };
    return { at, loop, pass };
  };

  it('come every five seconds and at the start of each minute, until the loop stops', async () => {
    const { at, loop, pass } = wakeUps(() => false);
    await pass(32);
    expect(at).toEqual([5, 10, 15, 20, 25, 30, 30]);
    await loop.stop();
    expect(vi.getTimerCount()).toBe(0);
    await pass(60);
    expect(at).toHaveLength(7);
  });

  it('come once a second while something is due at another second', async () => {
    let needsEachSecond = true;
    const { at, loop, pass } = wakeUps(() => needsEachSecond);
    await pass(10);
    expect(at).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    needsEachSecond = false;
    await pass(10);
    expect(at.slice(10)).toEqual([11, 16]);
    await loop.stop();
  });

  it.each([
    ['set a day ahead', 24 * hour, 1],
    ['set an hour back', -hour, 0],
  ])('come within five seconds after the wall clock was %s', async (_, change, ofMinutes) => {
    const { at, loop, pass } = wakeUps(() => false);
    await pass(40);
    const before = at.length;
    vi.setSystemTime(Date.now() + change);
    await pass(60);
    const after = at.slice(before);
    expect(after[0]).toBeLessThanOrEqual(45);
    expect(Math.max(...after.map((one, index) => one - (after[index - 1] ?? one)))).toBe(5);
    // After a step back, node-cron waits for the minute that it expects, and the timer alone wakes.
    expect(after).toHaveLength(12 + ofMinutes);
    await loop.stop();
  });

  it('have no effect after the loop has stopped', async () => {
    const { waker, wake, isStopped } = byHand();
    let woken = 0;
    const reconcile = async (): Promise<void> => {
      woken += 1;
    };
    const loop = startLoop({ clock, log, waker, reconcile, housekeeping: [] });
    wake();
    expect(woken).toBe(1);
    await loop.stop();
    expect(isStopped()).toBe(true);
    wake();
    expect(woken).toBe(1);
  });
});

describe('housekeeping', () => {
  const keep = (work: Partial<Housekeeping>) => {
    const { waker, wake } = byHand();
    const housekeeping = [{ name: 'outbox', every: 60_000, run: async () => undefined, ...work }];
    const loop = startLoop({ clock, log, waker, reconcile: async () => undefined, housekeeping });
    return { wake, loop };
  };
  const counted = () => {
    const begun: number[] = [];
    const run = async (): Promise<void> => void begun.push(clock.now());
    return { begun, run };
  };
  const turn = (): Promise<void> => new Promise(setImmediate);

  it('runs when the loop starts and then at its interval', async () => {
    const { begun, run } = counted();
    const { wake, loop } = keep({ run });
    expect(begun).toEqual([1_000_000]);
    for (let second = 0; second < 130; second += 1) {
      wake();
      await turn();
      clock.advance(1000);
    }
    expect(begun).toEqual([1_000_000, 1_060_000, 1_120_000]);
    await loop.stop();
  });

  it('never runs concurrently', async () => {
    let ends: (() => void)[] = [];
    const { wake, loop } = keep({ run: () => new Promise((resolve) => ends.push(resolve)) });
    for (let minutes = 0; minutes < 5; minutes += 1) {
      wake();
      clock.advance(60_000);
    }
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await turn();
    wake();
    expect(ends).toHaveLength(2);
    for (const end of ends) end();
    ends = [];
    await loop.stop();
  });

  it('is not delayed by a clock set back', async () => {
    const { begun, run } = counted();
    const { wake, loop } = keep({ run });
    wake();
    await turn();
    clock.set(10_000);
    wake();
    await turn();
    clock.set(60_000);
    wake();
    await turn();
    clock.set(70_000);
    wake();
    await turn();
    expect(begun).toEqual([1_000_000, 10_000, 70_000]);
    await loop.stop();
  });

  it('that fails is reported and runs again at its next time', async () => {
    let tries = 0;
    const { wake, loop } = keep({
      run: async () => {
        tries += 1;
        throw new Error('the mail server is away');
      },
    });
    wake();
    await turn();
    expect(lines.join('')).toMatch(/outbox.*the mail server is away.*housekeeping failed/);
    clock.advance(60_000);
    wake();
    await turn();
    expect(tries).toBe(2);
    await loop.stop();
  });

  it('in progress is aborted silently and awaited when the loop stops', async () => {
    let ended = false;
    const { wake, loop } = keep({
      run: (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            ended = true;
            reject(new Error('aborted'));
          });
        }),
    });
    wake();
    await loop.stop();
    expect(ended).toBe(true);
    expect(lines).toEqual([]);
  });
});
