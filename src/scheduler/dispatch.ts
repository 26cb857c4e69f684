import { countText, formatSlot, groupBy, lateText, type UnixMillis, type LateData } from '../core/index.ts';
import type { Job } from '../config/index.ts';
import type { LedgerRun, RunClosing } from '../storage/index.ts';
import { isBySlot, keyText } from './run-key.ts';

/** The state of the data that a run needs, with a description of what is missing. */
export type DataState =
  | { readonly state: 'ready' }
  | { readonly state: 'waiting'; readonly waitingFor: string }
  | { readonly state: 'late'; readonly late: LateData };

export type Situation = {
  readonly now: UnixMillis;
  /** Every run that is not over. */
  readonly open: readonly LedgerRun[];
  readonly jobs: ReadonlyMap<string, Job>;
  readonly maxRunning: number;
  /** For due runs whose job needs data. */
  readonly data: (run: LedgerRun) => DataState;
  /** Whether this run was requested and somebody waits for it: it is neither skipped nor missed. */
  readonly isRequested: (run: LedgerRun) => boolean;
  /** Whether an ordered stop of an earlier process interrupted the run: no newer slot is skipped for it. */
  readonly wasStopped: (run: LedgerRun) => boolean;
  /** Whether no other run may run at the same time as one of the job. */
  readonly runsAlone: (job: string) => boolean;
  /** Whether only requested runs of the job start. */
  readonly isSuspended: (job: string) => boolean;
};

export type Start = { readonly run: LedgerRun; readonly dataLate?: LateData | undefined };

export type Dispatch = {
  readonly starts: readonly Start[];
  readonly closings: readonly RunClosing[];
  /** Running runs that are replaced by a newer slot. */
  readonly replaced: readonly LedgerRun[];
  /** Why each of the other runs does not start yet, by its key; the text is built on demand. */
  readonly waits: ReadonlyMap<string, () => string>;
};

/** Attempts that are due earlier first, then earlier slots. */
const inOrder = (left: LedgerRun, right: LedgerRun): number =>
  (left.nextAttempt ?? 0) - (right.nextAttempt ?? 0) ||
  left.slot - right.slot ||
  (left.job < right.job ? -1 : left.job > right.job ? 1 : 0);

/** The decision for a due run, given the other open runs of its job. */
type Verdict =
  | { readonly go: true }
  | { readonly go: false; readonly wait: () => string; readonly replaces?: readonly LedgerRun[] }
  | { readonly go: false; readonly skip: string };

const go: Verdict = { go: true };

const besideOthers = (
  run: LedgerRun,
  job: Job,
  others: readonly LedgerRun[],
  { isRequested, wasStopped }: Pick<Situation, 'isRequested' | 'wasStopped'>,
): Verdict => {
  if (job.concurrency === 'allow') return go;
  const shown = (slot: UnixMillis): string => formatSlot(slot, job.timezone);
  const running = others.filter(({ state }) => state === 'running');
  const [active] = running;
  const waitFor = (other: LedgerRun) =>
    ({ go: false, wait: () => `the run of ${shown(other.slot)} to end` }) as const;
  if (isRequested(run) || !isBySlot(run)) return active === undefined ? go : waitFor(active);
  const isFresh = run.trigger === 'schedule' && run.attempts === 0;
  const ahead = others.filter((other) => isBySlot(other) && other.slot < run.slot);
  if (job.concurrency === 'replace' && isFresh) {
    if (active === undefined) return go;
    return {
      ...waitFor(active),
      replaces: running.filter((other) => ahead.includes(other) && !isRequested(other)),
    };
  }
  const overlapped = ahead.find((other) => other.trigger === 'schedule' && !wasStopped(other));
  if (job.concurrency === 'forbid' && isFresh && overlapped !== undefined)
    return {
      go: false,
      skip: `the run of ${shown(overlapped.slot)} had not ended, and concurrency is forbid`,
    };
  const before = active ?? ahead[0];
  return before === undefined ? go : waitFor(before);
};

