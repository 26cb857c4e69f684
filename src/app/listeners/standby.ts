import { unixMillis, type Deps, type Log } from '../../core/index.ts';
import type { Config } from '../../config/index.ts';
import { answerRequests } from '../../control/index.ts';
import type { SharedDatabase } from '../../storage/index.ts';
import { version } from '../../version.ts';
import type { ProgramHandlers } from '../control/handlers.ts';
import { commandsOf, sharedTable } from '../control/replica-commands.ts';
import { openPage } from './open-page.ts';
import { pageActions, type PageSource } from './page-source.ts';

/** Answers what other processes ask of this replica, which works, until disposed. */
export const answerCommands = (
  { engine, leases }: SharedDatabase,
  { clock, secrets }: Pick<Deps, 'clock' | 'secrets'>,
  log: Log,
  handlers: ProgramHandlers,
  { view, feed, report, actions, links, ended }: PageSource,
): AsyncDisposable =>
  answerRequests<typeof sharedTable>({
    database: engine,
    holder: leases.holder,
    table: sharedTable,
    handlers: {
      ...handlers,
      'page/view': ({ team }) => view(team),
      'page/feed': feed,
      'page/report': ({ job, slot }) => report(job, slot),
      'page/run': ({ job }) => actions.run(job),
      'page/was-used': ({ who }) => links.wasUsed(who),
      'page/has-ended': ({ session }) => ended.hasEnded(session),
      'page/log-out': ({ session, expiresAt }) =>
        ended.end({ id: session, expiresAt: unixMillis(expiresAt) }),
      'page/use-link': ({ until, ...alert }) =>
        links.act({ ...alert, until: until === undefined ? undefined : unixMillis(until) }),
      ping: () => Promise.resolve(),
    },
    version,
    clock,
    log,
    redact: secrets.redact,
  });

const sourceOf = (call: ReturnType<typeof commandsOf>): PageSource => ({
  view: (team) => call('page/view', { team }),
  status: () => call('status', {}),
  feed: () => call('page/feed', {}),
  report: (job, slot) => call('page/report', { job, slot }),
  actions: pageActions(
    {
      'alerts/acknowledge': (alert) => call('alerts/acknowledge', alert),
      'alerts/mute': (alert) => call('alerts/mute', alert),
      'alerts/unmute': (alert) => call('alerts/unmute', alert),
      'outbox/resend': (mails) => call('outbox/resend', mails),
    },
    (job) => call('page/run', { job }),
  ),
  links: {
    wasUsed: (who) => call('page/was-used', { who }),
    act: (action) => call('page/use-link', action),
  },
  ended: {
    hasEnded: (session) => call('page/has-ended', { session }),
    end: ({ id, expiresAt }) => call('page/log-out', { session: id, expiresAt }),
  },
});

/** What a standby serves until it works: the status page, with the data of the working replica. */
export const serveStandby = async (
  database: SharedDatabase,
  { clock, secrets }: Pick<Deps, 'clock' | 'secrets'>,
  { settings }: Pick<Config, 'settings'>,
  log: Log,
): Promise<AsyncDisposable> => {
  const page = await openPage(settings.status, {
    source: sourceOf(commandsOf(database, { clock }, { settings })),
    zone: () => settings.timezone,
    clock,
    redact: secrets.redact,
    log,
  });
  if (page.address !== undefined)
    log.info('serving the status page of the working replica', { page: page.address });
  return page;
};
