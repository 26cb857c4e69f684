import { schedule } from 'node-cron';

/** Calls `wake` again and again until it is stopped; what is due is computed from the clock. */
export type Waker = (wake: () => void) => { readonly stop: () => void };

/** Milliseconds between two wake-ups that a timer makes. */
const usual = 5000;
const hurried = 1000;

const silent = () => undefined;

/**
 * Wakes at the start of each minute, when nearly all slots are due, and every five seconds for all else; every second while `isHurried`. The timer
 * also wakes after the wall clock was set back, when node-cron waits for the minute that it expects.
 */
export const wakeByMinute =
  (isHurried: () => boolean): Waker =>
  (wake) => {
    const minutes = schedule('* * * * *', wake, {
      timezone: 'UTC',
      // A busy process runs it late, and a minute that passed by is no error.
      missedExecutionTolerance: 30_000,
      // After a clock change it reports each minute that was skipped.
      suppressMissedWarning: true,
      logger: { info: silent, warn: silent, error: silent, debug: silent },
    });
    let timer: NodeJS.Timeout;
    const wait = (): void => {
      timer = setTimeout(
        () => {
          wake();
          wait();
        },
        isHurried() ? hurried : usual,
      );
    };
    wait();
    return {
      stop: () => {
        clearTimeout(timer);
        void minutes.destroy();
      },
    };
  };
