import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { interval, silentLog, systemClock, unixSeconds, type CallLogRole } from '../../src/core/index.ts';
import {
  type LogBatch,
  type LogColumn,
  type Warehouse,
  type WarehouseOptions,
  type LandedWindow,
} from '../../src/warehouse/index.ts';
import { databaseOf, openWarehouse } from '../support/postgres-warehouse.ts';
import { openEngine, type Engine } from '../../src/storage/index.ts';
import { createRowStore } from '../../src/warehouse/row-store.ts';
import { landLogWindow } from '../../src/warehouse/logs/land-logs.ts';
import { migrate } from '../../src/warehouse/migrate.ts';
import { schema, type AccountStore } from '../../src/warehouse/schema.ts';
import { openMemoryWarehouse } from '../support/memory-warehouse.ts';
import { engineThreads } from '../support/storm.ts';

export type TestFolder = AsyncDisposable & { readonly path: string; readonly spool: string };

/** A folder of its own that goes with the test. */
export const testFolder = async (): Promise<TestFolder> => {
  const path = await mkdtemp(join(tmpdir(), 'tollkeeper-warehouse-'));
  return {
    path,
    spool: join(path, 'spool'),
    [Symbol.asyncDispose]: async () => rm(path, { recursive: true, force: true }),
  };
};

export const optionsIn = (
  folder: TestFolder,
  path = join(folder.path, 'data', 'test.duckdb'),
): WarehouseOptions => ({
  path,
  memoryLimit: '256MB',
  threads: engineThreads,
  spoolDirectory: folder.spool,
  clock: systemClock,
  log: silentLog,
  ...databaseOf(path),
});

/** A folder, and a warehouse in it; both go with the test. */
export const openNew = async <T extends AsyncDisposable = Warehouse>(
  open: (folder: TestFolder) => Promise<T> = openIn as never,
): Promise<{ readonly folder: TestFolder; readonly warehouse: T }> => {
  const folder = await testFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const warehouse = await open(folder);
  onTestFinished(() => warehouse[Symbol.asyncDispose]());
  return { folder, warehouse };
};

export const openIn = async (folder: TestFolder): Promise<Warehouse> => openWarehouse(optionsIn(folder));

/** One that is never opened again: the same, and nothing waits for a disk. */
export const openInMemory = async (folder: TestFolder): Promise<Warehouse> =>
  openMemoryWarehouse(folder.spool);

/** Columns of an export that are read by their names, `kind` among them, and others that are only kept. */
export const columnsNamed = (
  roles: readonly CallLogRole[],
  ...others: readonly string[]
): readonly LogColumn[] => [
  ...roles.map((role) => ({ name: role === 'kind' ? 'type' : role, role })),
  ...others.map((name) => ({ name })),
];

const columns = columnsNamed(['created_at', 'model_name', 'token_name', 'prompt_tokens', 'quota']);

/** The tables of the schema alone, below the warehouse. Only in a file are columns compressed. */
export const openSchema = async (folder: TestFolder, path?: string): Promise<Engine> => {
  const options = optionsIn(folder, path);
  const engine = await openEngine(options);
  await migrate(engine, schema, systemClock, options.path);
  return engine;
};

/** The calls of an engine whose archive is empty. */
export const rowsIn = (engine: Engine): AccountStore =>
  createRowStore(engine, {
    asReader: (work) => work(),
    rowsIn: () => async () => ({ sql: 'call_log', bindings: {} }),
    bringBack: async () => undefined,
  });

/** Lands a batch as it is, with no archive. */
export const landIn = async (engine: Engine, batch: LogBatch): Promise<LandedWindow> => {
  const now = systemClock.now();
  return landLogWindow(rowsIn(engine), batch, { now, gatewayNow: now });
};

let files = 0;

/** A batch of the rows given as `created_at,model_name,token_name,prompt_tokens,quota` lines. */
export const batchOf = async (
  folder: TestFolder,
  lines: readonly string[],
  change: Partial<LogBatch> = {},
): Promise<LogBatch> => {
  files += 1;
  const file = join(folder.spool, `rows-${files}.csv`);
  await writeFile(file, lines.map((line) => `${line}\n`).join(''));
  return {
    account: 'main',
    window: interval(unixSeconds(900), unixSeconds(1800)),
    asked: interval(unixSeconds(899), unixSeconds(1800)),
    file,
    bytes: 0,
    served: lines.length,
    columns,
    time: { form: 'seconds' },
    guarded: false,
    quotedNewlines: false,
    currency: 'USD',
    amounts: { unitsPerCurrency: 500_000, decimalsWritten: false },
    opensRange: true,
    ...change,
  };
};
