import { afterAll, beforeAll, describe } from 'vitest';
import { stateEngines } from '../../src/storage/index.ts';
import { openPostgres } from '../../src/storage/postgres/engine.ts';
import { schema } from '../../src/warehouse/schema.ts';
import { noPostgres, startPostgres, type PostgresCluster } from '../support/postgres-cluster.ts';
import { describeLedger } from './support/run-ledger-suite.ts';
import { describeOutbox } from './support/outbox-suite.ts';

let cluster: PostgresCluster | undefined;

/** The tables of the run ledger and the outbox, as DuckDB has them. */
const tables = schema.statements.filter((one) => /^CREATE TABLE (?:job_\w+|outbox) /.test(one));

const open = async () => {
  if (cluster === undefined) throw new TypeError('the server did not start');
  const pool = await cluster.createDatabase();
  for (const statement of tables) await pool.query(statement);
  const engine = openPostgres(pool);
  const { runs, outbox } = stateEngines.sql(engine);
  return {
    runs,
    outbox,
    reopen: async () => stateEngines.sql(engine).outbox,
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
};

describe.skipIf(noPostgres !== undefined)(noPostgres ?? 'over PostgreSQL', () => {
  beforeAll(async () => {
    cluster = await startPostgres();
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  describeLedger('in PostgreSQL', open);
  describeOutbox('in PostgreSQL', open);
});
