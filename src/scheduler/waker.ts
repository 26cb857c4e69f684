import { schedule } from 'node-cron';

/** Calls `wake` repeatedly. It only triggers a check: what is due is computed from the clock. */
export type Waker = (wake: () => void) => { readonly stop: () => Promise<void> };

/** Wakes once a second through node-cron. */
const cronWaker: Waker = (wake) => {
  const task = schedule('* * * * * *', wake, { suppressMissedWarning: true });
  return { stop: async () => task.destroy() };
};

/** Wakes at a fixed interval, independent of the wall clock: a watchdog for the cron waker, which follows it. */
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

/** The wakers of the daemon, each sufficient alone: cron every second, and the watchdog every five. */
export const daemonWakers: readonly Waker[] = [cronWaker, watchdogWaker(5000)];
