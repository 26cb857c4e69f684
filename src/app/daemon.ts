import { pid } from 'node:process';
import {
  createLog,
  errorFields,
  fault,
  hasCode,
  isFault,
  messageOf,
  noProgress,
  unixMillis,
} from '../base/index.ts';
import type { Log, Means } from '../base/index.ts';
import type { Config, Loaded } from '../config/index.ts';
import type { DeliverySummary } from '../mail/index.ts';
import { trimReports } from '../jobs/index.ts';
import type { KeyDesk, KeyNews } from '../keys/index.ts';
import { daemonWakers, startLoop } from '../schedule/index.ts';
import type { Housekeeping } from '../schedule/index.ts';
import { listenForCommands } from '../server/index.ts';
import { readConfig } from '../settings.ts';
import { builtAt, version } from '../version.ts';
import { goodConfig } from './commands.ts';
import { levelledLog } from './levelled-log.ts';
import type { LogLevel } from './levelled-log.ts';
import { createLocalCommands } from './local-commands.ts';
import { openApp } from './open-app.ts';
import { openPage } from './open-page.ts';
import type { App } from './open-app.ts';
import { makeDataFolder, placesOf } from './places.ts';
import type { Places } from './places.ts';
import { createReload } from './reload.ts';
import type { Reload } from './reload.ts';
import { takeVolume } from './volume.ts';

const second = 1000;

/** Milliseconds from one start of a housekeeping work to the next. */
const every = {
  outbox: 5 * second,
  keys: 300 * second,
  undeclared: 60 * second,
  config: 3 * second,
  trim: 3600 * second,
};

/** A command that runs without a daemon holds the database for as long as it runs. */
const databasePatience = { tries: 240, wait: 500 };

const openPatiently = async (means: Means, folder: string, config: Config, log: Log): Promise<App> => {
  for (let left = databasePatience.tries; ; left -= 1) {
    try {
      return await openApp(means, { folder, config, log, claimsSlots: true });
    } catch (error) {
      if (!hasCode(error, 'warehouse-locked') || left <= 1) throw error;
      if (left === databasePatience.tries)
        log.info('waiting for the database', { error: error.message, advice: 'a command works on it' });
      await means.clock.wait(databasePatience.wait, means.signal);
    }
  }
};

/** One work a way out of the outbox: a slow server keeps neither the others nor the jobs waiting. */
const outboxWork = (app: App, log: Log): readonly Housekeeping[] => {
  const { routes, passRoute, passUndeclared } = app.current();
  const told =
    (route: string, pass: (signal: AbortSignal) => Promise<DeliverySummary>) =>
    async (signal: AbortSignal): Promise<void> => {
      const sent = await pass(signal);
      if (sent.sent + sent.failed + sent.deferred + sent.unknown > 0)
        log.info('outbox worked off', { route, ...sent });
    };
  return [
    ...routes.map((route) => ({
      name: `outbox: ${route}`,
      every: every.outbox,
      run: told(route, (signal) => passRoute(route, signal)),
    })),
    { name: 'outbox: undeclared', every: every.undeclared, run: told('undeclared', passUndeclared) },
  ];
};

const moveAccountOn = async (
  account: string,
  desk: KeyDesk,
  log: Log,
  signal: AbortSignal,
): Promise<void> => {
  if ((await desk.open()).length === 0) return;
  const advanced = await desk.advance({ signal, progress: noProgress });
  for (const { view, moved } of advanced)
    if (moved)
      log.info('a rotation has moved on', {
        account,
        service: view.service,
        stage: view.stage,
        words: view.words,
      });
};

/** Told once for each kind of trouble: no step was taken, so that none could be told of. */
const stuckNews = (account: string, error: unknown): KeyNews => {
  const code = isFault(error) ? error.code : 'error';
  const advice = isFault(error) ? ` What to do: ${error.advice}.` : '';
  return {
    kind: 'failed',
    account,
    service: '',
    rotation: '',
    title: `the rotations of ${account} cannot be moved on`,
    words: `${messageOf(error)}.${advice} No step was taken on a key.`,
    key: `stuck/${account}/${code}`,
  };
};

/** Moves the rotations that are open on, an account at a time; nobody is asked anything where there are none. */
const keyWork = (app: App, log: Log): Housekeeping => ({
  name: 'rotations',
  every: every.keys,
  run: async (signal) => {
    const { config, keyDesk } = app.current();
    for (const account of Object.keys(config.settings.accounts)) {
      try {
        await moveAccountOn(account, keyDesk(account), log, signal);
      } catch (error) {
        signal.throwIfAborted();
        // One account's gateway keeps nobody else's keys waiting.
        log.error('rotations cannot be moved on', { account, ...errorFields(error) });
        await app.current().tellOfKeys(stuckNews(account, error));
      }
    }
  },
});

