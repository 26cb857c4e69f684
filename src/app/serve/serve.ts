import { pid } from 'node:process';
import {
  errorFields,
  fault,
  hasCode,
  notifySystemd,
  type Log,
  type LogLevel,
  type Deps,
  type Measure,
} from '../../core/index.ts';
import type { Config, Loaded } from '../../config/index.ts';
import { createMetrics } from '../../metrics/index.ts';
import { startLoop, wakeByMinute } from '../../scheduler/index.ts';
import { commandTable, listenForCommands } from '../../control/index.ts';
import { readConfig } from '../../settings.ts';
import { builtAt, version } from '../../version.ts';
import { goodConfig } from '../accounts/good-config.ts';
import { createHousekeeping } from './housekeeping.ts';
import { createHandlers } from '../control/handlers.ts';
import { openSwitchableLog } from '../process/log-level.ts';
import type { ProcessState } from '../control/status.ts';
import { openMetrics } from '../listeners/open-metrics.ts';
import { createReaders, standbyReaders } from '../listeners/readers.ts';
import { compose, type App } from '../compose.ts';
import { openPage } from '../listeners/open-page.ts';
import { createPageSource } from '../listeners/page-source.ts';
import { makeDataFolder, pathsOf, type Paths } from '../data-folder/paths.ts';
import { watchVolume, type VolumeWatch } from '../data-folder/watch-volume.ts';
import { createReload } from './reload.ts';
import { announceReplica } from '../replicas/announce.ts';
import { createStopLimit } from '../replicas/database-leases.ts';
import { answerCommands, serveStandby } from '../listeners/standby.ts';
import { feedEntries } from '../listeners/feed-entries.ts';
import { createPageView } from '../listeners/page-view.ts';
import { createSpendReader } from '../queries/spend-status.ts';
import { takeVolume } from '../data-folder/volume.ts';

/** A command without a daemon holds the database for its whole duration. */
const databaseRetries = { tries: 240, wait: 500 };

const openPatiently = async (
  deps: Deps,
  folder: string,
  config: Config,
  log: Log,
  measure: Measure | undefined,
  setReady: Served['setReady'],
): Promise<App> => {
  for (let left = databaseRetries.tries; ; left -= 1) {
    try {
      return await compose(deps, {
        folder,
        config,
        log,
        claimsSlots: true,
        standBy: async (database) => {
          setReady(() => database.leases.state() !== 'in doubt');
          const announcing = announceReplica(database, deps, () => config, log);
          const standby = await serveStandby(database, deps, config, log);
          return {
            [Symbol.asyncDispose]: async () => {
              await standby[Symbol.asyncDispose]();
              await announcing[Symbol.asyncDispose]();
            },
          };
        },
        measure,
      });
    } catch (error) {
      if (hasCode(error, 'database-unreachable')) {
        // A server may come up later than its clients. The health check says meanwhile that this process is not ready.
        log.warn('waiting for the database', errorFields(error));
        await deps.clock.wait(config.settings.scheduler.lease, deps.signal);
        left += 1;
        continue;
      }
      if (!hasCode(error, 'warehouse-locked') || left <= 1) throw error;
      if (left === databaseRetries.tries)
        log.info('waiting for the database', { error: error.message, advice: 'a command is using it' });
      await deps.clock.wait(databaseRetries.wait, deps.signal);
    }
  }
};

const checkClock = (deps: Deps): void => {
  const now = deps.clock.now();
  if (builtAt === undefined || now >= builtAt) return;
  throw fault(
    'clock-before-build',
    `the clock shows ${new Date(now).toISOString()}, which is before the build time of this program, ${new Date(builtAt).toISOString()}`,
  );
};

const stopAsked = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

type Served = {
  readonly loaded: Loaded;
  readonly config: Config;
  readonly log: Log;
  readonly paths: Paths;
  readonly port: number;
  readonly setReady: (isReady: () => boolean) => void;
  readonly followLevel: (configured: () => LogLevel) => void;
};

