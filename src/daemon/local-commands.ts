import { adviceOf, fault, formatSlot, isFault } from '../core/index.ts';
import type { Clock, Fault, LogFields, UnixMillis } from '../core/index.ts';
import type { Job } from '../config/index.ts';
import { nextSlot, nextSlots, scheduleOf } from '../scheduler/index.ts';
import type { Ordered } from '../scheduler/index.ts';
import type {
  Call,
  CommandHandlers,
  CommandInput,
  CommandName,
  commandTable,
  ContextOf,
} from '../control/index.ts';
import type { DoctorCheck, DoctorView } from '../doctor/index.ts';
import type { OpenRotationView, OutdatedServiceView, RunView, StatusView } from '../web/index.ts';
import { version } from '../version.ts';
import type { LedgerRun, OutboxState } from '../warehouse/index.ts';
import { intervalOf, slotOf, slotsBetween } from './views/backfill.ts';
import { clockProblems } from './views/clock-status.ts';
import { accountViews, keptReports } from './views/data-status.ts';
import { jobFailures } from './views/job-failures.ts';
import { createLocalKeyHandlers } from './keys/local.ts';
import type { BuiltReport } from './create-runtime.ts';
import type { App } from './open-app.ts';
import { createOutboxHandlers, mailStatus } from './views/outbox-commands.ts';
import { attemptsByRun, runView } from './views/config-views.ts';
import type { RuntimeLease } from './runtime-leases.ts';
import type { ReconcileView } from './views/reconcile-requested.ts';

export type NextSlot = { readonly job: string; readonly slot: UnixMillis; readonly zone: string };

/** How the mails of a run stand. */
export type MailOutcome = {
  readonly sent: number;
  readonly deferred: number;
  readonly failed: number;
  readonly unknown: number;
  readonly queued: number;
  /** What went wrong first, and what to do. */
  readonly problem?: string;
};

export type RunResult = {
  readonly run: RunView;
  /** Whether it had ended well before, so that nothing was done now. */
  readonly already: boolean;
  readonly figures: LogFields;
  readonly mail: MailOutcome;
  /** What to do about a run that failed. */
  readonly advice?: string;
};

/** A slot of a backfill that has ended. */
export type BackfillStep = { readonly result: RunResult; readonly done: number; readonly total: number };

export type BackfillCounts = {
  readonly slots: number;
  readonly ok: number;
  readonly already: number;
  readonly failed: number;
};

/** What `status` tells of the process itself. */
export type ProcessState = Pick<StatusView, 'daemon' | 'config'>;

export type HandlerDeps = {
  readonly clock: Clock;
  readonly app: App;
  readonly state: () => ProcessState;
};

const never = new AbortController().signal;

