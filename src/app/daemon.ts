import { pid } from 'node:process';
import { createLog, fault, hasCode, unixMillis } from '../base/index.ts';
import type { Log, Means } from '../base/index.ts';
import type { Config } from '../config/index.ts';
import { cronWaker, startLoop, watchdogWaker } from '../schedule/index.ts';
import type { Housekeeping } from '../schedule/index.ts';
import { listenForCommands, listenForHealth } from '../server/index.ts';
import { readConfig } from '../settings.ts';
import { builtAt, version } from '../version.ts';
import { goodConfig } from './commands.ts';
import { becomeTheDaemon } from './daemon-lock.ts';
import { createLocalCommands } from './local-commands.ts';
import { openApp } from './open-app.ts';
import type { App } from './open-app.ts';
import { makeDataFolder, placesOf } from './places.ts';
import { createReload } from './reload.ts';
import type { Reload } from './reload.ts';

const second = 1000;

/** Milliseconds from one start of a housekeeping work to the next. */
const every = { outbox: 5 * second, config: 3 * second, trim: 3600 * second, watchdog: 5 * second };

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

const housekeepingOf = (app: App, reload: Reload, means: Means, log: Log): readonly Housekeeping[] => [
  {
    name: 'outbox',
    every: every.outbox,
    run: async (signal) => {
      const sent = await app.current().deliverMail(signal);
      if (sent.sent + sent.failed + sent.deferred + sent.unknown > 0)
        log.info('outbox worked off', { ...sent });
    },
  },
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
];

const checkClock = (means: Means): void => {
  const now = means.clock.now();
  if (builtAt === undefined || now >= builtAt) return;
  throw fault(
    'clock-before-build',
    `the clock shows ${new Date(now).toISOString()}, and this program was built at ${new Date(builtAt).toISOString()}`,
  );
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
  const { clock, secrets, signal } = means;
  const log = createLog({
    write: means.stdout.write,
    level: settings.log.level,
    clock,
    redact: secrets.redact,
  });
  let ready = false;
  const places = placesOf(means, settings.warehouse);
  await makeDataFolder(places);
  // First to open and last to close: it is alive, and not ready, while the rest is opened and closed.
  await using health = await listenForHealth({
    host: settings.health.host,
    port: settings.health.port,
    health: () => ({ ready, version }),
  });
  await using _lock = await becomeTheDaemon(places, means, log, options.wait);
  await using app = await openPatiently(means, folder, config, log);
  const startedAt = clock.now();
  const reload = createReload({
    means,
    folder,
    log,
    first: { ...loaded, config },
    adopt: app.adopt,
    tellFaults: (faults) => app.current().tellConfigFaults(faults, clock.now()),
  });
  await using _control = await listenForCommands({
    databasePath: places.path,
    commands: createLocalCommands({
      clock,
      app,
      state: () => ({
        daemon: { pid, startedAt, stopping: app.scheduler.isStopping() },
        config: reload.state(),
      }),
    }),
    version,
    clock,
    log,
    redact: secrets.redact,
    cwd: means.cwd,
  });
  const loop = startLoop({
    clock,
    log,
    wakers: [cronWaker, watchdogWaker(every.watchdog)],
    reconcile: app.scheduler.reconcile,
    housekeeping: housekeepingOf(app, reload, means, log),
  });
  using _hangup = means.onHangup(() => {
    log.info('SIGHUP: the config is read again');
    reload
      .now()
      .catch((error: unknown) => log.error('the config cannot be read again', { error: String(error) }));
  });
  await app.scheduler.reconcile();
  ready = true;
  const jobs = Object.keys(config.jobs).length;
  log.info('serving', { version, jobs, health: `${settings.health.host}:${health.port}`, pid });
  if (jobs === 0) log.warn('no job is declared', { advice: `add jobs to ${folder}/jobs/*.yaml` });
  try {
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  } finally {
    ready = false;
    log.info('stopping');
    await loop.stop();
    await app.scheduler.stop(app.current().config.settings.scheduler.grace);
    log.info('stopped');
  }
};
