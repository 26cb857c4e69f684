import type { UnixMillis } from '../core/index.ts';
import type { Job, NoticeKind } from '../config/index.ts';
import type { JobOutage, LedgerRun, OutboxEntry, RunEvent, RunKey, RunLedger } from '../storage/index.ts';

/** An event of a job that can cause a notification to operators. */
export type JobEvent = RunKey & {
  readonly kind: RunEvent;
  readonly at: UnixMillis;
  readonly reason: string;
  readonly code?: string | undefined;
};

/** A notice: one when an outage of a job begins, one when it ends. */
export type Notice = RunKey & {
  readonly kind: NoticeKind | 'suspended';
  readonly at: UnixMillis;
  readonly reason: string;
  readonly code?: string | undefined;
  /** Its outage, which together with the kind identifies the notice: it is sent once. */
  readonly outage: JobOutage;
};

type FollowedEvents = {
  readonly notices: readonly Notice[];
  readonly opened: readonly JobOutage[];
  readonly closed: readonly string[];
};

/** Processes events in order. A job's outage opens with the first event that its `notify` names. Pure. */
export const followOutages = (
  events: readonly JobEvent[],
  outages: ReadonlyMap<string, JobOutage>,
  jobs: ReadonlyMap<string, Pick<Job, 'notify'>>,
): FollowedEvents => {
  const notices: Notice[] = [];
  const now = new Map(outages);
  for (const { kind, job, slot, at, reason, code } of events) {
    const notify = jobs.get(job)?.notify ?? [];
    const known = now.get(job);
    const common = { job, slot, at, reason, code };
    if (kind === 'good') {
      if (known === undefined) continue;
      now.delete(job);
      if (notify.includes('recovered')) notices.push({ ...common, kind: 'recovered', outage: known });
    } else if (kind === 'suspended') {
      // A job whose failures are notified of; also in an outage, since nothing retries it from now on.
      const outage = known ?? { job, slot, openedAt: at };
      now.set(job, outage);
      if (notify.includes('failed')) notices.push({ ...common, kind, outage });
    } else if (known === undefined && notify.includes(kind)) {
      const outage = { job, slot, openedAt: at };
      now.set(job, outage);
      notices.push({ ...common, kind, outage });
    }
  }
  return {
    notices,
    opened: [...now.values()].filter((outage) => outages.get(outage.job) !== outage),
    closed: [...outages.keys()].filter((job) => !now.has(job)),
  };
};

const eventOf = (run: LedgerRun): readonly JobEvent[] => {
  const { job, slot, event: kind, code, endedAt, startedAt, claimedAt, reason, summary } = run;
  if (kind === undefined) return [];
  return [{ kind, job, slot, at: endedAt ?? startedAt ?? claimedAt, reason: reason ?? summary ?? '', code }];
};

/** Opens and closes outages by the events of the ledger, and stores them together with the mails about them. */
export const noteOutages = async (
  ledger: RunLedger,
  jobs: ReadonlyMap<string, Job>,
  mailsOf: (notices: readonly Notice[]) => Promise<readonly OutboxEntry[]>,
): Promise<void> => {
  const noted = await ledger.events();
  const outages = new Map((await ledger.outages()).map((outage) => [outage.job, outage]));
  // A job that is no longer configured has no outage that could end.
  const gone = [...outages.keys()].filter((job) => !jobs.has(job));
  if (noted.length + gone.length === 0) return;
  const { notices, opened, closed } = followOutages(noted.flatMap(eventOf), outages, jobs);
  const mails = notices.length === 0 ? [] : await mailsOf(notices);
  await ledger.noteOutages({ opened, closed: [...closed, ...gone], noted, mails });
};
