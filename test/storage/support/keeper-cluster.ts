import { connectPostgres, type PostgresConnections } from '../../../src/storage/postgres/connect.ts';
import { startPostgres, type PostgresCluster } from '../../support/postgres-cluster.ts';
import { schema } from '../../../src/warehouse/schema.ts';

/** A server on 127.0.0.1 with the role `keeper`, which needs its password and creates nothing but tables of its own. */
export type KeeperCluster = PostgresCluster & {
  /** The name of a new database of that role. */
  readonly database: (options?: string) => Promise<string>;
  readonly urlOf: (
    name: string,
    given?: { readonly port?: number; readonly user?: string; readonly query?: string },
  ) => string;
};

const password = 'p/w:of@role';

export const startKeeperCluster = async (): Promise<KeeperCluster> => {
  const cluster = await startPostgres({ overTcp: true, certificate: 'localhost' });
  await cluster.execute([`CREATE ROLE keeper LOGIN PASSWORD '${password}'`]);
  let created = 0;
  return {
    ...cluster,
    database: async (options = '') => {
      created += 1;
      await cluster.execute([`CREATE DATABASE db_${created} OWNER keeper ${options}`]);
      return `db_${created}`;
    },
    urlOf: (
      name,
      { port = cluster.port, user = `keeper:${encodeURIComponent(password)}`, query = '' } = {},
    ) => `postgres://${user}@127.0.0.1:${port}/${name}${query}`,
  };
};

export const connect = (url: string, most = 3): Promise<PostgresConnections> =>
  connectPostgres({ url, most, schema: { oldest: 30, newest: schema.number } });
