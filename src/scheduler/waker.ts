import { schedule } from 'node-cron';

/** Calls `wake` again and again; only a wake-up, what is due is worked out from the clock. */
export type Waker = (wake: () => void) => { readonly stop: () => Promise<void> };

/** Wakes once a second through node-cron. */
const cronWaker: Waker = (wake) => {
  const task = schedule('* * * * * *', wake, { suppressMissedWarning: true });
  return { stop: async () => task.destroy() };
};

/** Wakes every so many milliseconds, whatever the wall clock does: the watchdog of the cron waker, which follows it. */
export const watchdogWaker =
  (every: number): Waker =>
  (wake) => {
    const timer = setInterval(wake, every);
    return {
      stop: async () => {
        clearInterval(timer);
      },
    };
  };

/** What wakes the daemon, each enough by itself: cron every second, and the watchdog every five. */
export const daemonWakers: readonly Waker[] = [cronWaker, watchdogWaker(5000)];
