import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { daemonWakers } from '../../src/schedule/index.ts';

/** A node-cron that never calls back: every wake-up of it is lost. */
vi.mock('node-cron', async (original) => ({
  ...(await original<typeof import('node-cron')>()),
  schedule: () => ({ destroy: () => undefined }),
}));

describe('what wakes the daemon', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('goes on when cron is lost altogether', async () => {
    let woken = 0;
    const waking = daemonWakers.map((waker) => waker(() => void (woken += 1)));
    await vi.advanceTimersByTimeAsync(15_000);
    expect(woken).toBe(3);
    await Promise.all(waking.map(({ stop }) => stop()));
    await vi.advanceTimersByTimeAsync(15_000);
    expect(woken).toBe(3);
  });
});