/** Which open runs start now, which are closed without starting, and what the others wait for. Pure. */
export const planDispatch = (situation: Situation): Dispatch => {
  const { now, open, jobs, maxRunning } = situation;
  const starts: Start[] = [];
  const closings: RunClosing[] = [];
  const replaced: LedgerRun[] = [];
  const waits = new Map<string, () => string>();
  const ofJob = new Map<string, readonly LedgerRun[]>(groupBy(open, ({ job }) => job));
  const running = open.filter(({ state }) => state === 'running');
  const locks = new Map<string, string>();
  for (const { job } of running) for (const lock of jobs.get(job)?.locks ?? []) locks.set(lock, job);
  let free = maxRunning - running.length;
  const closed = new Set<LedgerRun>();

  const close = (run: LedgerRun, state: RunClosing['state'], reason: string, code?: string): void => {
    closed.add(run);
    closings.push({
      job: run.job,
      slot: run.slot,
      state,
      at: now,
      reason,
      code,
    });
    ofJob.set(
      run.job,
      (ofJob.get(run.job) ?? []).filter((other) => other !== run),
    );
  };
  /** A run with an attempt keeps its last outcome. */
  const giveUp = (run: LedgerRun, reason: string): void =>
    close(run, run.state === 'failed' || run.state === 'interrupted' ? run.state : 'skipped', reason);

  const consider = (run: LedgerRun): void => {
    const wait = (message: () => string): void => void waits.set(keyText(run), message);
    const job = jobs.get(run.job);
    if (job === undefined) return giveUp(run, 'the job is no longer configured');
    const isRequested = situation.isRequested(run);
    const deadline = job.startingDeadline;
    if (!isRequested && isBySlot(run)) {
      if (run.attempts === 0 && deadline !== undefined && now > run.slot + deadline)
        return close(
          run,
          'missed',
          `its starting_deadline passed while it was waiting${waitedFor(situation, run)}`,
        );
      if (job.suspend && run.attempts === 0) return close(run, 'skipped', 'the job is suspended');
      if (situation.isSuspended(run.job))
        return giveUp(run, 'the job is suspended because the process ended repeatedly while it ran');
    }
    const { nextAttempt = now } = run;
    if (nextAttempt > now)
      return wait(
        () =>
          `${run.attempts === 0 ? 'its start' : 'its next attempt'} at ${formatSlot(nextAttempt, job.timezone)}`,
      );
    const others = (ofJob.get(run.job) ?? []).filter((other) => other !== run);
    const verdict = besideOthers(run, job, others, situation);
    if (!verdict.go) {
      if ('skip' in verdict) return close(run, 'skipped', verdict.skip);
      replaced.push(...(verdict.replaces ?? []));
      return wait(verdict.wait);
    }
    if (job.concurrency === 'replace' && run.trigger === 'schedule' && !isRequested)
      for (const older of others.filter(
        (other) => isBySlot(other) && other.slot < run.slot && !situation.isRequested(other),
      ))
        giveUp(
          older,
          `the slot ${formatSlot(run.slot, job.timezone)} replaced it because concurrency is replace`,
        );
    const data = job.needs.length === 0 ? { state: 'ready' as const } : situation.data(run);
    if (data.state === 'waiting') return wait(() => data.waitingFor);
    if (data.state === 'late' && job.whenLate === 'fail')
      return close(run, 'failed', `${lateText(data.late)}, and when_late is fail`, 'data-late');
    const taken = job.locks.find((lock) => locks.has(lock));
    if (taken !== undefined) return wait(() => `the lock ${taken}, held by ${locks.get(taken) ?? ''}`);
    const [beside] = [...running, ...starts.map((started) => started.run)];
    const alone = [run, ...(beside === undefined ? [] : [beside])].find((one) =>
      situation.runsAlone(one.job),
    );
    if (beside !== undefined && alone !== undefined)
      return wait(
        () => `${beside.job} to end: ${alone.job} runs alone because the process ended while it ran`,
      );
    if (free <= 0)
      return wait(() => `one of ${countText(maxRunning, 'running job')} to end (scheduler.max_running)`);
    free -= 1;
    for (const lock of job.locks) locks.set(lock, job.name);
    const begun = { ...run, state: 'running' as const };
    ofJob.set(run.job, [...others.filter((other) => !closed.has(other)), begun]);
    starts.push({ run, ...(data.state === 'late' ? { dataLate: data.late } : {}) });
  };

  for (const run of open.filter(({ state }) => state !== 'running').toSorted(inOrder)) {
    if (!closed.has(run)) consider(run);
  }
  return { starts, closings, replaced, waits };
};

const waitedFor = (situation: Situation, run: LedgerRun): string => {
  const needs = situation.jobs.get(run.job)?.needs ?? [];
  return needs.length === 0 ? '' : ` for ${needs.join(', ')}`;
};
