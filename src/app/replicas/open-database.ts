import { hasCode, type Deps, type Log } from '../../core/index.ts';
import type { Config } from '../../config/index.ts';
import type { SharedDatabase } from '../../storage/index.ts';
import { filledTable } from '../../warehouse/index.ts';
import { refuseOtherData } from '../data-folder/missing-warehouse.ts';
import type { Paths } from '../data-folder/paths.ts';
import { closeShared, openShared } from './database-leases.ts';
import { noteUnrecorded } from './unrecorded-ends.ts';

/** What a replica serves while another one works. */
export type StandBy = (database: SharedDatabase) => Promise<AsyncDisposable>;

type OpenOptions = {
  readonly config: Config;
  readonly log: Log;
  /** Waits while another replica works; otherwise fails. */
  readonly claimsSlots: boolean;
  readonly standBy?: StandBy | undefined;
  /** Reads only, and needs no lease. */
  readonly dryRun: boolean;
  /** The database, if it is open. */
  readonly database?: SharedDatabase | undefined;
};

const holdLeases = async (
  database: SharedDatabase,
  accounts: readonly string[],
  signal: AbortSignal,
  standBy: StandBy | undefined,
): Promise<void> => {
  const { leases } = database;
  try {
    await leases.hold(accounts, undefined);
  } catch (error) {
    if (!hasCode(error, 'lease-lost') && !hasCode(error, 'database-unreachable')) throw error;
    await using _standby = await standBy?.(database);
    await leases.hold(accounts, signal);
  }
};

/**
 * The database that several processes share, once this one may work in it; undefined where the configuration names none. Closes it
 * when it fails.
 */
export const openDatabaseOf = async (
  deps: Deps,
  { config, log, claimsSlots, standBy, dryRun, database: opened }: OpenOptions,
  paths: Paths,
): Promise<SharedDatabase | undefined> => {
  const { database: url, accounts } = config.settings;
  if (url === undefined) return undefined;
  const database = opened ?? (await openShared(deps, url.reveal(), config, log));
  try {
    await refuseOtherData(paths.path, () => database.engine.state(filledTable));
    const names = Object.keys(accounts);
    if (dryRun) return { ...database, engine: database.reader };
    // Runs before the leases are taken, so that another replica that takes over meanwhile also counts these runs correctly.
    await noteUnrecorded(database, paths, log);
    if (claimsSlots) await holdLeases(database, names, deps.signal, standBy);
    else await database.leases.hold(names, undefined);
    return database;
  } catch (error) {
    await closeShared(database);
    throw error;
  }
};
