import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  divideMemory,
  excessOf,
  isFault,
  megabytesText,
  openToAll,
  readMemoryLimit,
  shellWord,
  unixMillis,
  type Deps,
  type MemoryDivision,
  type UnixMillis,
} from './core/index.ts';
import { configDisk, loadConfig, type Config, type Job, type Loaded, type Schedule } from './config/index.ts';
import { channels } from './notify/index.ts';
import { backupFaults, checkReports, figureFaults, jobKinds, sinkFaults } from './jobs/index.ts';
import { nextSlots, scheduleFault, scheduleOf } from './scheduler/index.ts';
import { packageRoot } from './package-root.ts';
import { bindWith, openQueries, reportRelations as relations } from './warehouse/index.ts';

export { periodForms } from './reports/index.ts';

/** The views that report SQL can query, with their columns. */
export const reportRelations: readonly {
  readonly name: string;
  readonly description: string;
  readonly columns: readonly { readonly name: string; readonly type: string; readonly description: string }[];
}[] = relations.map(({ name, description, columns }) => ({
  name,
  description: description,
  columns: columns.map((column) => ({
    name: column.name,
    type: column.type,
    description: column.description,
  })),
}));

/** The folder of the reports that are part of the program. */
const shippedReports = fileURLToPath(new URL('reports', packageRoot));

/** The folders that are searched for a report, in this order: a report in the configuration folder takes precedence over one of the program. */
export const reportDirectories = (folder: string): readonly string[] => [
  join(folder, 'reports'),
  shippedReports,
];

/** The slots that `longestSpace` looks at: the first few after a fixed moment, so that `check` gives the same answer every day. */
const sampled = { from: unixMillis(Date.UTC(2025, 0, 1)), slots: 6 };

/** The longest interval between two consecutive slots of the sample, in milliseconds. */
const longestSpace = (schedule: Schedule): number | undefined => {
  const slots = nextSlots(schedule, sampled.from, sampled.slots);
  const spaces = slots.slice(1).map((slot, index) => slot - (slots[index] ?? slot));
  return spaces.length === 0 ? undefined : Math.max(...spaces);
};

/**
 * Reads the configuration folder and returns all faults. Faults that depend on the current time are reported only if `now` is given.
 * `check` gives it. The daemon does not, so that it starts even if its clock is wrong.
 */
export const readConfig = async (
  folder: string,
  deps: Pick<Deps, 'env' | 'secrets'>,
  now?: UnixMillis,
): Promise<Loaded> =>
  loadConfig({
    ...configDisk,
    folder,
    env: deps.env,
    secrets: deps.secrets,
    ...(now === undefined ? {} : { now }),
    kinds: jobKinds,
    channels,
    checkSchedule: scheduleFault,
    longestSpace,
    reportFolders: reportDirectories(folder),
  });

export type LoadedConfig = Loaded;

/** A declared job and the times of its next runs, in milliseconds UTC. */
export type JobPreview = Pick<Job, 'name' | 'kind' | 'schedule' | 'suspend'> & {
  readonly zone: string;
  readonly next: readonly UnixMillis[];
};

/** Warns of files that every user can write: whoever can write the configuration can read the secrets that it refers to. */
const permissionWarnings = async (folder: string): Promise<Loaded['faults']> =>
  (await openToAll(folder)).map((file) => ({
    file,
    line: 1,
    column: 1,
    message: 'every user of this machine can write it',
    advice: `run chmod o-w ${shellWord(file)}`,
  }));

type Memory = {
  readonly division?: MemoryDivision;
  readonly faults: Loaded['faults'];
  readonly warnings: Loaded['faults'];
};

/** Divides the memory limit. Returns a fault if it is too small, a warning if the configured parts exceed it. */
const checkMemory = async (
  folder: string,
  systemRoot: string,
  configured: string | undefined,
): Promise<Memory> => {
  const place = { file: join(folder, 'tollkeeper.yaml'), line: 1, column: 1 };
  try {
    const division = divideMemory(await readMemoryLimit(systemRoot), configured);
    const excess = excessOf(division);
    if (excess === 0) return { division, faults: [], warnings: [] };
    const message = `warehouse.memory_limit ${configured ?? ''} lets the program take ${megabytesText(excess)} more than the memory limit of the ${division.limit.of}, ${megabytesText(division.limit.bytes)}`;
    const advice = 'lower warehouse.memory_limit, or remove it: the memory is then divided automatically';
    return { division, faults: [], warnings: [{ ...place, message, advice }] };
  } catch (error) {
    if (!isFault(error)) throw error;
    return { faults: [{ ...place, message: error.message, advice: error.advice }], warnings: [] };
  }
};

/** What `check` reports: the faults and warnings of the configuration, its reports and its sinks, and the next runs of each job. */
export const checkConfig = async (
  folder: string,
  deps: Pick<Deps, 'env' | 'secrets' | 'clock' | 'cwd' | 'systemRoot' | 'startQueryProcess'>,
): Promise<{
  readonly faults: Loaded['faults'];
  /** Problems that do not make the configuration invalid, such as report SQL that gives misleading figures. */
  readonly warnings: Loaded['faults'];
  readonly jobs: readonly JobPreview[];
  /** Omitted when the configuration is invalid. */
  readonly config?: Config;
  /** Omitted when the configuration is invalid or the memory limit is too small. */
  readonly memory?: MemoryDivision | undefined;
}> => {
  const { config, faults, warnings = [] } = await readConfig(folder, deps, deps.clock.now());
  if (config === undefined) return { faults, warnings: [], jobs: [] };
  const jobs = Object.values(config.jobs).map((job) => {
    const schedule = scheduleOf(job);
    return {
      name: job.name,
      kind: job.kind,
      schedule: job.schedule,
      suspend: job.suspend,
      zone: job.timezone,
      next: schedule === undefined || job.suspend ? [] : nextSlots(schedule, deps.clock.now(), 3),
    };
  });
  // Checks only reports in the configuration folder, the first directory. Tests check the shipped reports.
  await using queries = await openQueries(deps.startQueryProcess, deps.clock);
  const reports = await checkReports(reportDirectories(folder), bindWith(queries));
  const figures = await figureFaults(config, reportDirectories(folder), bindWith(queries));
  const sinks = await sinkFaults(config, deps.cwd);
  const memory = await checkMemory(folder, deps.systemRoot, config.settings.warehouse.memory_limit);
  return {
    faults: [
      ...reports.faults,
      ...figures,
      ...sinks.faults,
      ...(await backupFaults(config, deps.cwd)),
      ...memory.faults,
    ],
    warnings: [
      ...(await permissionWarnings(folder)),
      ...warnings,
      ...reports.warnings,
      ...sinks.warnings,
      ...memory.warnings,
    ],
    jobs,
    config,
    memory: memory.division,
  };
};
