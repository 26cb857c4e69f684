import { lazy } from '../core/index.ts';

export type { AroundAttempt, Execution, Outcome } from './attempt.ts';
export { scheduleOf } from './job-schedule.ts';
export { startLoop, type Housekeeping } from './loop.ts';
export type { RequestResult } from './run-requests.ts';
export type { Notice } from './outages.ts';
export { isBySlot, keyText, runIdOf } from './run-key.ts';
export { skipRestored, type SkippedSlots } from './restored-claims.ts';
export { createScheduler, type LedgerProblem, type Scheduler } from './scheduler.ts';
export { nextSlot, nextSlots, previousSlot, scheduleFault } from './slots.ts';
/** Only the daemon needs node-cron. */
export const wakeByMinute = lazy(async () => (await import('./waker.ts')).wakeByMinute);
