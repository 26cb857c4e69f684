import { formatMoment, toSeconds, unixMillis, type UnixMillis, type LateData } from '../core/index.ts';
import type { Job } from '../config/index.ts';
import type { LedgerRun } from '../storage/index.ts';
import type { DataState } from './dispatch.ts';
import { keyText } from './run-key.ts';

export type DataDeps = {
  readonly jobs: () => ReadonlyMap<string, Job>;
  /** The watermark of a job's data; undefined when there is none. */
  readonly watermark: (job: Job) => Promise<UnixMillis | undefined>;
  readonly needsThrough: (job: Job, run: LedgerRun) => UnixMillis;
  /** Whether the run was requested, so that it does not wait for the needed job's own slot. */
  readonly isRequested: (run: LedgerRun) => boolean;
  /** Runs the needed job once, now; resolves when it has ended, whatever the outcome. */
  readonly runNeeded: (job: Job) => Promise<void>;
};

export type DataWaits = {
  readonly stateOf: (run: LedgerRun, now: UnixMillis) => Promise<DataState>;
  /** Refreshes the watermark after a run has ended, since only runs add data. */
  readonly runEnded: () => void;
  readonly forget: (run: LedgerRun) => void;
};

/** `pull-logs (at 2026-11-20 11:50 UTC, needs 2026-11-21 00:00 UTC)` */
const waitingText = ({ needs, through, zone }: LateData): string => {
  const shown = (moment: UnixMillis): string => formatMoment(toSeconds(moment), zone);
  return needs
    .map(
      ({ job, reaches, isSuspended }) =>
        `${job} (${isSuspended ? 'suspended, ' : ''}${reaches === undefined ? 'no data yet' : `at ${shown(reaches)}`}, needs ${shown(through)})`,
    )
    .join(' and ');
};

/** Tracks, for runs that need data, whether the data is complete, pending, or late. */
export const createDataWaits = (deps: DataDeps): DataWaits => {
  const reached = new Map<string, Promise<UnixMillis | undefined>>();
  /** Needed jobs that were started for a run: whether they have ended. */
  const asked = new Map<string, Map<string, 'under way' | 'ended'>>();

  const watermarkOf = async (need: Job): Promise<UnixMillis | undefined> => {
    const known = reached.get(need.name) ?? deps.watermark(need);
    reached.set(need.name, known);
    return known;
  };

  const ask = (run: LedgerRun, need: Job): 'under way' | 'ended' => {
    const ofRun = asked.get(keyText(run)) ?? new Map<string, 'under way' | 'ended'>();
    asked.set(keyText(run), ofRun);
    const known = ofRun.get(need.name);
    if (known !== undefined) return known;
    ofRun.set(need.name, 'under way');
    void deps.runNeeded(need).finally(() => void ofRun.set(need.name, 'ended'));
    return 'under way';
  };

  const isHopeless = (run: LedgerRun, job: Job, need: Job, now: UnixMillis): boolean => {
    if (need.suspend) return true;
    if (deps.isRequested(run) || need.schedule === undefined) return ask(run, need) === 'ended';
    // Counted from the claim: a run caught up after an outage waits for data that is caught up as well.
    return now >= unixMillis(run.claimedAt + job.needsDeadline);
  };

  return {
    stateOf: async (run, now) => {
      const job = deps.jobs().get(run.job);
      if (job === undefined) return { state: 'ready' };
      const through = deps.needsThrough(job, run);
      const { timezone: zone } = job;
      const needs: LateData['needs'][number][] = [];
      let isLate = true;
      for (const name of job.needs) {
        const need = deps.jobs().get(name);
        if (need === undefined) continue;
        const reaches = await watermarkOf(need);
        if (reaches !== undefined && reaches >= through) continue;
        needs.push({ job: name, reaches, isSuspended: need.suspend });
        isLate = isHopeless(run, job, need, now) && isLate;
      }
      if (needs.length === 0) return { state: 'ready' };
      const late = { needs, through, zone };
      return isLate ? { state: 'late', late } : { state: 'waiting', waitingFor: waitingText(late) };
    },
    runEnded: () => reached.clear(),
    forget: (run) => void asked.delete(keyText(run)),
  };
};
