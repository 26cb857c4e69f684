import { errorFields } from '../base/index.ts';
import type { Clock, Log, UnixMillis } from '../base/index.ts';
import { dueSlot } from './slots.ts';
import type { Waker } from './waker.ts';

/** A job as the schedule knows it: a value, its kind is none of the schedule's business. */
export type ScheduledJob = {
  readonly name: string;
  readonly schedule: string;
  /** IANA name. */
  readonly zone: string;
  readonly run: (slot: UnixMillis, signal: AbortSignal) => Promise<void>;
};

export type ScheduleMeans = { readonly clock: Clock; readonly log: Log; readonly waker: Waker };

export type RunningSchedule = {
  /** Claims no more slots, gives running jobs that many milliseconds, then aborts them; resolves when all have ended. */
  readonly stop: (grace: number) => Promise<void>;
  /** Names of the jobs that run now. */
  readonly running: () => readonly string[];
};

/** Fires each job on its slots, from now on; a slot that comes while its job still runs is passed over and logged. */
export const startSchedule = (jobs: readonly ScheduledJob[], means: ScheduleMeans): RunningSchedule => {
  const { clock, log } = means;
  const controller = new AbortController();
  const running = new Map<string, Promise<void>>();
  const cursors = new Map<string, UnixMillis>(jobs.map((job) => [job.name, clock.now()]));

  const fire = async (job: ScheduledJob, slot: UnixMillis): Promise<void> => {
    const about = log.with({ job: job.name, slot: new Date(slot).toISOString() });
    try {
      await job.run(slot, controller.signal);
    } catch (error) {
      about.error('the run failed', errorFields(error));
    } finally {
      running.delete(job.name);
    }
  };

  const reconcile = (): void => {
    const now = clock.now();
    for (const job of jobs) {
      const slot = dueSlot(job.schedule, job.zone, cursors.get(job.name) ?? now, now);
      if (slot === undefined) continue;
      cursors.set(job.name, slot);
      if (running.has(job.name)) {
        log.warn('a slot is passed over: the run before it has not ended', {
          job: job.name,
          slot: new Date(slot).toISOString(),
        });
        continue;
      }
      running.set(job.name, fire(job, slot));
    }
  };

  const waking = means.waker(reconcile);
  return {
    running: () => [...running.keys()],
    stop: async (grace) => {
      await waking.stop();
      const ended = Promise.all(running.values());
      const graceOver = new AbortController();
      await Promise.race([ended, clock.wait(grace, graceOver.signal).catch(() => undefined)]);
      graceOver.abort();
      if (running.size > 0) log.warn('running jobs are aborted', { jobs: [...running.keys()].join(', ') });
      controller.abort(new Error('the daemon is stopping'));
      await ended;
    },
  };
};