const serveVolume = async (
  deps: Deps,
  folder: string,
  { loaded, config, log, paths, port, setReady, followLevel }: Served,
): Promise<VolumeWatch | undefined> => {
  const { clock, secrets, signal } = deps;
  const metrics = config.settings.metrics.enabled
    ? await createMetrics({ log, redact: secrets.redact })
    : undefined;
  let readers = standbyReaders;
  await using scraped = await openMetrics(config.settings.metrics, {
    metrics,
    readers: () => readers,
    clock,
    log,
  });
  using stopLimit = createStopLimit(deps);
  await using app = await openPatiently(deps, folder, config, log, metrics?.measure, setReady);
  followLevel(() => app.config().settings.log.level);
  const startedAt = clock.now();
  const reload = createReload({
    deps,
    folder,
    log,
    first: { ...loaded, config },
    adopt: app.adopt,
    notifyFaults: async (faults) => {
      using runtime = app.lease();
      await runtime.notifications.configFaults(faults, clock.now());
    },
  });
  const state = (): ProcessState => ({
    daemon: {
      pid,
      startedAt,
      stopping: app.scheduler.isStopping(),
      ...app.replicas.own,
    },
    config: reload.state(),
  });
  const handlers = createHandlers({ clock, app, state });
  await using _control = await listenForCommands({
    databasePath: paths.path,
    table: commandTable,
    handlers,
    version,
    clock,
    log,
    redact: secrets.redact,
    cwd: deps.cwd,
  });
  const readSpend = createSpendReader(app.warehouse);
  const source = createPageSource({
    view: createPageView({ clock, app, readSpend, handlers }),
    status: handlers.status,
    feed: async () => feedEntries({ clock, app }),
    handlers,
    isJob: (name) => Object.hasOwn(app.config().jobs, name),
    wasUsed: app.warehouse.alerts.hasActed,
    logOut: app.warehouse.alerts.logOut,
    clock,
    reportsDirectory: paths.reportsDirectory,
    log,
  });
  await using page = await openPage(config.settings.status, {
    source,
    zone: () => app.config().settings.timezone,
    clock,
    redact: secrets.redact,
    log,
  });
  await using _answers = app.replicas.answer((database) =>
    answerCommands(database, deps, log, handlers, source),
  );
  // Only now commands are answered, which others ask for as soon as they find it.
  await using announcing = app.replicas.announce(app.config, log);
  readers = createReaders({ clock, app, readSpend, state, replicas: announcing.replicas });
  if (signal.aborted) return undefined;
  const volume = await watchVolume(paths.path, clock, log);
  const housekeeping = createHousekeeping(app, reload, volume, deps, log);
  const loop = startLoop({
    clock,
    log,
    waker: await wakeByMinute(clock, app.scheduler.needsEachSecond),
    reconcile: app.scheduler.reconcile,
    // Evaluated at each wake-up: another config may declare other routes.
    get housekeeping() {
      return housekeeping();
    },
  });
  using _hangup = deps.onHangup(() => {
    log.info('received SIGHUP; reloading the configuration');
    reload.now().catch((error: unknown) => log.error('cannot reload the configuration', errorFields(error)));
  });
  let grace: number | undefined;
  try {
    await app.scheduler.reconcile();
    setReady(() => !app.replicas.isInDoubt());
    const jobs = Object.keys(config.jobs).length;
    const { health } = config.settings;
    log.info('serving', {
      version,
      jobs,
      health: `${health.host}:${port}`,
      page: page.address,
      metrics: scraped.address,
      traces: app.tracesHost,
      pid,
    });
    await notifySystemd('READY=1', deps, log);
    if (jobs === 0) log.warn('no jobs are configured', { advice: `add jobs to ${folder}/jobs/*.yaml` });
    const takenOver = app.replicas.lost.then((reason) => {
      grace = 0;
      throw reason;
    });
    await Promise.race([stopAsked(signal), volume.lost, takenOver]);
    return volume;
  } finally {
    setReady(() => false);
    readers = standbyReaders;
    log.info('stopping');
    // A lost lease is no order, also where a signal follows it.
    const isOrdered = signal.aborted && grace === undefined;
    grace ??= app.config().settings.scheduler.grace;
    stopLimit.begin(app.replicas.abandon, grace);
    // In parallel, so that no run begins while housekeeping ends.
    await Promise.all([
      notifySystemd('STOPPING=1', deps, log),
      app.scheduler.stop(grace, { isOrdered }),
      loop.stop(),
    ]);
  }
};

/** Runs jobs on their schedules until the signal aborts; then waits for open runs and closes everything. */
export const serve = async (
  deps: Deps,
  folder: string,
  options: { readonly wait: boolean },
): Promise<void> => {
  const loaded = await readConfig(folder, deps);
  const config = goodConfig(loaded);
  checkClock(deps);
  // A daemon that waits or starts reads the config when it begins to serve, so a hangup needs no action.
  using _hangup = deps.onHangup(() => undefined);
  const { settings } = config;
  using levelled = await openSwitchableLog(deps, settings.log.level);
  const { log } = levelled;
  let ready = (): boolean => false;
  const paths = pathsOf(deps, settings.warehouse);
  await makeDataFolder(deps, paths);
  try {
    const opened = await takeVolume(deps, settings.health, {
      paths,
      log,
      wait: options.wait,
      ready: () => ready(),
    });
    // Opened first and closed last: the process is alive, but not ready, while the rest opens and closes.
    await using health = opened.health;
    await using _lock = opened.lock;
    const volume = await serveVolume(deps, folder, {
      loaded,
      config,
      log,
      paths,
      port: health.port,
      setReady: (is) => {
        ready = is;
      },
      followLevel: levelled.follow,
    });
    await volume?.end(deps.signal);
  } catch (error) {
    // A stop signal during startup is a clean exit.
    if (!deps.signal.aborted || error !== deps.signal.reason) throw error;
  }
  log.info('stopped');
};
