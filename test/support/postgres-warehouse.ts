import { DuckDBInstance } from '@duckdb/node-api';
import { Pool } from 'pg';
import { randomUUID } from 'node:crypto';
import { silentLog, systemClock } from '../../src/core/index.ts';
import { createSchema } from '../../src/storage/postgres/schema.ts';
import {
  openSharedWarehouse,
  openWarehouse as openFile,
  type Warehouse,
  type WarehouseOptions,
} from '../../src/warehouse/index.ts';
import { schema } from '../../src/warehouse/schema.ts';
import type { SharedDatabase } from '../../src/storage/index.ts';
import { openPostgres } from '../../src/storage/postgres/engine.ts';
import { createLeases } from '../../src/storage/postgres/leases.ts';

/** The folder of the socket of a server, where the warehouses of tests are to lie in PostgreSQL. */
const socket = process.env['TOLLKEEPER_TEST_POSTGRES'];

const connect = (database: string): Pool => new Pool({ host: socket ?? '', user: 'test', database, max: 10 });

/** Whether they do. */
export const isOnPostgres = socket !== undefined;

let databases = 0;
const byPath = new Map<string, string>();

/** A database with the schema, of which others are copies. */
let withSchema: Promise<string> | undefined;
const template = (admin: Pool): Promise<string> =>
  (withSchema ??= (async () => {
    const name = `template_${process.pid}`;
    await admin.query(`CREATE DATABASE ${name}`);
    const database = openPostgres(connect(name));
    await createSchema(database, schema, systemClock);
    await database[Symbol.asyncDispose]();
    return name;
  })());

const open = async (path: string): Promise<SharedDatabase> => {
  const known = path === ':memory:' ? undefined : byPath.get(path);
  const name = known ?? `test_${process.pid}_${(databases += 1)}`;
  if (known === undefined) {
    byPath.set(path, name);
    const admin = connect('postgres');
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${await template(admin)}`);
    await admin.end();
  }
  const pool = connect(name);
  const fence = { holder: randomUUID(), lasts: 60_000, leases: 0 };
  const leases = createLeases({
    database: openPostgres(pool),
    fence,
    clock: systemClock,
    log: silentLog,
  });
  const engine = openPostgres(pool, name, { fence });
  return { engine, reader: engine, leases };
};

/** Opens with its first use, and again after it was closed: options of a warehouse are used several times. */
const onUse = (path: string): SharedDatabase => {
  let opening: Promise<SharedDatabase> | undefined;
  const opened = () => (opening ??= open(path));
  const close = async (part: 'engine' | 'leases'): Promise<void> => {
    await (await opened())[part][Symbol.asyncDispose]();
    // The engine is closed last.
    if (part === 'engine') opening = undefined;
  };
  const engine: SharedDatabase['engine'] = {
    state: async (work, signal) => (await opened()).engine.state(work, signal),
    bulk: async (work, signal) => (await opened()).engine.bulk(work, signal),
    abandon: () => undefined,
    [Symbol.asyncDispose]: () => close('engine'),
  };
  return {
    engine,
    reader: engine,
    leases: {
      holder: path,
      tokenOf: async (account) => (await opened()).leases.tokenOf(account),
      hold: async (accounts, waits) => (await opened()).leases.hold(accounts, waits),
      confirm: async () => (await opened()).leases.confirm(),
      state: () => 'working',
      extendedAt: () => undefined,
      lost: new Promise(() => undefined),
      [Symbol.asyncDispose]: () => close('leases'),
    },
  };
};

/** A warehouse in the file at its path, or in the database that the path stands for. */
export const openWarehouse = async ({
  database,
  ...options
}: WarehouseOptions & { readonly database?: SharedDatabase }): Promise<Warehouse> =>
  database === undefined ? openFile(options) : openSharedWarehouse(database, options);

/** The option of a warehouse. A path stands for a database, which is the same when it is opened again; each one in memory is new. */
export const databaseOf = (path: string): { readonly database?: SharedDatabase } =>
  socket === undefined ? {} : { database: onUse(path) };

/** Runs statements of a test on the database that `path` stands for, which is closed. Returns the rows of the last one. */
export const inDatabase = async (path: string, ...statements: readonly string[]): Promise<unknown> => {
  if (isOnPostgres) {
    const pool = connect(byPath.get(path) ?? '');
    let rows: unknown;
    for (const text of statements) rows = (await pool.query({ text, rowMode: 'array' })).rows;
    await pool.end();
    return rows;
  }
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  let rows: unknown;
  for (const sql of statements) rows = (await connection.runAndReadAll(sql)).getRowsJson();
  connection.closeSync();
  instance.closeSync();
  return rows;
};
