import {
  errorFields,
  fault,
  isFault,
  minuteMillis,
  startOfMinute,
  type Clock,
  type Log,
  type UnixMillis,
  lateText,
} from '../core/index.ts';
import type { Job } from '../config/index.ts';
import type { LedgerRun, OutboxEntry, RunLedger, UnrecordedEnd } from '../storage/index.ts';
import {
  attempt,
  failedEnd,
  type AroundAttempt,
  type AttemptResult,
  type Execute,
  type Failure,
  type Interruption,
} from './attempt.ts';
import { createClaiming } from './claiming.ts';
import { createDataWaits } from './data-waits.ts';
import { planDispatch, type DataState, type Start } from './dispatch.ts';
import { createRunRequests, type SlotRequest, type RequestResult } from './run-requests.ts';
import { noteOutages, type Notice } from './outages.ts';
import { createCycles, type Cycles } from './cycles.ts';
import { createOpenRuns } from './open-runs.ts';
import { createProcessEnds } from './process-ends.ts';
import { isBySlot, keyText, runFields, runIdOf } from './run-key.ts';

export type SchedulerDeps = {
  readonly clock: Clock;
  readonly log: Log;
  readonly ledger: RunLedger;
  readonly execute: Execute;
  /** Surrounds each attempt. */
  readonly aroundAttempt?: AroundAttempt | undefined;
  /** The watermark of a job's data, in milliseconds UTC; undefined when there is none. */
  readonly watermark: (job: Job) => Promise<UnixMillis | undefined>;
  /** The moment up to which a run needs data, in milliseconds UTC. */
  readonly needsThrough: (job: Job, run: LedgerRun) => UnixMillis;
  /** Renders the mails about outages, to be stored with them. */
  readonly mailsOf: (notices: readonly Notice[]) => Promise<readonly OutboxEntry[]>;
  /** Called when a run of the job has ended, and no attempt follows. */
  readonly onRunEnd: (job: Job, run: LedgerRun) => void;
  readonly redact: (text: string) => string;
};

export type SchedulerOptions = {
  /** false: only requested runs start; slots are left to the daemon. */
  readonly claimsSlots: boolean;
  /** Whether runs left by an earlier process are recovered; false when nothing may be written. */
  readonly recovers: boolean;
  readonly jobs: ReadonlyMap<string, Job>;
  readonly maxRunning: number;
  /** Ends of the process during runs of a job after which it is suspended; 0: never. */
  readonly suspendAfter: number;
};

export type OpenRun = { readonly run: LedgerRun; readonly waiting?: string | undefined };

export type Scheduler = {
  /** One check of clock and ledger: claims due slots and starts runs. Never rejects. */
  readonly reconcile: () => Promise<void>;
  /** Resolves when the run has ended, or its attempt has failed with a retry pending. */
  readonly request: (request: SlotRequest) => Promise<RequestResult>;
  /** Applies a new set of jobs without stopping running ones. */
  readonly adopt: (jobs: ReadonlyMap<string, Job>, maxRunning: number) => Promise<void>;
  readonly openRuns: () => readonly OpenRun[];
  readonly nextOf: (job: string) => UnixMillis | undefined;
  /** Whether a slot that is not at the start of a minute, a retry or a delayed start is due within the next minute. */
  readonly needsEachSecond: () => boolean;
  readonly isStopping: () => boolean;
  /** After a stop: how attempts ended that the ledger could not record. */
  readonly unrecorded: () => readonly UnrecordedEnd[];
  /** Why nothing can be stored, such as a full disk; undefined once the ledger was written again. */
  readonly problem: () => LedgerProblem | undefined;
  /**
   * Stops claiming and starting, gives running jobs so many milliseconds, then aborts them; resolves when everything is
   * recorded. `isOrdered`: somebody wants the process to end, and the next one repeats at once what was aborted.
   */
  readonly stop: (grace: number, how?: { readonly isOrdered: boolean }) => Promise<void>;
};

/** `since` in milliseconds UTC. */
export type LedgerProblem = {
  readonly since: UnixMillis;
  readonly message: string;
  readonly advice?: string;
};

type Active = {
  readonly controller: AbortController;
  interruption?: Interruption;
  readonly over: Promise<void>;
};

const stopped = 'the daemon was stopped while it ran';

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

/**
 * Decides what runs. All state is in the ledger; all work is done in cycles, one after the other.
 * @throws Fault of the warehouse when the ledger cannot be read at the start.
 */
