import type { UnixMillis } from '../core/index.ts';
import type { Job, NoticeKind } from '../config/index.ts';
import type { JobOutage, RunKey } from '../warehouse/index.ts';

/** What happened to a job that operators may want to know of; `good` is a run that ended well on whole data. */
export type JobEvent = RunKey & {
  readonly kind: 'failed' | 'late' | 'missed' | 'good';
  readonly at: UnixMillis;
  readonly reason: string;
  readonly code?: string | undefined;
};

/** What is told: one when an outage of a job begins, one when it is over. */
export type Notice = RunKey & {
  readonly kind: NoticeKind;
  readonly at: UnixMillis;
  readonly reason: string;
  readonly code?: string | undefined;
  /** The outage it is about: together with the kind it is reported once. */
  readonly outage: JobOutage;
};

export type OutageChange = {
  readonly notices: readonly Notice[];
  readonly opened: readonly JobOutage[];
  readonly closed: readonly string[];
};

/** Follows events in their order. A job's outage opens with the first event that its `notify` names. Pure. */
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
