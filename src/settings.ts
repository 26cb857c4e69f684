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
import { backupFaults, checkReports, jobKinds, sinkFaults } from './jobs/index.ts';
import { nextSlots, scheduleFault, scheduleOf } from './scheduler/index.ts';
import { packageRoot } from './package-root.ts';
import { bindWith, openQueries, reportRelations as relations } from './warehouse/index.ts';

export { periodForms } from './reports/index.ts';

/** The tables that the SQL of a report may name. */
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

/** Reports that come with the program; a folder of the same name beside the config goes before them. */
const shippedReports = fileURLToPath(new URL('reports', packageRoot));

/** Where reports are looked for, in this order. */
export const reportDirectories = (folder: string): readonly string[] => [
  join(folder, 'reports'),
  shippedReports,
];

/** From here on the spaces between the slots of a schedule are looked at: a few of them tell whether a delay fits in. */
const looked = { from: unixMillis(Date.UTC(2025, 0, 1)), slots: 6 };

/** The longest of the first few spaces between two slots, in milliseconds. */
const longestSpace = (schedule: Schedule): number | undefined => {
  const slots = nextSlots(schedule, looked.from, looked.slots);
  const spaces = slots.slice(1).map((slot, index) => slot - (slots[index] ?? slot));
  return spaces.length === 0 ? undefined : Math.max(...spaces);
};

/**
 * Reads the config folder; every fault at once. What is only wrong by the clock (`now`) is told to whoever checks the
 * config: a daemon whose clock is wrong for a while starts all the same.
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

/** A declared job and the moments it runs at next, in milliseconds UTC. */
export type JobPreview = Pick<Job, 'name' | 'kind' | 'schedule' | 'suspend'> & {
  readonly zone: string;
  readonly next: readonly UnixMillis[];
};

/** Who can write the config can read the secrets that it refers to. */
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

/** How the memory is divided, and what is wrong with its limit. */
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

/** Every fault of the config, of the reports that its jobs name and of the places that keys go to, and when each job runs next. */
export const checkConfig = async (
  folder: string,
  deps: Pick<Deps, 'env' | 'secrets' | 'clock' | 'cwd' | 'systemRoot' | 'startQueryProcess'>,
): Promise<{
  readonly faults: Loaded['faults'];
  /** What makes figures of reports wrong or misleading; the config is good all the same. */
  readonly warnings: Loaded['faults'];
  readonly jobs: readonly JobPreview[];
  /** Omitted when the configuration is invalid. */
  readonly config?: Config;
  /** Likewise. */
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
  // Reports that come with the program are checked by its own tests.
  await using queries = await openQueries(deps.startQueryProcess, deps.clock);
  const reports = await checkReports(reportDirectories(folder), bindWith(queries));
  const sinks = await sinkFaults(config, deps.cwd);
  const memory = await checkMemory(folder, deps.systemRoot, config.settings.warehouse.memory_limit);
  return {
    faults: [...reports.faults, ...sinks.faults, ...(await backupFaults(config, deps.cwd)), ...memory.faults],
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
