import type { Job } from '../config/index.ts';
import type { Schedule } from './slots.ts';

/** When a job runs; nothing for a job that runs by hand. */
export const scheduleOf = (job: Job): Schedule | undefined =>
  job.schedule === undefined
    ? undefined
    : {
        expression: job.schedule,
        zone: job.timezone,
        dayMatch: job.dayMatch,
      };

/** As the cursor keeps it; two schedules are the same version when their texts are the same. */
export const scheduleText = ({ expression, zone, dayMatch }: Schedule): string =>
  JSON.stringify([expression, zone, ...(dayMatch === undefined ? [] : [dayMatch])]);

/** Reads what `scheduleText` wrote. */
export const readSchedule = (text: string): Schedule => {
  const [expression, zone, dayMatch] = JSON.parse(text) as [string, string, ('any' | 'all')?];
  return { expression, zone, dayMatch };
};
