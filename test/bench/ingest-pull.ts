import { dirname, join } from 'node:path';
import {
  createSecretRegistry,
  noProgress,
  silentLog,
  systemClock,
  unixSeconds,
  unknownGateway,
  type UnixSeconds,
} from '../../src/core/index.ts';
import { createGateway } from '../../src/gateway/index.ts';
import { pullLogs, type PullSummary } from '../../src/ingest/index.ts';
import { createHttp } from '../../src/http/index.ts';
import {
  openDatabase,
  openSharedWarehouse,
  openWarehouse,
  type Warehouse,
} from '../../src/warehouse/index.ts';

export const memoryLimit = 512;

/** Its leases are extended, as those of a daemon: to build the rollup of a month takes longer than a lease. */
export const openBenchDatabase = async (url: string) => {
  const database = await openDatabase({
    url,
    holder: 'bench',
    lease: 60_000,
    timeout: 600_000,
    clock: systemClock,
    log: silentLog,
  });
  await database.leases.hold([], undefined);
  return database;
};

/** The file, or what is at the URL. */
export const openBenchWarehouse = async (database: string, url?: string): Promise<Warehouse> => {
  const options = {
    path: database,
    spoolDirectory: join(dirname(database), 'spool'),
    memoryLimit: `${memoryLimit}MB`,
    threads: 2,
    clock: systemClock,
    log: silentLog,
  };
  return url === undefined
    ? openWarehouse(options)
    : openSharedWarehouse(await openBenchDatabase(url), options);
};

/**
 * What to pull; times in seconds UTC. With several ends, one pull after the other goes on to the next of them, in one
 * process as in a daemon. `again` pulls what was pulled before.
 */
export type PullTask = {
  readonly database: string;
  /** `postgres://`; the file otherwise. */
  readonly url?: string | undefined;
  readonly port: number;
  readonly start: number;
  readonly ends: readonly number[];
  readonly windowSeconds: number;
  readonly again: boolean;
};

/** Pulls as a job does, with the real client over HTTP, into a database file. Gives the rows landed. */
export const pull = async (
  task: PullTask,
  timed: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<number> => {
  const warehouse = await openBenchWarehouse(task.database, task.url);
  const secrets = createSecretRegistry();
  const http = createHttp({
    userAgent: 'tollkeeper/bench',
    env: {},
    timeouts: { connect: 5000, headers: 60_000, idle: 60_000, total: 600_000 },
  });
  const gateway = createGateway({
    baseUrl: `http://127.0.0.1:${task.port}`,
    adminKey: secrets.register('bench-admin-key'),
    http,
    clock: systemClock,
    random: () => 0,
    secrets,
    log: silentLog,
  });
  const since = unixSeconds(task.start);
  const pullTo = (until: UnixSeconds): Promise<PullSummary> =>
    pullLogs({
      account: 'main',
      since,
      until,
      ...(task.again ? { from: since, to: until } : {}),
      windowSeconds: task.windowSeconds,
      // As the job has it.
      ahead: 2,
      columns: 'detailed',
      currency: 'USD',
      profile: unknownGateway,
      fetchLogs: (query, signal) => gateway.exportLogs(query, signal === undefined ? {} : { signal }),
      warehouse,
      spoolDirectory: join(dirname(task.database), 'spool'),
      clock: systemClock,
      log: silentLog,
      progress: noProgress,
    });
  let rows = 0;
  for (const end of task.ends) rows += (await timed(() => pullTo(unixSeconds(end)))).rows;
  await http[Symbol.asyncDispose]();
  await timed(async () => warehouse[Symbol.asyncDispose]());
  return rows;
};
