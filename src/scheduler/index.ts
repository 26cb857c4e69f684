export type { AroundAttempt, Execution, Outcome } from './attempt.ts';
export { scheduleOf } from './job-schedule.ts';
export { startLoop, type Housekeeping } from './loop.ts';
export type { RequestResult } from './run-requests.ts';
export type { Notice } from './outages.ts';
export { isBySlot, keyText, runIdOf } from './run-key.ts';
export { createScheduler, type Scheduler } from './scheduler.ts';
export { nextSlot, nextSlots, previousSlot, scheduleFault } from './slots.ts';
export { everySecond } from './waker.ts';
