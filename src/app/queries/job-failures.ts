import { adviceOf } from '../../core/index.ts';
import { isBySlot } from '../../scheduler/index.ts';
import type { LedgerRun } from '../../storage/index.ts';

/** A newer slot replaced the failed run, and decides whether the job fails. */
const isReplaced = (failure: LedgerRun, open: readonly LedgerRun[]): boolean =>
  failure.state === 'interrupted' &&
  isBySlot(failure) &&
  open.some(({ job, slot }) => job === failure.job && slot > failure.slot);

/** Slots of schedules and commands are whole seconds; a run of now is not. */
const commandOf = ({ job, slot }: LedgerRun): string =>
  slot % 1000 === 0
    ? `tollkeeper run ${job} --slot ${new Date(slot).toISOString().replace('.000', '')}`
    : `tollkeeper run ${job}`;

const adviceFor = (run: LedgerRun): string => {
  const again = `run \`${commandOf(run)}\``;
  const cause = run.code === 'aborted' ? undefined : adviceOf(run.code);
  return cause === undefined ? again : `${cause}; then ${again}`;
};

export type JobFailure = { readonly run: LedgerRun; readonly advice: string };

/** By job: failures without a retry, each with its next step. Pure. */
export const jobFailures = (
  failures: readonly LedgerRun[],
  open: readonly LedgerRun[],
): ReadonlyMap<string, JobFailure> =>
  new Map(
    failures
      .filter((run) => !isReplaced(run, open))
      .map((run) => [run.job, { run, advice: adviceFor(run) }] as const),
  );
