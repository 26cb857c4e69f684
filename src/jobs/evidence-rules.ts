import type { KindFault, RuledJob } from '../config/index.ts';
import { writtenSpan } from './written-span.ts';

/** Jobs of a kind that bring data of the same account. */
export const bringing = (job: RuledJob, all: readonly RuledJob[], kind: string): readonly RuledJob[] =>
  all.filter((other) => other.kind === kind && other.account === job.account && !other.suspended);

/** Evidence of use comes from jobs that bring it, often enough. */
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
  return shortest <= quiet
    ? []
    : [
        {
          path,
          onKey: true,
          message: `needs a call log that is pulled at least every ${writtenSpan(quiet)} (quiet), and ${scheduled[0]?.name ?? 'pull-logs'} runs every ${writtenSpan(shortest)}`,
          advice: 'let the pull run hourly, or make quiet longer',
        },
      ];
};
