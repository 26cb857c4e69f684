import type { LedgerRun, RunKey } from '../storage/index.ts';

/** The key of a run as one text, for maps. */
export const keyText = ({ job, slot }: RunKey): string => `${slot} ${job}`;

/** Whether the schedule of its job caused it, so that no caller waits for it. */
export const isBySlot = (run: Pick<LedgerRun, 'trigger'>): boolean =>
  run.trigger === 'schedule' || run.trigger === 'catchup';
