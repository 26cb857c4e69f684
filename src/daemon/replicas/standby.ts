import { z } from 'zod';
import { unixMillis, type Deps, type Log } from '../../core/index.ts';
import type { Config } from '../../config/index.ts';
import { answerRequests, askReplica, commandTable } from '../../control/index.ts';
import type { SharedDatabase } from '../../storage/index.ts';
import type { FeedEntry, PageView } from '../../web/index.ts';
import { version } from '../../version.ts';
import type { ProgramHandlers } from '../handlers/handlers.ts';
import { openPage } from '../listeners/open-page.ts';
import { pageActions, type PageSource } from '../listeners/page-source.ts';

const text = z.string();

/**
 * What the working replica answers in the database: commands, and what the status page of a standby shows and does. Who acts is
 * decided by the standby, so that no token, cookie or signature is stored.
 */
const sharedTable = {
  ...commandTable,
  /** Of all, or of one team. */
  'page/view': { input: z.strictObject({ team: z.optional(text) }), streams: 'nothing' },
  'page/feed': { input: z.strictObject({}), streams: 'nothing' },
  'page/report': { input: z.strictObject({ job: text, slot: text }), streams: 'nothing' },
  /** Starts a run, and does not wait for its end. */
  'page/run': { input: z.strictObject({ job: text }), streams: 'nothing' },
  'page/was-used': { input: z.strictObject({ who: text }), streams: 'nothing' },
  'page/has-ended': { input: z.strictObject({ session: text }), streams: 'nothing' },
  'page/log-out': { input: z.strictObject({ session: text, expiresAt: z.int() }), streams: 'nothing' },
  'page/use-link': {
    input: z.strictObject({ account: text, alert: text, who: text, until: z.optional(z.int()) }),
    streams: 'nothing',
  },
  /** Whether the working replica answers. */
  ping: { input: z.strictObject({}), streams: 'nothing' },
} as const;

type SharedHandlers = ProgramHandlers & {
  readonly 'page/view': (input: { team?: string | undefined }) => Promise<PageView | undefined>;
  readonly 'page/feed': () => Promise<readonly FeedEntry[]>;
  readonly 'page/report': (input: { job: string; slot: string }) => Promise<string | undefined>;
  readonly 'page/run': (input: { job: string }) => Promise<void>;
  readonly 'page/was-used': (input: { who: string }) => Promise<boolean>;
  readonly 'page/has-ended': (input: { session: string }) => Promise<boolean>;
  readonly 'page/log-out': (input: { session: string; expiresAt: number }) => Promise<void>;
  readonly 'page/use-link': (input: {
    account: string;
    alert: string;
    who: string;
    until?: number | undefined;
  }) => Promise<boolean>;
  readonly ping: () => Promise<void>;
};

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

/** The commands of the working replica, asked through the database. */
export const commandsOf = (
  { engine }: SharedDatabase,
  { clock }: Pick<Deps, 'clock'>,
  { settings }: Pick<Config, 'settings'>,
) => {
  // Another replica takes over within a lease and a few seconds; a browser does not wait longer.
  const timeout = Math.min(Math.max(1.5 * settings.scheduler.lease, 3000), 25_000);
  return askReplica<typeof sharedTable, SharedHandlers>({ database: engine, version, clock, timeout });
};

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
