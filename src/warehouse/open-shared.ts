import { join } from 'node:path';
import { createNamedGates, fault } from '../core/index.ts';
import {
  createMailTable,
  createPostgresRows,
  openEngine,
  openSharedDatabase,
  readServer,
  type DatabaseOptions,
  type SharedDatabase,
} from '../storage/index.ts';
import type { ArchiveTable } from './archive/archive-table.ts';
import { copyToFile } from './copies/copy-to-file.ts';
import { openCells } from './rollup/cells.ts';
import { schema } from './schema.ts';
import { clearSpool, spoolPrefix } from './spool-prefix.ts';
import { createTables, type Warehouse, type WarehouseOptions } from './tables.ts';

/** The database at an address, with the tables of this version. @throws those of `openSharedDatabase` */
export const openDatabase = async (options: Omit<DatabaseOptions, 'schema'>): Promise<SharedDatabase> =>
  openSharedDatabase({ ...options, schema });

/** Calls stay in the partitions of their months. */
const noArchive: ArchiveTable = {
  plan: async () => ({ months: [], kept: [], damaged: [] }),
  months: async () => [],
  verify: async () => [],
  run: async () => {
    throw fault('wrong-use', 'the archive is one of a database file; PostgreSQL keeps all calls', {
      advice: 'remove the archive job; PostgreSQL has a partition of call_log for each month',
    });
  },
};

export type SharedWarehouseOptions = WarehouseOptions & {
  /** Whether no other process of this data folder works, so that files in its spool belong to none. */
  readonly ownsSpool?: boolean;
};

/**
 * The warehouse in a database that several processes share, whose connections close with it. The rows that a work touches are in
 * memory while it runs.
 */
export const openSharedWarehouse = async (
  { engine: database, leases }: SharedDatabase,
  options: SharedWarehouseOptions,
): Promise<Warehouse> => {
  const engine = await openEngine({ ...options, path: ':memory:' });
  const rowStore = createPostgresRows({
    engine,
    database,
    schema,
    filePrefix: join(options.spoolDirectory, spoolPrefix),
    tokenOf: leases.tokenOf,
    rollupOf: (rows, account) => (zone) => openCells(rows, account, zone),
  });
  const warehouse = await createTables(
    {
      engine,
      state: database,
      rowStore,
      oneAnAccount: createNamedGates(),
      archive: noArchive,
      mails: createMailTable(database),
      confirm: leases.confirm,
      server: () => readServer(database, options.clock),
      exclusive: async () => {
        throw fault('wrong-use', 'PostgreSQL has no database file');
      },
      copyToFile: (target) => copyToFile(database, target, options),
      close: async () => {
        await leases[Symbol.asyncDispose]();
        await engine[Symbol.asyncDispose]();
        await database[Symbol.asyncDispose]();
      },
    },
    options,
  );
  if (options.ownsSpool === true) await clearSpool(options.spoolDirectory, options.log);
  return warehouse;
};
