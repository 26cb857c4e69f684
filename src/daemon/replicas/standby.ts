import { z } from 'zod';
import { fault, type Deps, type Log } from '../../core/index.ts';
import type { Config } from '../../config/index.ts';
import { answerRequests, askReplica, commandTable } from '../../control/index.ts';
import type { SharedDatabase } from '../../storage/index.ts';
import { passedRequest, type PassedAnswer, type PassedRequest } from '../../web/index.ts';
import { version } from '../../version.ts';
import type { ProgramHandlers } from '../handlers/handlers.ts';
import { openPassedPage } from '../listeners/open-page.ts';

/** What the working replica answers in the database: commands, and requests for the status page. */
const sharedTable = {
  ...commandTable,
  page: { input: passedRequest, streams: 'nothing' },
  /** Whether the working replica answers. */
  ping: { input: z.strictObject({}), streams: 'nothing' },
} as const;

type SharedHandlers = ProgramHandlers & {
  readonly page: (request: PassedRequest) => Promise<PassedAnswer>;
  readonly ping: () => Promise<void>;
};

/** Answers what other processes ask of this replica, which works, until disposed; `page` is missing when it serves none. */
export const answerCommands = (
  { engine, leases }: SharedDatabase,
  { clock, secrets }: Pick<Deps, 'clock' | 'secrets'>,
  log: Log,
  handlers: ProgramHandlers,
  page: SharedHandlers['page'] | undefined,
): AsyncDisposable => {
  const noPage: SharedHandlers['page'] = async () => {
    throw fault('wrong-use', 'the working replica does not serve the status page', {
      advice: 'its log says why; configure all replicas alike, with status.enabled',
    });
  };
  return answerRequests({
    database: engine,
    holder: leases.holder,
    table: sharedTable,
    handlers: { ...handlers, page: page ?? noPage, ping: () => Promise.resolve() },
    version,
    clock,
    log,
    redact: secrets.redact,
  });
};

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

/** What a standby serves until it works: the status page of the working replica. */
export const serveStandby = async (
  database: SharedDatabase,
  deps: Pick<Deps, 'clock'>,
  config: Pick<Config, 'settings'>,
  log: Log,
): Promise<AsyncDisposable> => {
  const call = commandsOf(database, deps, config);
  const page = await openPassedPage(config.settings.status, log, (request, signal) =>
    call('page', request, { signal }),
  );
  if (page.address !== undefined)
    log.info('serving the status page of the working replica', { page: page.address });
  return page;
};
