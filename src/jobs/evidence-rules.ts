import type { KindFault, RuledJob } from '../config/index.ts';
import type { PullLogs } from './pull-logs.ts';
import { writtenSpan } from './written-span.ts';

/** Milliseconds that rows are seen to come late by (gateway-field-notes.md, When money arrives late). */
const lateness = 600_000;

/** Jobs of a kind that bring data of the same account. */
export const bringing = (job: RuledJob, all: readonly RuledJob[], kind: string): readonly RuledJob[] =>
  all.filter((other) => other.kind === kind && other.account === job.account && !other.suspended);

/** What is asked for before its rows have come proves nothing, whichever of the pulls asks. */
const hastyFaults = (pulls: readonly RuledJob[], path: readonly string[]): KindFault[] =>
  pulls.flatMap(({ name, fields }) => {
    const lag = (fields as PullLogs | undefined)?.lag ?? lateness;
    return lag >= lateness
      ? []
      : [
          {
            path,
            onKey: true,
            message: `needs a call log that is asked for when late rows have come, and lag of ${name} is ${writtenSpan(lag)}: rows come up to ten minutes late, so that no key could be proven unused`,
            advice: `write lag: 10m (the default) or longer in job ${name}`,
          },
        ];
  });

/** Evidence of use comes from jobs that bring it, often and late enough. */
export const evidenceFaults = (
  job: RuledJob,
  all: readonly RuledJob[],
  { path, quiet, what }: { readonly path: readonly string[]; readonly quiet: number; readonly what: string },
): KindFault[] => {
  const pulls = bringing(job, all, 'pull-logs');
  const scheduled = pulls.filter(({ hasSchedule }) => hasSchedule);
  if (scheduled.length === 0)
    return [
      {
        path,
        onKey: true,
        message: `rests on the call log, and no pull-logs job of the account ${job.account} ${pulls.length === 0 ? 'is declared' : 'has a schedule'}`,
        advice: `declare one: pull-logs: { kind: pull-logs, schedule: "7 * * * *", since: 2026-01-01 }; ${what}`,
      },
    ];
  const spaces = scheduled.flatMap((pull) => pull.longestSpace() ?? []);
  const shortest = spaces.length < scheduled.length ? 0 : Math.min(...spaces);
  const rareFaults: KindFault[] =
    shortest <= quiet
      ? []
      : [
          {
            path,
            onKey: true,
            message: `needs a call log that is pulled at least every ${writtenSpan(quiet)} (quiet), and ${scheduled[0]?.name ?? 'pull-logs'} runs every ${writtenSpan(shortest)}`,
            advice: 'let the pull run hourly, or make quiet longer',
          },
        ];
  return [...rareFaults, ...hastyFaults(pulls, path)];
};
