import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoff, fault, withRetry, type Clock } from '../../src/core/index.ts';
import { manualClock } from '../support/manual-clock.ts';

const policy = { attempts: 4, initial: 500, max: 30_000, longestRetryAfter: 300_000 };
const failing = (times: number, error: Error) => {
  let calls = 0;
  return {
    calls: () => calls,
    run: () => {
      calls += 1;
      return calls <= times ? Promise.reject(error) : Promise.resolve('done');
    },
  };
};

describe('a retry', () => {
  it('waits longer each time, within the doubled bound and the maximum', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.double({ min: 0, max: 0.999999, noNaN: true }),
        (attempt, random) => {
          const wait = backoff(policy, attempt, () => random);
          expect(wait).toBeGreaterThanOrEqual(0);
          expect(wait).toBeLessThan(Math.min(policy.max, policy.initial * 2 ** (attempt - 1)));
        },
      ),
    );
  });

  it('follows temporary faults and stops after the last attempt', async () => {
    const clock = manualClock();
    const twice = failing(2, fault('gateway-timeout', 'slow'));
    await expect(withRetry(twice.run, policy, { clock, random: () => 0.5 })).resolves.toBe('done');
    expect(clock.waits).toEqual([250, 500]);
    const always = failing(99, fault('gateway-timeout', 'slow'));
    await expect(withRetry(always.run, policy, { clock, random: () => 0.5 })).rejects.toThrow('slow');
    expect(always.calls()).toBe(4);
  });

  it('does not follow a permanent fault', async () => {
    for (const error of [fault('gateway-key-refused', 'no'), new Error('a bug')]) {
      const task = failing(1, error);
      await expect(withRetry(task.run, policy, { clock: manualClock(), random: () => 0 })).rejects.toThrow(
        error.message,
      );
      expect(task.calls()).toBe(1);
    }
  });

  it('honors Retry-After as a lower bound, and stops if it is too long', async () => {
    const clock = manualClock();
    const soon = failing(1, fault('gateway-rate-limited', 'slow down', { retryAfter: 7000 }));
    await withRetry(soon.run, policy, { clock, random: () => 0.5 });
    expect(clock.waits).toEqual([7250]);
    const late = failing(1, fault('gateway-rate-limited', 'slow down', { retryAfter: 3_600_000 }));
    await expect(withRetry(late.run, policy, { clock, random: () => 0 })).rejects.toThrow('slow down');
  });

  it('stops immediately when aborted', async () => {
    const controller = new AbortController();
    const task = failing(99, fault('gateway-timeout', 'slow'));
    const deps = {
      clock: manualClock(),
      random: () => 0,
      signal: controller.signal,
      onRetry: () => controller.abort(new Error('enough')),
    };
    await expect(withRetry(task.run, policy, deps)).rejects.toThrow('enough');
    expect(task.calls()).toBe(1);
  });

  describe('of a failure that is final after a signal', () => {
    const unreachable = fault('gateway-unreachable', 'refused');
    const depsWith = (signal: AbortSignal) => ({
      random: () => 0.5,
      finalAfter: (error: unknown) => (error === unreachable ? signal : undefined),
    });

    it('ends when the signal is aborted before or during the wait, with the failure as the reason', async () => {
      const clock = manualClock();
      const none = failing(99, unreachable);
      await expect(withRetry(none.run, policy, { clock, ...depsWith(AbortSignal.abort()) })).rejects.toBe(
        unreachable,
      );
      expect([none.calls(), clock.waits]).toEqual([1, []]);
      const controller = new AbortController();
      const once = failing(99, unreachable);
      const waiting: Clock = {
        ...manualClock(),
        wait: (_, signal) =>
          new Promise((_resolve, reject) => {
            signal?.addEventListener('abort', () => reject(new Error('the wait ended')));
            controller.abort();
          }),
      };
      await expect(
        withRetry(once.run, policy, { clock: waiting, ...depsWith(controller.signal) }),
      ).rejects.toBe(unreachable);
      expect(once.calls()).toBe(1);
    });

    it('goes on while the signal is not aborted, and for every other failure', async () => {
      for (const [error, signal] of [
        [unreachable, new AbortController().signal],
        [fault('gateway-timeout', 'slow'), AbortSignal.abort()],
      ] as const) {
        const task = failing(99, error);
        await expect(withRetry(task.run, policy, { clock: manualClock(), ...depsWith(signal) })).rejects.toBe(
          error,
        );
        expect(task.calls()).toBe(4);
      }
    });
  });
});
