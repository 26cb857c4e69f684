import { errorFields, fault } from '../base/index.ts';
import type { Clock, Limit, Log, UnixMillis } from '../base/index.ts';
import { dueSlot } from './slots.ts';
import type { Waker } from './waker.ts';

/** A job as the schedule knows it: a value, its kind is none of the schedule's business. */
export type ScheduledJob = {
  readonly name: string;
  readonly schedule: string;
  /** IANA name. */
  readonly zone: string;
  /** Whether a slot that comes while the job still runs is worth a line; `told` unless given. */
  readonly overlap?: 'told' | 'usual';
  readonly run: (slot: UnixMillis, signal: AbortSignal) => Promise<void>;
};

export type ScheduleMeans = { readonly clock: Clock; readonly log: Log; readonly waker: Waker };

export type RunningSchedule = {
  /** Claims no more slots, gives running jobs that many milliseconds, then aborts them; resolves when all have ended. */
  readonly stop: (grace: number) => Promise<void>;
  /** Names of the jobs that run now. */
  readonly running: () => readonly string[];
};

/** A clock that is set back by less does not fire slots again; by more, waiting for it to catch up would stop the jobs. */
const longestSetBack = 3_600_000;

const passed = (limit: Limit): Promise<void> =>
  new Promise((resolve) => {
    if (limit.signal.aborted) resolve();
    limit.signal.addEventListener('abort', () => resolve(), { once: true });
  });

/**
 * Fires each job on its slots, from now on. Slots that come while their job still runs are passed over: the first of a
 * run is logged when it comes, how many there were when the run has ended.
 */
export const startSchedule = (jobs: readonly ScheduledJob[], means: ScheduleMeans): RunningSchedule => {
  const { clock, log } = means;
  const controller = new AbortController();
  const running = new Map<string, Promise<void>>();
  const passedOver = new Map<string, number>();
  const cursors = new Map<string, UnixMillis>(jobs.map((job) => [job.name, clock.now()]));

  /** A job that throws before it has begun fails like any other. */
  const begin = (job: ScheduledJob, slot: UnixMillis): Promise<void> => {
    try {
      return job.run(slot, controller.signal);
    } catch (error) {
      return Promise.reject(error);
    }
  };

  const fire = async (job: ScheduledJob, slot: UnixMillis): Promise<void> => {
    const about = log.with({ job: job.name, slot: new Date(slot).toISOString() });
    try {
      await begin(job, slot);
    } catch (error) {
      about.error('the run failed', errorFields(error));
    } finally {
      const passed = passedOver.get(job.name) ?? 0;
      if (passed > 1) about.warn('slots were passed over while it ran', { slots: passed });
      passedOver.delete(job.name);
      running.delete(job.name);
    }
  };

  const passOver = (job: ScheduledJob, slot: UnixMillis): void => {
    if (job.overlap === 'usual') return;
    const passed = (passedOver.get(job.name) ?? 0) + 1;
    passedOver.set(job.name, passed);
    if (passed > 1) return;
    const fields = { job: job.name, slot: new Date(slot).toISOString() };
    log.warn('a slot is passed over: the run before it has not ended', fields);
  };

  /** Where the search for a job's next slot begins. */
  const cursorOf = (job: ScheduledJob, now: UnixMillis): UnixMillis => {
    const cursor = cursors.get(job.name) ?? now;
    const kept = job.overlap === 'usual' ? 0 : longestSetBack;
    if (cursor - now <= kept) return cursor;
    const about = { job: job.name, lastSlot: new Date(cursor).toISOString() };
    if (job.overlap !== 'usual') log.warn('the clock was set back; slots are counted from now on', about);
    cursors.set(job.name, now);
    return now;
  };

  const reconcile = (): void => {
    const now = clock.now();
    for (const job of jobs) {
      const slot = dueSlot(job.schedule, job.zone, cursorOf(job, now), now);
      if (slot === undefined) continue;
      cursors.set(job.name, slot);
      if (running.has(job.name)) passOver(job, slot);
      else running.set(job.name, fire(job, slot));
    }
  };

  const waking = means.waker(reconcile);
  return {
    running: () => [...running.keys()],
    stop: async (grace) => {
      await waking.stop();
      const ended = Promise.all(running.values());
      using graceOver = clock.limit(grace);
      await Promise.race([ended, passed(graceOver)]);
      if (running.size > 0) log.warn('running jobs are aborted', { jobs: [...running.keys()].join(', ') });
      controller.abort(fault('aborted', 'the daemon was stopped while it ran'));
      await ended;
    },
  };
};