export const createScheduler = async (deps: SchedulerDeps, options: SchedulerOptions): Promise<Scheduler> => {
  const { clock, log, ledger, redact } = deps;
  let { jobs, maxRunning } = options;
  const active = new Map<string, Active>();
  let waits: ReadonlyMap<string, () => string> = new Map();
  let stopping = false;
  let seen = clock.now();
  let problem: LedgerProblem | undefined;
  const unreadable = new Set<string>();

  const interrupt = (key: string, interruption: Interruption): void => {
    const mine = active.get(key);
    if (mine === undefined || mine.interruption !== undefined) return;
    mine.interruption = interruption;
    mine.controller.abort(interruption.error);
  };

  const processEnds = await createProcessEnds(ledger, options.suspendAfter);
  const { counted } = processEnds;
  let hasEvents = options.recovers;
  const requests = createRunRequests({
    clock,
    ledger,
    openRuns: () => openRuns,
    cycles: () => cycles,
    interrupt,
    isStopping: () => stopping,
  });
  const openRuns = createOpenRuns({
    ledger,
    log,
    jobs: () => jobs,
    counted,
    onEvent: () => void (hasEvents = true),
    onEnd: (ended, over) => {
      const job = jobs.get(ended.run.job);
      if (over) data.forget(ended.run);
      data.runEnded();
      if (ended.run.state === 'ok') processEnds.forget(ended.run.job);
      if (over && job !== undefined) deps.onRunEnd(job, ended.run);
      requests.onEnd(ended);
    },
    onGone: (run) => {
      data.forget(run);
      requests.reject(run, fault('aborted', 'the clock was set back: the slot is in the future'));
    },
  });
  const data = createDataWaits({
    jobs: () => jobs,
    watermark: async (job) => {
      try {
        const reached = await deps.watermark(job);
        unreadable.delete(job.name);
        return reached;
      } catch (error) {
        if (!unreadable.has(job.name))
          log.warn('cannot read the watermark of the data', { job: job.name, ...errorFields(error) });
        unreadable.add(job.name);
        // An unknown watermark is not an empty one: the next cycle reads it again.
        data.runEnded();
        return undefined;
      }
    },
    needsThrough: deps.needsThrough,
    isRequested: requests.isRequested,
    runNeeded: async (job) => {
      const now = clock.now();
      const wanted = { job, interval: { start: now, end: now }, trigger: 'needed' as const };
      await requests.request(wanted).catch(() => undefined);
    },
  });
  const claiming = await createClaiming({
    ledger,
    log,
    hasBacklog: (job) => openRuns.all().some((run) => run.job === job && run.trigger === 'catchup'),
    addClaimed: openRuns.addClaimed,
  });

  const start = (job: Job, { run, dataLate }: Start): void => {
    const key = keyText(run);
    const controller = new AbortController();
    if (dataLate !== undefined) {
      log.warn('the data that the run needs is late; running with the available data', {
        ...runFields(run),
        reason: lateText(dataLate),
      });
    }
    const { aroundAttempt = (_, work) => work() } = deps;
    const ended = aroundAttempt({ job, run }, () =>
      attempt(
        {
          job,
          run,
          progress: requests.progressOf(run),
          dataLate,
          acceptEmpty: requests.acceptsEmpty(run),
        },
        {
          clock,
          execute: deps.execute,
          redact,
          counted,
          stop: controller.signal,
          interruption: () => active.get(key)?.interruption,
        },
      ),
    );
    const finish = (result: AttemptResult): Promise<void> => {
      openRuns.finish(result);
      active.delete(key);
      return cycles.wake();
    };
    active.set(key, { controller, over: ended.then(finish) });
  };

  const dispatch = async (now: UnixMillis): Promise<void> => {
    const open = openRuns
      .all()
      .filter((run) => options.claimsSlots || run.state === 'running' || requests.isRequested(run));
    const states = new Map<string, DataState>();
    for (const run of open) {
      const waitsForData = (jobs.get(run.job)?.needs.length ?? 0) > 0;
      if (!waitsForData || run.state === 'running' || (run.nextAttempt ?? 0) > now) continue;
      states.set(keyText(run), await data.stateOf(run, now));
    }
    const plan = planDispatch({
      now,
      open,
      jobs,
      maxRunning,
      data: (run) => states.get(keyText(run)) ?? { state: 'ready' },
      isRequested: requests.isRequested,
      wasStopped: processEnds.wasStopped,
      runsAlone: processEnds.runsAlone,
      isSuspended: processEnds.isSuspended,
    });
    waits = plan.waits;
    await openRuns.close(plan.closings);
    for (const run of plan.replaced)
      interrupt(keyText(run), {
        error: fault('aborted', 'a newer slot replaced it because concurrency is replace'),
        next: 'nothing',
      });
    // Journal before effect: an unrecorded run does not start.
    const begun = await openRuns.begin(plan.starts, now);
    for (const [index, run] of begun.entries()) {
      const job = jobs.get(run.job);
      if (job !== undefined) start(job, { ...plan.starts[index], run });
    }
  };

  const cycles: Cycles = createCycles(
    async () => {
      await openRuns.writeEnds();
      const now = clock.now();
      if (now < seen) openRuns.followClockBack(now);
      seen = now;
      if (!stopping) {
        if (options.claimsSlots) await claiming.claimDue(now);
        await dispatch(now);
      }
      if (hasEvents) await noteOutages(ledger, jobs, deps.mailsOf);
      hasEvents = false;
      problem = undefined;
    },
    (error) => {
      // The next wake-up retries; a change that was not recorded did not happen.
      const fields = errorFields(error);
      if (fields['error'] !== problem?.message) log.error('cannot update the run ledger', fields);
      problem = {
        since: problem?.since ?? clock.now(),
        message: String(fields['error']),
        ...(isFault(error) ? { advice: error.advice } : {}),
      };
    },
  );

  /** How a run was interrupted whose process has ended; `noted`: what that process knew and could not record. */
  const leftBy = (run: LedgerRun, noted: string | undefined): Failure => {
    const state = 'interrupted' as const;
    if (noted === 'run-stopped') return { state, error: fault(noted, stopped), next: 'at once' };
    const error =
      noted === 'lease-lost'
        ? fault(noted, 'its process lost the database while it ran')
        : processEnds.note(run.job);
    const final = !isBySlot(run) || processEnds.isSuspended(run.job);
    return { state, error, next: final ? 'nothing' : 'as retries say' };
  };

  /** The process of these runs has ended: the database has one owner. */
  const recover = async (): Promise<void> => {
    const left = await ledger.open();
    for (const run of left) openRuns.put(run);
    const running = left.filter(({ state }) => state === 'running');
    const attempts = await ledger.attempts(running);
    const noted = new Map(attempts.map((one) => [keyText(one), one.code]));
    for (const run of running) {
      const failure = leftBy(run, noted.get(keyText(run)));
      const end = failedEnd(jobs.get(run.job), run, failure, { clock, redact, counted });
      openRuns.finish({ end, error: failure.error });
    }
    await openRuns.writeEnds();
    // The clock may have been far ahead when an earlier process stored the next attempts.
    openRuns.followClockBack(clock.now());
    await openRuns.close(
      openRuns
        .all()
        .filter((run) => !isBySlot(run))
        .map(({ job, slot, state }) => ({
          job,
          slot,
          state: state === 'failed' || state === 'interrupted' ? state : 'skipped',
          at: clock.now(),
          reason: 'the client that requested it has disconnected',
        })),
    );
    if (options.claimsSlots) await claiming.adopt(jobs, clock.now());
  };
  if (options.recovers) await recover();

  const allOver = async (): Promise<void> => {
    while (active.size > 0) await Promise.race([...active.values()].map(({ over }) => over));
  };

  return {
    reconcile: cycles.wake,
    request: requests.request,
    adopt: (adopted, most) =>
      cycles.runExclusive(async () => {
        if (options.claimsSlots) await claiming.adopt(adopted, clock.now());
        jobs = adopted;
        maxRunning = most;
        hasEvents = true;
        data.runEnded();
      }),
    openRuns: () =>
      openRuns.all().map((run) => {
        const waiting = run.state === 'running' ? undefined : waits.get(keyText(run))?.();
        return { run, waiting };
      }),
    nextOf: claiming.nextOf,
    needsEachSecond: () => {
      const now = clock.now();
      const slots = [...jobs.keys()].flatMap((job) => claiming.nextOf(job) ?? []);
      const attempts = openRuns
        .all()
        .flatMap(({ state, nextAttempt = now }) => (state === 'running' ? [] : [nextAttempt]));
      return [...slots.filter((slot) => slot !== startOfMinute(slot)), ...attempts].some(
        (at) => at > now && at <= now + minuteMillis,
      );
    },
    isStopping: () => stopping,
    unrecorded: openRuns.unrecorded,
    problem: () => problem,
    stop: async (grace, { isOrdered } = { isOrdered: false }) => {
      stopping = true;
      await cycles.wake();
      const over = allOver();
      using graceOver = clock.limit(grace);
      await Promise.race([over, aborted(graceOver.signal)]);
      if (active.size > 0) {
        const runs = [...active.keys()].flatMap((key) => openRuns.get(key) ?? []);
        log.warn('aborting running jobs', {
          jobs: runs.map(({ job }) => job).join(', '),
          runs: runs.map(runIdOf).join(', '),
        });
      }
      for (const key of active.keys()) {
        const run = openRuns.get(key);
        if (run === undefined || !isBySlot(run))
          interrupt(key, { error: fault('aborted', stopped), next: 'nothing' });
        else if (isOrdered) interrupt(key, { error: fault('run-stopped', stopped), next: 'at once' });
        else interrupt(key, { error: fault('aborted', stopped), next: 'as retries say' });
      }
      await over;
      await cycles.wake();
      requests.rejectAll(fault('aborted', 'the daemon was stopped before it ran'));
    },
  };
};
