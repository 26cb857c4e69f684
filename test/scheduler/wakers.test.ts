import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

/** A module of its own, beside the one that other tests have taken from the same file. */
const wakerFile = '../../src/scheduler/waker.ts?cron-is-lost';

describe('the wakers of the daemon', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    vi.useRealTimers();
    vi.doUnmock('node-cron');
  });

  it('continue when cron stops completely', async () => {
    // A node-cron that never calls back: every wake-up of it is lost.
    vi.doMock('node-cron', async (original) => ({
      ...(await original<typeof import('node-cron')>()),
      schedule: () => ({ destroy: () => undefined }),
    }));
    const { daemonWakers } = (await import(wakerFile)) as typeof import('../../src/scheduler/waker.ts');
    let woken = 0;
    const waking = daemonWakers.map((waker) => waker(() => void (woken += 1)));
    await vi.advanceTimersByTimeAsync(15_000);
    expect(woken).toBe(3);
    await Promise.all(waking.map(({ stop }) => stop()));
    await vi.advanceTimersByTimeAsync(15_000);
    expect(woken).toBe(3);
  });
});
