import { noPostgres, startPostgres } from './postgres-cluster.ts';

/** For the suites that run over both engines: one server, of which each warehouse gets a database. */
export const setup = async (): Promise<(() => Promise<void>) | undefined> => {
  if (noPostgres !== undefined) throw new Error(noPostgres);
  const cluster = await startPostgres({ connections: 200 });
  process.env['TOLLKEEPER_TEST_POSTGRES'] = cluster.folder;
  return async () => cluster[Symbol.asyncDispose]();
};