const housekeepingOf = (app: App, reload: Reload, means: Means, log: Log): readonly Housekeeping[] => [
  ...outboxWork(app, log),
  keyWork(app, log),
  { name: 'admin keys', every: every.trim, run: () => app.current().remindOfAdminKeys() },
  { name: 'mail files', every: every.trim, run: () => app.current().cleanMail() },
  { name: 'config', every: every.config, run: () => reload.look() },
  {
    name: 'ledger',
    every: every.trim,
    run: async () => {
      const keep = app.current().config.settings.scheduler.keep_runs;
      const removed = await app.warehouse.runs.trim(unixMillis(means.clock.now() - keep));
      if (removed > 0) log.info('old runs were removed from the ledger', { runs: removed });
    },
  },
  {
    name: 'reports',
    every: every.trim,
    run: async () => {
      const { settings } = app.current().config;
      const { reportsDirectory } = placesOf(means, settings.warehouse);
      const now = means.clock.now();
      const before = unixMillis(now - settings.archive_reports.keep);
      const removed = await trimReports(reportsDirectory, before, now);
      if (removed > 0) log.info('old reports were removed from the archive', { reports: removed });
    },
  },
];

const checkClock = (means: Means): void => {
  const now = means.clock.now();
  if (builtAt === undefined || now >= builtAt) return;
  throw fault(
    'clock-before-build',
    `the clock shows ${new Date(now).toISOString()}, and this program was built at ${new Date(builtAt).toISOString()}`,
  );
};

/** Resolves when the process is told to stop. */
const stopAsked = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

type Served = {
  readonly loaded: Loaded;
  readonly config: Config;
  readonly log: Log;
  readonly places: Places;
  /** That health is asked for on. */
  readonly port: number;
  readonly setReady: (isReady: boolean) => void;
  /** Given how the log level is found from then on. */
  readonly setLevel: (level: () => LogLevel) => void;
};

/** Serves on a volume that nobody else serves on, until the process is told to stop and all is written down. */
const serveVolume = async (
  means: Means,
  folder: string,
  { loaded, config, log, places, port, setReady, setLevel }: Served,
): Promise<void> => {
  const { clock, secrets, signal } = means;
  await using app = await openPatiently(means, folder, config, log);
  setLevel(() => app.current().config.settings.log.level);
  const startedAt = clock.now();
  const reload = createReload({
    means,
    folder,
    log,
    first: { ...loaded, config },
    adopt: app.adopt,
    tellFaults: (faults) => app.current().tellConfigFaults(faults, clock.now()),
  });
  const commands = createLocalCommands({
    clock,
    app,
    state: () => ({
      daemon: { pid, startedAt, stopping: app.scheduler.isStopping() },
      config: reload.state(),
    }),
  });
  await using _control = await listenForCommands({
    databasePath: places.path,
    commands,
    version,
    clock,
    log,
    redact: secrets.redact,
    cwd: means.cwd,
  });
  await using page = await openPage(config.settings.status, {
    commands,
    reportsDirectory: places.reportsDirectory,
    redact: secrets.redact,
    log,
  });
  if (signal.aborted) return;
  const loop = startLoop({
    clock,
    log,
    wakers: daemonWakers,
    reconcile: app.scheduler.reconcile,
    // Asked for anew at each wake-up: another config may have other ways out.
    get housekeeping() {
      return housekeepingOf(app, reload, means, log);
    },
  });
  using _hangup = means.onHangup(() => {
    log.info('SIGHUP: the config is read again');
    reload.now().catch((error: unknown) => log.error('the config cannot be read again', errorFields(error)));
  });
  try {
    await app.scheduler.reconcile();
    setReady(true);
    const jobs = Object.keys(config.jobs).length;
    const { health } = config.settings;
    log.info('serving', { version, jobs, health: `${health.host}:${port}`, page: page.address, pid });
    if (jobs === 0) log.warn('no job is declared', { advice: `add jobs to ${folder}/jobs/*.yaml` });
    await stopAsked(signal);
  } finally {
    setReady(false);
    log.info('stopping');
    const { grace } = app.current().config.settings.scheduler;
    // Both at once: no run begins while housekeeping comes to its end.
    await Promise.all([app.scheduler.stop(grace), loop.stop()]);
  }
};

/** Runs jobs on their schedule until the process is told to stop; then lets what runs end and closes everything. */
export const serve = async (
  means: Means,
  folder: string,
  options: { readonly wait: boolean },
): Promise<void> => {
  const loaded = await readConfig(folder, means);
  const config = goodConfig(loaded);
  checkClock(means);
  const { settings } = config;
  let level = (): LogLevel => settings.log.level;
  const whole = createLog({
    write: means.stdout.write,
    level: 'debug',
    clock: means.clock,
    redact: means.secrets.redact,
  });
  const log = levelledLog(whole, () => level());
  // One who waits, or is just starting, reads the config when it begins to serve.
  using _hangup = means.onHangup(() => undefined);
  let isReady = false;
  const places = placesOf(means, settings.warehouse);
  await makeDataFolder(places);
  try {
    const ready = (): boolean => isReady;
    const opened = await takeVolume(means, settings.health, { places, log, wait: options.wait, ready });
    // First to open and last to close: it is alive, and not ready, while the rest is opened and closed.
    await using health = opened.health;
    await using _lock = opened.lock;
    await serveVolume(means, folder, {
      loaded,
      config,
      log,
      places,
      port: health.port,
      setReady: (is) => {
        isReady = is;
      },
      setLevel: (current) => {
        level = current;
      },
    });
  } catch (error) {
    // To be told to stop before there is anything to stop is a good end too.
    if (!means.signal.aborted || error !== means.signal.reason) throw error;
  }
  log.info('stopped');
};
