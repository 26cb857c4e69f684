import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { silentLog, systemClock, type Clock, type Log } from '../../src/core/index.ts';
import { openEngine, type Engine } from '../../src/storage/index.ts';
import { migrate } from '../../src/warehouse/migrate.ts';
import { schema } from '../../src/warehouse/schema.ts';
import { createWarehouse } from '../../src/warehouse/warehouse.ts';
import type { Warehouse } from '../../src/warehouse/index.ts';
import { databaseOf, openWarehouse } from './postgres-warehouse.ts';
import { engineThreads } from './storm.ts';

type Pooled = { readonly engine: Engine; uses: number };

/** Of this process, which runs many files: databases in memory with the schema and without rows, for the next test. */
const shared = globalThis as { pooledDatabases?: Pooled[] };
const idle = (shared.pooledDatabases ??= []);

const memoryLimit = '512MB';

/** Deleted rows stay in memory. */
const mostUses = 50;

const open = async (): Promise<Pooled> => {
  // The folders of all tests are below it.
  const spoolDirectory = tmpdir();
  const engine = await openEngine({ path: ':memory:', memoryLimit, threads: engineThreads, spoolDirectory });
  await migrate(engine, schema, systemClock, ':memory:');
  return { engine, uses: 0 };
};

const empty = (engine: Engine): Promise<void> =>
  engine.state(async (connection) => {
    const found = await connection.rows(
      `SELECT table_name FROM duckdb_tables() WHERE estimated_size > 0 AND table_name <> 'schema_migration'`,
    );
    const names = found.map((row) => String(row['table_name']));
    for (const name of names) await connection.execute(`DELETE FROM ${name}`);
  });

/**
 * A warehouse in memory without any rows. Its database is one that an earlier test has finished with: opening and closing
 * a database costs more than most tests.
 */
export const openMemoryWarehouse = async (
  spoolDirectory: string,
  { clock = systemClock, log = silentLog }: { readonly clock?: Clock; readonly log?: Log } = {},
): Promise<Warehouse> => {
  await mkdir(spoolDirectory, { recursive: true });
  const options = { path: ':memory:', memoryLimit, threads: engineThreads, spoolDirectory, clock, log };
  const shared = databaseOf(':memory:');
  if (shared.database !== undefined) return openWarehouse({ ...options, ...shared });
  const pooled = idle.pop() ?? (await open());
  pooled.uses += 1;
  const underWay = new Set<Promise<unknown>>();
  const close = pooled.uses < mostUses ? empty : (engine: Engine) => engine[Symbol.asyncDispose]();
  const engine: Engine = {
    state: pooled.engine.state,
    exclusive: pooled.engine.exclusive,
    abandon: pooled.engine.abandon,
    bulk: async (work, signal) => {
      const job = pooled.engine.bulk(work, signal);
      underWay.add(job);
      return job.finally(() => underWay.delete(job));
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.allSettled(underWay);
      await close(pooled.engine);
      if (pooled.uses < mostUses) idle.push(pooled);
    },
  };
  return createWarehouse(engine, options);
};