/** What carries out the commands: in the daemon, and in a process without one. */
export const createHandlers = ({ clock, app, state }: HandlerDeps) => {
  const { scheduler, warehouse } = app;
  const jobs = (): Readonly<Record<string, Job>> => app.config().jobs;

  const jobOf = (name: string): Job => {
    const job = jobs()[name];
    if (job !== undefined) return job;
    const names = Object.keys(jobs()).join(', ') || 'none';
    throw fault('job-unknown', `there is no job ${name}; there are: ${names}`);
  };

  /** What is under way of keys, and the services that nothing is done to. */
  const keyStatus = async (
    runtime: RuntimeLease,
  ): Promise<{
    readonly rotations: readonly OpenRotationView[];
    readonly outdated: readonly OutdatedServiceView[];
  }> => {
    const accounts = Object.keys(runtime.config.settings.accounts);
    const found = await Promise.all(
      accounts.map(async (account) => {
        const keyService = await runtime.keyService(account);
        const outdated = await keyService.outdated();
        return {
          rotations: await keyService.open(),
          outdated: outdated.map((one) => ({ account, ...one })),
        };
      }),
    );
    return {
      rotations: found.flatMap(({ rotations }) => rotations),
      outdated: found.flatMap(({ outdated }) => outdated),
    };
  };

  const viewsOf = async (runs: readonly LedgerRun[]) => {
    const attemptsOf = attemptsByRun(runs.length === 0 ? [] : await warehouse.runs.attempts(runs));
    return runs.map((run) => runView(run, attemptsOf(run), jobs()));
  };

  /** How the mails stand that a run enqueued: they carry its job and its slot. */
  const mailOf = async (run: LedgerRun, signal: AbortSignal): Promise<MailOutcome> => {
    const counts = { queued: 0, sending: 0, sent: 0, deferred: 0, failed: 0, unknown: 0, dropped: 0 };
    const subject = new Date(run.slot).toISOString();
    const mine = () => warehouse.outbox.list({ kind: `report:${run.job}`, subject });
    const ids = (await mine()).map(({ id }) => id);
    if (ids.length === 0) return withoutSending(counts);
    using runtime = app.lease();
    const delivered = await runtime.deliver({ ids, signal });
    for (const { state: stateOfMail } of await mine()) counts[stateOfMail] += 1;
    const isThrough = counts.deferred + counts.failed + counts.unknown === 0;
    return {
      ...withoutSending(counts),
      ...(isThrough || delivered.problem === undefined ? {} : { problem: delivered.problem }),
    };
  };

  const resultOf = async (ordered: Ordered, signal: AbortSignal): Promise<RunResult> => {
    const [run] = await viewsOf([ordered.run]);
    if (run === undefined) throw fault('aborted', 'the run was removed from the ledger meanwhile');
    const advice = isFault(ordered.error) ? ordered.error.advice : adviceOf(ordered.run.code);
    return {
      run,
      already: ordered.already,
      figures: ordered.outcome?.figures ?? {},
      mail: await mailOf(ordered.run, signal),
      ...(run.state === 'ok' || advice === undefined ? {} : { advice }),
    };
  };

  const status = async (): Promise<StatusView> => {
    using runtime = app.lease();
    const { config } = runtime;
    const latest = await warehouse.runs.latest();
    const last = new Map((await viewsOf(latest)).map((run) => [run.job, run]));
    const goods = await warehouse.runs.goodEnds();
    const open = scheduler.openRuns();
    const attemptsOf = attemptsByRun(await warehouse.runs.attempts(open.map(({ run }) => run)));
    const outages = scheduler.outages();
    const failures = jobFailures(
      await warehouse.runs.failures(),
      open.map(({ run }) => run),
    );
    const failedRuns = [...failures.values()].map(({ run }) => run);
    const failedAttemptsOf = attemptsByRun(await warehouse.runs.attempts(failedRuns));
    const now = clock.now();
    // Rotations are told as they are after it: a file that holds again brings them back.
    const keyProblem = await app.keyProblem();
    return {
      ...state(),
      version,
      now,
      jobs: Object.values(jobs()).map((job) => {
        const run = last.get(job.name);
        const schedule = scheduleOf(job);
        const next =
          schedule === undefined || job.suspend
            ? undefined
            : (scheduler.nextOf(job.name) ?? nextSlot(schedule, now));
        const outage = outages.get(job.name);
        const good = goods.get(job.name);
        const failure = failures.get(job.name);
        return {
          job: job.name,
          kind: job.kind,
          zone: job.timezone,
          suspend: job.suspend,
          ...(job.schedule === undefined ? {} : { schedule: job.schedule }),
          ...(next === undefined ? {} : { next }),
          ...(run === undefined ? {} : { last: run }),
          ...(failure === undefined
            ? {}
            : {
                failure: {
                  run: runView(failure.run, failedAttemptsOf(failure.run), jobs()),
                  advice: failure.advice,
                },
              }),
          ...(good === undefined ? {} : { lastGood: good }),
          ...(outage === undefined ? {} : { outageSince: outage.openedAt }),
        };
      }),
      open: open.map(({ run, waiting }) => runView(run, attemptsOf(run), jobs(), waiting)),
      mail: await mailStatus({ app }),
      data: {
        zone: config.settings.timezone,
        accounts: await accountViews(config, warehouse),
        reports: await keptReports(app.paths.reportsDirectory),
        ...(await keyStatus(runtime)),
        ...keyProblemOf(keyProblem),
        clockProblems: clockProblems({ jobs: jobs() }, warehouse.clocks),
      },
    };
  };

  const next = async ({ job: name, count }: CommandInput<'next'>): Promise<readonly NextSlot[]> => {
    const now = clock.now();
    const firsts = (name === undefined ? Object.values(jobs()) : [jobOf(name)]).flatMap((job) => {
      const schedule = scheduleOf(job);
      const slot = schedule === undefined || job.suspend ? undefined : nextSlot(schedule, now);
      return schedule === undefined || slot === undefined ? [] : [{ job, schedule, slot }];
    });
    const inOrder = (left: { slot: UnixMillis }, right: { slot: UnixMillis }) => left.slot - right.slot;
    // Only jobs whose first slot is among the earliest can have one of the earliest slots.
    return firsts
      .toSorted(inOrder)
      .slice(0, count)
      .flatMap(({ job, schedule }): NextSlot[] =>
        nextSlots(schedule, now, count).map((slot) => ({ job: job.name, slot, zone: job.timezone })),
      )
      .toSorted(inOrder)
      .slice(0, count);
  };

  return {
    status,
    next,
    runs: async ({ job, limit }): Promise<readonly RunView[]> => {
      if (job !== undefined && (await warehouse.runs.list({ job, limit: 1 })).length === 0) jobOf(job);
      return viewsOf(await warehouse.runs.list({ ...(job === undefined ? {} : { job }), limit }));
    },
    plan: async (request): Promise<readonly string[]> => {
      const job = jobOf(request.job);
      const now = clock.now();
      using runtime = app.lease();
      const planOf = (slot: UnixMillis, trigger: 'hand' | 'backfill') =>
        runtime.plan(job, { slot, interval: intervalOf(job, slot), trigger }, never);
      if (!('from' in request))
        return await planOf(request.slot === undefined ? now : slotOf(request.slot, job, now), 'hand');
      const lines: string[] = [];
      for (const slot of slotsBetween(job, request, now)) {
        const known = await warehouse.runs.find({ job: job.name, slot });
        const shown = formatSlot(slot, job.timezone);
        if (known?.state === 'ok') lines.push(`slot ${shown}: ran before, nothing to do`);
        else lines.push(...(await planOf(slot, 'backfill')).map((line) => `slot ${shown}: ${line}`));
      }
      return lines.length === 0 ? ['no slot of the job lies in this span'] : lines;
    },
    report: async (request, { progress, signal }): Promise<BuiltReport> => {
      using runtime = app.lease();
      return await runtime.composeReport(request, progress, signal);
    },
    doctor: async (request, { progress, signal }): Promise<DoctorView> => {
      using runtime = app.lease();
      const { now, zone, checks, learned } = await runtime.doctor(request, progress, signal);
      const { config } = state();
      return { version, now, zone, checks: [...configChecks(config.faults), ...checks], learned };
    },
    ...createOutboxHandlers({ clock, app }),
    ...createLocalKeyHandlers({ clock, app }),
    reconcile: async (request, { progress, signal }): Promise<ReconcileView> => {
      using runtime = app.lease();
      return await runtime.reconcile(request, progress, signal);
    },
    run: async (request, { progress, signal }): Promise<RunResult> => {
      const job = jobOf(request.job);
      const now = clock.now();
      const slot = request.slot === undefined ? undefined : slotOf(request.slot, job, now);
      const ordered = await scheduler.request({
        job,
        ...(slot === undefined ? {} : { slot }),
        interval: intervalOf(job, slot ?? now),
        trigger: 'hand',
        progress,
        signal,
      });
      return resultOf(ordered, signal);
    },
    backfill: async (
      request,
      { progress, onResult, signal }: ContextOf<'results', BackfillStep>,
    ): Promise<BackfillCounts> => {
      const job = jobOf(request.job);
      const slots = slotsBetween(job, request, clock.now());
      const counts = { slots: slots.length, ok: 0, already: 0, failed: 0 };
      for (const [index, slot] of slots.entries()) {
        signal.throwIfAborted();
        progress({
          step: `slot of ${job.name}`,
          done: index + 1,
          total: slots.length,
          detail: formatSlot(slot, job.timezone),
        });
        const interval = intervalOf(job, slot);
        const ordered = await scheduler.request({
          job,
          slot,
          interval,
          trigger: 'backfill',
          progress,
          signal,
        });
        const result = await resultOf(ordered, signal);
        counts[ordered.already ? 'already' : result.run.state === 'ok' ? 'ok' : 'failed'] += 1;
        onResult({ result, done: index + 1, total: slots.length });
      }
      return counts;
    },
  } satisfies CommandHandlers;
};

export type ProgramHandlers = ReturnType<typeof createHandlers>;

/** What a command answers. */
export type CommandAnswer<Name extends CommandName> = Awaited<ReturnType<ProgramHandlers[Name]>>;

/** Carries out a command by its name: in this process, or in the daemon. */
export type Commands = Call<typeof commandTable, ProgramHandlers>;

const keyProblemOf = (problem: Fault | undefined): Pick<NonNullable<StatusView['data']>, 'keyProblem'> =>
  problem === undefined
    ? {}
    : { keyProblem: { code: problem.code, message: problem.message, advice: problem.advice } };

/** A newer config that is not in force since it has faults. */
const configChecks = (faults: StatusView['config']['faults']): readonly DoctorCheck[] =>
  faults.map(({ file, line, column, message, advice }) => ({
    about: 'new config',
    state: 'failed',
    said: `${file}:${line}:${column}: ${message}; the old config stays in force`,
    ...(advice === undefined ? {} : { advice }),
  }));

const withoutSending = ({
  sending,
  dropped: _dropped,
  ...counts
}: Record<OutboxState, number>): MailOutcome => ({
  ...counts,
  queued: counts.queued + sending,
});
