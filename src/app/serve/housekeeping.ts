import { errorFields, noProgress, unixMillis, type Log, type Deps } from '../../core/index.ts';
import { trimReports } from '../../jobs/index.ts';
import type { KeyService, KeyAlert } from '../../keys/index.ts';
import type { DeliverySummary } from '../../notify/index.ts';
import type { Housekeeping } from '../../scheduler/index.ts';
import type { VolumeWatch } from '../data-folder/watch-volume.ts';
import type { App } from '../compose.ts';
import { pathsOf } from '../data-folder/paths.ts';
import type { Reload } from './reload.ts';
import { createInspections } from './inspections.ts';
import { createStuckWatch, type StuckWatch } from '../keys/stuck-rotations.ts';

const second = 1000;

/** An alert must be stored while its period can be evaluated: a quarter, and the two before it. */
const longestAlert = 300 * 86_400 * second;

/** Milliseconds between two starts of each housekeeping task. */
const every = {
  outbox: 5 * second,
  keys: 300 * second,
  undeclared: 60 * second,
  config: 3 * second,
  volume: 5 * second,
  trim: 3600 * second,
  rollup: 86_400 * second,
};

/** One worker per route, so that a slow server delays neither other routes nor jobs. */
const outboxWork = (app: App, log: Log): readonly Housekeeping[] => {
  const notify = (route: string, sent: DeliverySummary): void => {
    if (sent.sent + sent.failed + sent.deferred + sent.unknown > 0)
      log.info('outbox processed', { route, ...sent });
  };
  using declared = app.lease();
  return [
    ...declared.delivery.routes.map((route) => ({
      name: `outbox: ${route}`,
      every: every.outbox,
      run: async (signal: AbortSignal): Promise<void> => {
        using runtime = app.lease();
        notify(route, await runtime.delivery.runCycle(route, signal));
      },
    })),
    {
      name: 'outbox: undeclared',
      every: every.undeclared,
      run: async (signal) => {
        using runtime = app.lease();
        notify('undeclared', await runtime.delivery.deferUndeclared(signal));
      },
    },
  ];
};

const moveAccountOn = async (
  account: string,
  keyService: KeyService,
  log: Log,
  signal: AbortSignal,
): Promise<boolean> => {
  if ((await keyService.open()).length === 0) return false;
  const advanced = await keyService.advance({ signal, progress: noProgress });
  for (const { view, moved } of advanced)
    if (moved)
      log.info('advanced a rotation', {
        account,
        service: view.service,
        stage: view.stage,
        message: view.message,
      });
  return true;
};

type Watches = { readonly rotations: StuckWatch; readonly journal: StuckWatch };

/** Advances open rotations account by account; sends no requests where none is open. */
const keyWork = (app: App, log: Log, { rotations: watch, journal }: Watches): Housekeeping => {
  return {
    name: 'rotations',
    every: every.keys,
    run: async (signal) => {
      using runtime = app.lease();
      const notify = async (alert: KeyAlert | undefined): Promise<void> => {
        if (alert !== undefined) await runtime.notifications.sendKeyAlert(alert);
      };
      // Checked even when nothing is due: the next step may be weeks away.
      const problem = await app.keyProblem();
      if (problem !== undefined) {
        log.error(
          'key operations are suspended: the key journal does not pass verification',
          errorFields(problem),
        );
        await notify(journal.failed('', problem));
        return;
      }
      await notify(journal.advancedAgain(''));
      for (const account of Object.keys(runtime.config.settings.accounts)) {
        try {
          if (await moveAccountOn(account, await runtime.keyService(account), log, signal))
            await notify(watch.advancedAgain(account));
          else watch.atRest(account);
        } catch (error) {
          signal.throwIfAborted();
          // A failing gateway must not stop the rotations of other accounts.
          log.error('cannot advance rotations', { account, ...errorFields(error) });
          await notify(watch.failed(account, error));
        }
      }
    },
  };
};

/** Evaluated at each wake-up; the watches persist, so that a known problem is not reported again. */
export const createHousekeeping = (
  app: App,
  reload: Reload,
  volume: Pick<VolumeWatch, 'look'>,
  deps: Deps,
  log: Log,
): (() => readonly Housekeeping[]) => {
  const { clock } = deps;
  const watches = { rotations: createStuckWatch('stuck', clock), journal: createStuckWatch('closed', clock) };
  const inspections = createInspections(app, clock.now, log);
  return () => [
    { name: 'volume', every: every.volume, run: volume.look },
    ...outboxWork(app, log),
    keyWork(app, log, watches),
    { name: 'key inspection', every: every.keys, run: inspections },
    {
      name: 'admin keys',
      every: every.trim,
      run: async () => {
        using runtime = app.lease();
        await runtime.notifications.oldAdminKeys();
      },
    },
    {
      name: 'mail files',
      every: every.trim,
      run: async () => {
        using runtime = app.lease();
        await runtime.cleanMail();
      },
    },
    {
      name: 'rollup',
      every: every.rollup,
      run: async (signal) => {
        for (const account of Object.keys(app.config().settings.accounts)) {
          try {
            await app.warehouse.rollup.keepUp(account, signal);
            await app.warehouse.rollup.repair(account, signal);
          } catch (error) {
            signal.throwIfAborted();
            log.error('cannot compare the rollup with the call log', { account, ...errorFields(error) });
          }
        }
      },
    },
    { name: 'config', every: every.config, run: () => reload.look() },
    {
      name: 'ledger',
      every: every.trim,
      run: async () => {
        const keep = app.config().settings.scheduler.keep_runs;
        const removed = await app.warehouse.runs.trim(unixMillis(deps.clock.now() - keep));
        if (removed > 0) log.info('removed old runs from the ledger', { runs: removed });
        const alerts = await app.warehouse.alerts.trim(
          unixMillis(deps.clock.now() - Math.max(keep, longestAlert)),
        );
        if (alerts > 0) log.info('removed old alerts', { alerts });
      },
    },
    {
      name: 'reports',
      every: every.trim,
      run: async () => {
        const { settings } = app.config();
        const { reportsDirectory } = pathsOf(deps, settings.warehouse);
        const now = deps.clock.now();
        const before = unixMillis(now - settings.archive_reports.keep);
        const removed = await trimReports(reportsDirectory, before, now);
        if (removed > 0) log.info('removed old reports from the archive', { reports: removed });
      },
    },
  ];
};
