import type { KindFault, RuledJob } from '../../config/index.ts';
import type { PullLogs } from '../pull-logs/pull-logs.ts';
import { writtenDuration } from './written-duration.ts';

/** Milliseconds by which rows land late (docs/gateway.md G16.1). */
const lateness = 600_000;

export const sourceJobs = (job: RuledJob, all: readonly RuledJob[], kind: string): readonly RuledJob[] =>
  all.filter((other) => other.kind === kind && other.account === job.account && !other.suspended);

const lagOf = ({ fields }: RuledJob): number => (fields as PullLogs | undefined)?.lag ?? lateness;

/** A pull that requests data before its rows have landed proves no lack of use, whichever pull it is. */
const hastyFaults = (pulls: readonly RuledJob[], path: readonly string[]): KindFault[] =>
  pulls.flatMap((pull) => {
    const { name } = pull;
    const lag = lagOf(pull);
    return lag >= lateness
      ? []
      : [
          {
            path,
            onKey: true,
            message: `needs a call log that includes late rows, and lag of ${name} is ${writtenDuration(lag)}: rows arrive up to ten minutes late, so no key could be proven unused`,
            advice: `set lag: 10m (the default) or longer in job ${name}`,
          },
        ];
  });

type EvidenceNeeds = {
  readonly path: readonly string[];
  /** Milliseconds. */
  readonly quiet: number;
  /** Milliseconds by which the log may lag at a slot, for a job that looks only at its slots. */
  readonly lagging?: number;
  readonly what: string;
};

const hour = 3_600_000;

/** What brings the log nearer: what the job does already is not advised. */
const nearer = (pull: RuledJob, space: number): string => {
  const { name } = pull;
  if (space > hour) return `run ${name} hourly with a lag of 10m, or increase quiet`;
  return lagOf(pull) > lateness
    ? `set lag: 10m (the default) in job ${name}, or increase quiet`
    : 'increase quiet';
};

/** A job that looks once a day needs a log with little lag; one that waits for its time needs only that the log gets there. */
const farFaults = (
  scheduled: readonly RuledJob[],
  { path, quiet, lagging }: EvidenceNeeds & { readonly lagging: number },
): KindFault[] => {
  const behind = scheduled.flatMap((pull) => {
    const space = pull.longestSpace();
    return space === undefined ? [] : [{ pull, space, most: space + lagOf(pull) }];
  });
  const [nearest] = behind.toSorted((left, right) => left.most - right.most);
  // Without a schedule the lag is unknown.
  if (nearest === undefined || behind.length < scheduled.length || nearest.most <= lagging) return [];
  const { pull, space } = nearest;
  return [
    {
      path,
      onKey: true,
      message: `needs a call log that is complete up to at most ${writtenDuration(lagging)} ago (a twelfth of quiet: ${writtenDuration(quiet)}, at least two hours), and ${pull.name} runs every ${writtenDuration(space)} with lag: ${writtenDuration(lagOf(pull))}`,
      advice: nearer(pull, space),
      ofAbsence: true,
    },
  ];
};

export const evidenceFaults = (
  job: RuledJob,
  all: readonly RuledJob[],
  { path, quiet, lagging, what }: EvidenceNeeds,
): KindFault[] => {
  const pulls = sourceJobs(job, all, 'pull-logs');
  const scheduled = pulls.filter(({ hasSchedule }) => hasSchedule);
  if (scheduled.length === 0)
    return [
      {
        path,
        onKey: true,
        message: `depends on the call log, and no pull-logs job of the account ${job.account} ${pulls.length === 0 ? 'is declared' : 'has a schedule'}`,
        advice: `declare one: pull-logs: { kind: pull-logs, schedule: "7 * * * *", since: 2026-01-01 }; ${what}`,
        ofAbsence: true,
      },
    ];
  if (lagging !== undefined)
    return [...farFaults(scheduled, { path, quiet, lagging, what }), ...hastyFaults(pulls, path)];
  const spaces = scheduled.flatMap((pull) => pull.longestSpace() ?? []);
  const shortest = spaces.length < scheduled.length ? 0 : Math.min(...spaces);
  const rareFaults: KindFault[] =
    shortest <= quiet
      ? []
      : [
          {
            path,
            onKey: true,
            message: `needs a call log that is pulled at least every ${writtenDuration(quiet)} (quiet), and ${scheduled[0]?.name ?? 'pull-logs'} runs every ${writtenDuration(shortest)}`,
            advice:
              shortest <= hour
                ? `increase quiet to ${writtenDuration(shortest)} or more`
                : 'run the pull hourly, or increase quiet',
            ofAbsence: true,
          },
        ];
  return [...rareFaults, ...hastyFaults(pulls, path)];
};
