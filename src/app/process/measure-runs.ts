import type { Measure, Progress } from '../../core/index.ts';
import type { Job } from '../../config/index.ts';
import type { JobKind } from '../../jobs/index.ts';
import type { LedgerRun } from '../../storage/index.ts';

/** Counts a run that has ended, with the time of its last attempt. */
export const measureRun = (
  { kind }: Job,
  { state, startedAt, endedAt }: LedgerRun,
  measure: Measure | undefined,
): void => {
  const seconds = startedAt === undefined || endedAt === undefined ? undefined : (endedAt - startedAt) / 1000;
  measure?.({ what: 'run-ended', kind, state, seconds });
};

/** Counts the rows and bytes of a pull from its progress, which starts again at zero for each part of the run. */
export const measurePull = (
  { name: job }: Job,
  { kind, watermark }: JobKind,
  measure: Measure | undefined,
  progress: Progress,
): Progress => {
  if (measure === undefined || watermark === undefined) return progress;
  let seen = { rows: 0, bytes: 0 };
  return (step) => {
    const now = { rows: step.rows ?? seen.rows, bytes: step.bytes ?? seen.bytes };
    const before = now.rows < seen.rows || now.bytes < seen.bytes ? { rows: 0, bytes: 0 } : seen;
    seen = now;
    measure({ what: 'pulled', job, kind, rows: now.rows - before.rows, bytes: now.bytes - before.bytes });
    progress(step);
  };
};
