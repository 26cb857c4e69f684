import type { Clock } from '../core/index.ts';
import type { Job } from '../config/index.ts';
import type { JobOutage, LedgerRun, RunLedger } from '../storage/index.ts';
import { followOutages, type JobEvent, type Notice } from './outages.ts';

export type OutageTracker = {
  /** Records an event of a job; the next `passOn` reports it. */
  readonly note: (run: LedgerRun, kind: JobEvent['kind'], reason: string) => void;
  /** Sends pending notices, then records the outages; notices that cannot be sent stay pending. */
  readonly passOn: (jobs: ReadonlyMap<string, Job>) => Promise<void>;
  /** Open outages by job. */
  readonly open: () => ReadonlyMap<string, JobOutage>;
};

export const createOutageTracker = async (
  ledger: RunLedger,
  clock: Pick<Clock, 'now'>,
  notify: (notices: readonly Notice[]) => Promise<void>,
): Promise<OutageTracker> => {
  const outages = new Map((await ledger.outages()).map((outage) => [outage.job, outage]));
  const events: JobEvent[] = [];
  return {
    note: ({ job, slot, code }, kind, reason) => {
      events.push({ kind, job, slot, at: clock.now(), reason, code });
    },
    passOn: async (jobs) => {
      // A job that is no longer configured has no outage that could end.
      const gone = [...outages.keys()].filter((job) => !jobs.has(job));
      if (events.length + gone.length === 0) return;
      const pending = [...events];
      const { notices, opened, closed } = followOutages(pending, outages, jobs);
      const change = { opened, closed: [...closed, ...gone] };
      // Notices first: after a crash in between they are sent again with the same key, which results in one mail; the
      // reverse order could lose one.
      if (notices.length > 0) await notify(notices);
      if (change.opened.length + change.closed.length > 0) await ledger.noteOutages(change);
      for (const job of change.closed) outages.delete(job);
      for (const outage of change.opened) outages.set(outage.job, outage);
      events.splice(0, pending.length);
    },
    open: () => outages,
  };
};
