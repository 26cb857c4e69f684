import type { LogFields } from '../core/index.ts';
import type { LedgerRun, RunKey } from '../storage/index.ts';

/** The key of a run as one text, for maps. */
export const keyText = ({ job, slot }: RunKey): string => `${slot} ${job}`;

/** Identifies the run in mails and logs: `daily-spend-20261121T070000000Z`. */
export const runIdOf = ({ job, slot }: RunKey): string =>
  `${job}-${new Date(slot).toISOString().replaceAll(/[-:.]/g, '')}`;

/** The fields of each log line about the run. */
export const runFields = (run: RunKey): LogFields => ({
  job: run.job,
  slot: new Date(run.slot).toISOString(),
  run: runIdOf(run),
});

/** Whether the schedule of its job caused it, so that no caller waits for it. */
export const isBySlot = (run: Pick<LedgerRun, 'trigger'>): boolean =>
  run.trigger === 'schedule' || run.trigger === 'catchup';
