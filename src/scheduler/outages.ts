import type { UnixMillis } from '../core/index.ts';
import type { Job, NoticeKind } from '../config/index.ts';
import type { JobOutage, RunKey } from '../storage/index.ts';

/** An event of a job that operators may be notified of; `good` is a run that succeeded on complete data. */
export type JobEvent = RunKey & {
  readonly kind: 'failed' | 'late' | 'missed' | 'suspended' | 'good';
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

export type OutageChange = {
  readonly notices: readonly Notice[];
  readonly opened: readonly JobOutage[];
  readonly closed: readonly string[];
};

/** Processes events in order. A job's outage opens with the first event that its `notify` names. Pure. */
export const followOutages = (
  events: readonly JobEvent[],
  outages: ReadonlyMap<string, JobOutage>,
  jobs: ReadonlyMap<string, Pick<Job, 'notify'>>,
): OutageChange => {
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
