import type { Job } from '../config/index.ts';
import type { Schedule } from './slots.ts';

/** When a job runs; undefined for a job that only runs on request. */
export const scheduleOf = (job: Job): Schedule | undefined =>
  job.schedule === undefined
    ? undefined
    : {
        expression: job.schedule,
        zone: job.timezone,
        dayMatch: job.dayMatch,
      };

/** As stored in the cursor; two schedules are the same version when their texts are equal. */
export const scheduleText = ({ expression, zone, dayMatch }: Schedule): string =>
  JSON.stringify([expression, zone, ...(dayMatch === undefined ? [] : [dayMatch])]);

/** Parses the output of `scheduleText`. */
export const readSchedule = (text: string): Schedule => {
  const [expression, zone, dayMatch] = JSON.parse(text) as [string, string, ('any' | 'all')?];
  return { expression, zone, dayMatch };
};
