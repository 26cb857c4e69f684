import { createNamedGates, fault } from '../../core/index.ts';
import { createMailTable, type SharedDatabase, openEngine } from '../../storage/index.ts';
import type { ArchiveTable } from '../archive/archive-table.ts';
import { createTables, type Warehouse, type WarehouseOptions } from '../tables.ts';
import { copyToFile } from './copy-to-file.ts';
import { createPostgresRows } from './row-store.ts';
import { readServer } from './server-state.ts';

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

/** A warehouse in PostgreSQL, whose connections close with it. The rows that DuckDB needs for a statement are in memory. */
export const openPostgresWarehouse = async (
  { engine: database, leases }: SharedDatabase,
  options: WarehouseOptions,
): Promise<Warehouse> => {
  const engine = await openEngine({ ...options, path: ':memory:' });
  const { spoolDirectory: folder } = options;
  return createTables(
    {
      engine,
      state: database,
      rowStore: createPostgresRows({ engine, database, folder, tokenOf: leases.tokenOf }),
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
};
