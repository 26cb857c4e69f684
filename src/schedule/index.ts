export { startSchedule } from './loop.ts';
export type { RunningSchedule, ScheduledJob } from './loop.ts';
export { dueSlot, nextSlots, scheduleFault } from './slots.ts';
export { cronWaker } from './waker.ts';
export type { Waker } from './waker.ts';
