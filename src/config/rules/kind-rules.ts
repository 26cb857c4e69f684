import type { YamlPath } from '../../core/index.ts';
import type { ConfigFault } from '../load/config-fault.ts';
import type { RuledJob } from '../schema/job-schema.ts';
import type { DeclaredJob } from '../load/read-jobs.ts';
import type { CheckSchedule, LongestSpace, Schedule } from './rules.ts';
import { valueAt } from '../schema/schema-walk.ts';
import { describePath } from './messages.ts';

type Deps = {
  readonly accounts: readonly string[] | undefined;
  /** Whether every job of every file is known, with its kind, account and keys. */
  readonly complete: boolean;
  readonly zoneOf: (job: DeclaredJob) => string;
  readonly checkSchedule?: CheckSchedule | undefined;
  readonly longestSpace?: LongestSpace | undefined;
};

/** The longest time between two of its slots; undefined for a job without slots, or with an invalid schedule. */
const spaceOf = (job: DeclaredJob, deps: Deps): number | undefined => {
  const { schedule: expression, day_match: match } = job.part.value ?? {};
  if (typeof expression !== 'string' || deps.checkSchedule === undefined) return undefined;
  const schedule: Schedule = {
    expression,
    zone: deps.zoneOf(job),
    ...(match === 'any' || match === 'all' ? { dayMatch: match } : {}),
  };
  return deps.checkSchedule(schedule) === undefined ? deps.longestSpace?.(schedule) : undefined;
};

const ruledJob = (job: DeclaredJob, deps: Deps): RuledJob => {
  const { value, resolved } = job.part;
  const named = valueAt(resolved, ['account']) ?? deps.accounts?.[0];
  return {
    name: job.name,
    kind: job.kind?.kind ?? '',
    account: typeof named === 'string' ? named : '',
    suspended: valueAt(resolved, ['suspend']) === true,
    hasSchedule: valueAt(resolved, ['schedule']) !== undefined,
    longestSpace: () => spaceOf(job, deps),
    fields: value,
  };
};

/** The faults that job kinds report for valid jobs of theirs, with access to all other jobs. */
export const kindFaults = (jobs: readonly DeclaredJob[], deps: Deps): ConfigFault[] => {
  const ruled = jobs.map((job) => ruledJob(job, deps));
  return jobs.flatMap((job, index) => {
    const own = ruled[index];
    const find = job.kind?.faults;
    if (own?.fields === undefined || find === undefined) return [];
    const { source, path: root } = job.part;
    const found = find(own, ruled).filter(({ ofAbsence }) => deps.complete || ofAbsence !== true);
    return found.map(({ path, onKey, message, advice }): ConfigFault => {
      const place: YamlPath = [...root, ...path];
      return {
        file: source.file,
        ...(onKey === true || path.length === 0 ? source.atKey(place) : source.at(place)),
        message:
          path.length === 0
            ? `job ${job.name} ${message}`
            : `jobs.${job.name}.${describePath(path)} ${message}`,
        advice,
      };
    });
  });
};
