import { createLog, errorFields, noProgress } from './base/index.ts';
import type { Log, Means } from './base/index.ts';
import { openApp } from './app.ts';
import type { App } from './app.ts';
import type { Config } from './config/index.ts';
import { cronWaker, startSchedule } from './schedule/index.ts';
import type { ScheduledJob } from './schedule/index.ts';
import { listenForHealth } from './server/index.ts';
import { version } from './version.ts';

/** Milliseconds that running jobs get to end by themselves when the daemon is stopped. */
const grace = 10_000;

const scheduledJobs = (app: App, log: Log): readonly ScheduledJob[] => {
  const declared = Object.values(app.config.jobs).flatMap((job) =>
    job.schedule === undefined || job.suspend
      ? []
      : [
          {
            name: job.name,
            schedule: job.schedule,
            zone: job.timezone,
            overlap: 'told' as const,
            run: async (_slot: number, signal: AbortSignal) => {
              await app.runJob(job.name, signal);
            },
          },
        ],
  );
  const outbox = {
    name: 'outbox',
    schedule: '*/5 * * * * *',
    zone: 'UTC',
    // A slow mail server is told of by the mails it concerns.
    overlap: 'usual' as const,
    run: async (_slot: number, signal: AbortSignal) => {
      const sent = await app.deliverMail(signal);
      if (sent.sent + sent.failed + sent.deferred + sent.unknown > 0)
        log.info('outbox worked off', { ...sent });
    },
  };
  return app.config.settings.mail === undefined ? declared : [...declared, outbox];
};

/** Runs jobs on their schedule until the process is told to stop; then lets what runs end and closes everything. */
export const serve = async (means: Means, folder: string, config: Config): Promise<void> => {
  const { settings } = config;
  const log = createLog({
    write: means.stdout.write,
    level: settings.log.level,
    clock: means.clock,
    redact: means.secrets.redact,
  });
  let ready = false;
  // First to open and last to close: it is alive, and not ready, while the rest is opened and closed.
  await using health = await listenForHealth({
    host: settings.health.host,
    port: settings.health.port,
    health: () => ({ ready, version }),
  });
  await using app = await openApp(means, { folder, config, log, progress: noProgress });
  const jobs = scheduledJobs(app, log);
  const schedule = startSchedule(jobs, { clock: means.clock, log, waker: cronWaker });
  ready = true;
  log.info('serving', { version, jobs: jobs.length, health: `${settings.health.host}:${health.port}` });
  if (Object.keys(config.jobs).length === 0)
    log.warn('no job is declared', { advice: `add jobs to ${folder}/jobs/*.yaml and start again` });
  try {
    if (!means.signal.aborted) {
      await new Promise((resolve) => means.signal.addEventListener('abort', resolve, { once: true }));
    }
  } finally {
    ready = false;
    log.info('stopping');
    await schedule.stop(grace).catch((error: unknown) => log.error('stopping failed', errorFields(error)));
    log.info('stopped');
  }
};
