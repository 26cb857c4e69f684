import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Means, UnixMillis } from './base/index.ts';
import { configDisk, loadConfig } from './config/index.ts';
import type { Job, Loaded } from './config/index.ts';
import { jobKinds, reportFaults } from './jobs/index.ts';
import { nextSlots, scheduleFault } from './schedule/index.ts';

/** Reports that come with the program; a folder of the same name beside the config goes before them. */
const shippedReports = fileURLToPath(new URL('../reports', import.meta.url));

/** Where reports are looked for, in this order. */
export const reportDirectories = (folder: string): readonly string[] => [
  join(folder, 'reports'),
  shippedReports,
];

const reportNames = async (folder: string): Promise<readonly string[]> => {
  const lists = await Promise.all(
    reportDirectories(folder).map((directory) => readdir(directory).catch(() => [])),
  );
  return [...new Set(lists.flat())].sort();
};

/** Reads the config folder; every fault at once. */
export const readConfig = async (folder: string, means: Means): Promise<Loaded> =>
  loadConfig({
    ...configDisk,
    folder,
    env: means.env,
    secrets: means.secrets,
    kinds: jobKinds,
    checkSchedule: (expression, zone) => scheduleFault({ expression, zone }),
    reports: await reportNames(folder),
  });

export type LoadedConfig = Loaded;

/** A declared job and the moments it runs at next, in milliseconds UTC. */
export type JobPreview = Pick<Job, 'name' | 'kind' | 'schedule' | 'suspend'> & {
  readonly zone: string;
  readonly next: readonly UnixMillis[];
};

/** Every fault of the config and of the reports that its jobs name, and when each job runs next. */
export const checkConfig = async (
  folder: string,
  means: Means,
): Promise<{ readonly faults: Loaded['faults']; readonly jobs: readonly JobPreview[] }> => {
  const { config, faults } = await readConfig(folder, means);
  if (config === undefined) return { faults, jobs: [] };
  const jobs = Object.values(config.jobs).map((job) => ({
    name: job.name,
    kind: job.kind,
    ...(job.schedule === undefined ? {} : { schedule: job.schedule }),
    suspend: job.suspend,
    zone: job.timezone,
    next:
      job.schedule === undefined || job.suspend
        ? []
        : nextSlots(
            {
              expression: job.schedule,
              zone: job.timezone,
              ...(job.dayMatch === undefined ? {} : { dayMatch: job.dayMatch }),
            },
            means.clock.now(),
            3,
          ),
  }));
  return { faults: await reportFaults(Object.values(config.jobs), reportDirectories(folder)), jobs };
};
