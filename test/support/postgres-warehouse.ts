import { Pool } from 'pg';
import { openPostgres, type PostgresEngine } from '../../src/storage/index.ts';

/** The folder of the socket of a server, where the warehouses of tests are to lie in PostgreSQL. */
const socket = process.env['TOLLKEEPER_TEST_POSTGRES'];

const connect = (database: string): Pool => new Pool({ host: socket ?? '', user: 'test', database, max: 10 });

let databases = 0;
const byPath = new Map<string, string>();

const open = async (path: string): Promise<PostgresEngine> => {
  const known = path === ':memory:' ? undefined : byPath.get(path);
  const name = known ?? `test_${process.pid}_${(databases += 1)}`;
  if (known === undefined) {
    byPath.set(path, name);
    const admin = connect('postgres');
    await admin.query(`CREATE DATABASE ${name}`);
    await admin.end();
  }
  return openPostgres(connect(name));
};

/** The option of a warehouse. A path stands for a database, which is the same when it is opened again; each one in memory is new. */
export const databaseOf = (path: string): { readonly database?: () => Promise<PostgresEngine> } =>
  socket === undefined ? {} : { database: () => open(path) };
