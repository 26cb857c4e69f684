import type { Clock } from '../core/index.ts';
import type { Job } from '../config/index.ts';
import type { JobOutage, LedgerRun, RunLedger } from '../warehouse/index.ts';
import { followOutages } from './outages.ts';
import type { JobEvent, Notice } from './outages.ts';

export type OutageBook = {
  /** Something happened to a job; it is told with the next `passOn`. */
  readonly note: (run: LedgerRun, kind: JobEvent['kind'], reason: string) => void;
  /** Tells what is to be told, then writes it down; what cannot be told now is kept. */
  readonly passOn: (jobs: ReadonlyMap<string, Job>) => Promise<void>;
  /** Outages that are open, by job. */
  readonly open: () => ReadonlyMap<string, JobOutage>;
};

export const createOutageBook = async (
  ledger: RunLedger,
  clock: Pick<Clock, 'now'>,
  notify: (notices: readonly Notice[]) => Promise<void>,
): Promise<OutageBook> => {
  const outages = new Map((await ledger.outages()).map((outage) => [outage.job, outage]));
  const events: JobEvent[] = [];
  return {
    note: ({ job, slot, code }, kind, reason) => {
      events.push({ kind, job, slot, at: clock.now(), reason, code });
    },
    passOn: async (jobs) => {
      // A job that is no longer declared has no outage that could end.
      const gone = [...outages.keys()].filter((job) => !jobs.has(job));
      if (events.length + gone.length === 0) return;
      const told = [...events];
      const { notices, opened, closed } = followOutages(told, outages, jobs);
      const change = { opened, closed: [...closed, ...gone] };
      // Told first: a crash between the two tells again, which is one mail by its key; the other way round is none.
      if (notices.length > 0) await notify(notices);
      if (change.opened.length + change.closed.length > 0) await ledger.noteOutages(change);
      for (const job of change.closed) outages.delete(job);
      for (const outage of change.opened) outages.set(outage.job, outage);
      events.splice(0, told.length);
    },
    open: () => outages,
  };
};
