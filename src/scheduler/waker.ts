import { schedule } from 'node-cron';
import type { Clock, Limit } from '../core/index.ts';

/** Calls `wake` again and again until it is stopped; what is due is computed from the clock. */
export type Waker = (wake: () => void) => { readonly stop: () => void };

/** Milliseconds between two wake-ups by the timer. */
const usual = 5000;
const eachSecond = 1000;

const silent = () => undefined;

/**
 * Wakes at the start of each minute, when nearly all slots are due, and every five seconds for everything else; every second while `needsEachSecond`. The timer,
 * a limit of `clock`, also wakes after the wall clock was set back, when node-cron waits for the minute that it expects.
 */
export const wakeByMinute =
  (clock: Pick<Clock, 'limit'>, needsEachSecond: () => boolean): Waker =>
  (wake) => {
    const minutes = schedule('* * * * *', wake, {
      timezone: 'UTC',
      // In a busy process the task may run late; that is not an error.
      missedExecutionTolerance: 30_000,
      // After a clock change it reports each minute that was skipped.
      suppressMissedWarning: true,
      logger: { info: silent, warn: silent, error: silent, debug: silent },
    });
    let limit: Limit;
    const wait = (): void => {
      limit = clock.limit(needsEachSecond() ? eachSecond : usual);
      limit.signal.addEventListener('abort', () => {
        wake();
        wait();
      });
    };
    wait();
    return {
      stop: () => {
        limit[Symbol.dispose]();
        void minutes.destroy();
      },
    };
  };
