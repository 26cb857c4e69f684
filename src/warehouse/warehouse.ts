import { createNamedGates } from '../core/index.ts';
import { clearSpool } from './spool-prefix.ts';
import { setArchiveAccess } from './archive/archive-access.ts';
import { readDatabaseFacts } from './backup/database-facts.ts';
import { createArchive } from './archive/archive.ts';
import { type Engine, archiveFolderOf } from '../storage/index.ts';
import { openMigrated } from './database-file/open-migrated.ts';
import { createRowStore } from './row-store.ts';
import { createTables, type Warehouse, type WarehouseOptions } from './tables.ts';
import { schema } from './schema.ts';
import { createClassesView } from './tokens/classes-view.ts';

/**
 * Opens or creates the database file, and migrates it to the newest schema, with a copy of an older one kept before.
 * @throws faults warehouse-locked, warehouse-unreadable, warehouse-newer, warehouse-older, disk-full, path-unwritable.
 */
export const openWarehouse = async (options: WarehouseOptions): Promise<Warehouse> => {
  const engine = await openMigrated(options, schema);
  try {
    // This process has locked the file, so nothing in the spool belongs to a running job.
    if (options.path !== ':memory:') await clearSpool(options.spoolDirectory, options.log);
    return await createWarehouse(engine, options);
  } catch (error) {
    await engine.abandon();
    throw error;
  }
};

/** All tables over an engine with the newest schema, which is closed with them. */
export const createWarehouse = async (engine: Engine, options: WarehouseOptions): Promise<Warehouse> => {
  const root = archiveFolderOf(options);
  const reader = options.archiveReader ?? 'owner';
  const oneAnAccount = createNamedGates();
  const archive = createArchive({
    engine,
    root,
    reader,
    clock: options.clock,
    log: options.log,
    oneAnAccount,
    beforeLeaving: (account, signal) => warehouse.tokens.judge(account, signal),
    onFiles: async (files) =>
      createClassesView(engine, { root, files, schema: schema.number, log: options.log }),
  });
  if (options.path !== ':memory:') await setArchiveAccess(root, reader);
  await archive.notifyFiles();
  const warehouse = await createTables(
    {
      engine,
      state: engine,
      rowStore: createRowStore(engine, archive),
      oneAnAccount,
      archive: archive.table,
      exclusive: (work) =>
        engine.exclusive(async (database, connection) => work(database, await readDatabaseFacts(connection))),
      close: () => engine[Symbol.asyncDispose](),
    },
    options,
  );
  return warehouse;
};
