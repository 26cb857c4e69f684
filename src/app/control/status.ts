import type { Clock, Fault } from '../../core/index.ts';
import { nextSlot, scheduleOf } from '../../scheduler/index.ts';
import { version } from '../../version.ts';
import { unknownAlertsOf } from '../../monitoring/index.ts';
import type { StatusView } from '../../web/index.ts';
import type { App } from '../compose.ts';
import type { RuntimeLease } from '../runtime/runtime.ts';
import { attemptsByRun, runView } from '../queries/config-views.ts';
import { accountViews, keptReports } from '../queries/data-status.ts';
import { jobFailures } from '../queries/job-failures.ts';
import { missedFirstSlots } from '../queries/never-ran.ts';
import { readAlerts } from './alerts.ts';
import { mailStatus } from './outbox.ts';
import type { Config } from '../../config/index.ts';
import { expiryPolicy, type ExpireSettings, type RotateSettings } from '../../jobs/index.ts';
import { clockEffect, clockText } from '../../keys/index.ts';
import type { Warehouse } from '../../warehouse/index.ts';

type DataStatus = NonNullable<StatusView['data']>;
type ClockProblem = NonNullable<DataStatus['clockProblems']>[number];

/** Accounts whose clock deviation stops key jobs from deleting keys, each once. */
const clockProblems = (
  { jobs }: Pick<Config, 'jobs'>,
  clocks: Pick<Warehouse['clocks'], 'of'>,
): readonly ClockProblem[] => {
  const found = new Map<string, ClockProblem>();
  for (const { name, kind, account, fields, suspend, timezone: zone } of Object.values(jobs)) {
    if (suspend || (kind !== 'rotate-keys' && kind !== 'expire-keys')) continue;
    // The config has parsed the fields with the shape of this kind.
    const quiet =
      kind === 'rotate-keys'
        ? (fields as RotateSettings).retire.quiet
        : expiryPolicy({ name, zone }, fields as ExpireSettings).quiet;
    const effect = clockEffect(clocks.of(account), { quiet });
    if (effect.effect === 'suspend' && !found.has(account))
      found.set(account, { account, message: clockText(effect.problem, zone) });
  }
  return [...found.values()];
};

export type ProcessState = Pick<StatusView, 'daemon' | 'config'>;

type StatusDeps = {
  readonly clock: Clock;
  readonly app: App;
  readonly state: () => ProcessState;
};

const keyStatus = async (
  runtime: RuntimeLease,
): Promise<Pick<DataStatus, 'rotations' | 'outdated' | 'deadKeys'>> => {
  const accounts = Object.keys(runtime.config.settings.accounts);
  const found = await Promise.all(
    accounts.map(async (account) => {
      const keyService = await runtime.keyService(account);
      const outdated = await keyService.outdated();
      return {
        rotations: await keyService.open(),
        outdated: outdated.map((one) => ({ account, ...one })),
        deadKeys: (await keyService.deadKeys()).map((one) => ({ account, ...one })),
      };
    }),
  );
  return {
    rotations: found.flatMap(({ rotations }) => rotations),
    outdated: found.flatMap(({ outdated }) => outdated),
    deadKeys: found.flatMap(({ deadKeys }) => deadKeys),
  };
};

const keyProblemOf = (problem: Fault | undefined): Pick<DataStatus, 'keyProblem'> =>
  problem === undefined
    ? {}
    : { keyProblem: { code: problem.code, message: problem.message, advice: problem.advice } };

const backupStatus = async (warehouse: Pick<Warehouse, 'backups'>): Promise<Pick<DataStatus, 'backup'>> => {
  const { taken, restored } = await warehouse.backups.newest();
  if (taken === undefined) return {};
  const { name, target, takenAt, bytes, newBytes } = taken;
  const proven =
    restored?.drilledAt === undefined ? undefined : { name: restored.name, drilledAt: restored.drilledAt };
  return { backup: { taken: { name, target, takenAt, bytes, newBytes }, restored: proven } };
};

export const createStatus =
  ({ clock, app, state }: StatusDeps) =>
  async (): Promise<StatusView> => {
    const { scheduler, warehouse } = app;
    using runtime = app.lease();
    const { config } = runtime;
    const { jobs } = config;
    const latest = await warehouse.runs.latest();
    const latestAttemptsOf = attemptsByRun(await warehouse.runs.attempts(latest));
    const last = new Map(latest.map((run) => [run.job, runView(run, latestAttemptsOf(run), jobs)]));
    const goods = await warehouse.runs.goodEnds();
    const storeProblem = scheduler.problem();
    const open = scheduler.openRuns();
    const attemptsOf = attemptsByRun(await warehouse.runs.attempts(open.map(({ run }) => run)));
    const outages = new Map((await warehouse.runs.outages()).map((outage) => [outage.job, outage]));
    const failures = jobFailures(
      await warehouse.runs.failures(),
      open.map(({ run }) => run),
    );
    const failedRuns = [...failures.values()].map(({ run }) => run);
    const failedAttemptsOf = attemptsByRun(await warehouse.runs.attempts(failedRuns));
    const now = clock.now();
    const missedFirst = await missedFirstSlots(Object.values(jobs), warehouse.runs, { latest, now });
    // Before the rotations are read: a journal that is valid again brings them back.
    const keyProblem = await app.keyProblem();
    return {
      ...state(),
      version,
      now,
      ...(await app.replicas.ofStatus(config)),
      ...(storeProblem === undefined ? {} : { storeProblem }),
      jobs: Object.values(jobs).map((job) => {
        const run = last.get(job.name);
        const schedule = scheduleOf(job);
        const next =
          schedule === undefined || job.suspend
            ? undefined
            : (scheduler.nextOf(job.name) ?? nextSlot(schedule, now));
        const outage = outages.get(job.name);
        const good = goods.get(job.name);
        const failure = failures.get(job.name);
        const unrun = missedFirst.get(job.name);
        return {
          job: job.name,
          kind: job.kind,
          zone: job.timezone,
          suspend: job.suspend,
          schedule: job.schedule,
          next,
          last: run,
          ...(failure === undefined
            ? {}
            : {
                failure: {
                  run: runView(failure.run, failedAttemptsOf(failure.run), jobs),
                  advice: failure.advice,
                },
              }),
          lastGood: good,
          ...(unrun === undefined ? {} : { missedFirst: unrun }),
          ...(outage === undefined ? {} : { outageSince: outage.openedAt }),
        };
      }),
      open: open.map(({ run, waiting }) => {
        const progress = app.progressOf(run);
        const view = runView(run, attemptsOf(run), jobs, waiting);
        return progress === undefined ? view : { ...view, progress };
      }),
      mail: await mailStatus({ app }),
      data: {
        zone: config.settings.timezone,
        ...keyProblemOf(keyProblem),
        unknownAlerts: unknownAlertsOf(await readAlerts({ clock, app })),
        clockProblems: clockProblems({ jobs }, warehouse.clocks),
        accounts: await accountViews(config, warehouse),
        reports: await keptReports(app.paths.reportsDirectory),
        ...(await keyStatus(runtime)),
        ...(await backupStatus(warehouse)),
      },
    };
  };
