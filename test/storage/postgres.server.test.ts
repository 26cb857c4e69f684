import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mailFolder } from '../../src/notify/index.ts';
import {
  createMailTable,
  createOutbox,
  createRunLedger,
  postgresStatements,
} from '../../src/storage/index.ts';
import { openPostgres } from '../../src/storage/postgres/engine.ts';
import { schema } from '../../src/warehouse/schema.ts';
import { noPostgres, startPostgres, type PostgresCluster } from '../support/postgres-cluster.ts';
import { describeLedger } from './support/run-ledger-suite.ts';
import { describeOutbox } from './support/outbox-suite.ts';

let cluster: PostgresCluster | undefined;

/** The tables of the run ledger and the outbox. */
const tables = postgresStatements(schema).filter((one) => /^CREATE TABLE (?:job_\w+|outbox) /.test(one));

const open = async () => {
  if (cluster === undefined) throw new TypeError('the server did not start');
  const pool = await cluster.createDatabase();
  for (const statement of tables) await pool.query(statement);
  const engine = openPostgres(pool);
  const [runs, outbox] = [createRunLedger(engine), createOutbox(engine)];
  return {
    runs,
    outbox,
    reopen: async () => createOutbox(engine),
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
};

describe.skipIf(noPostgres !== undefined)(noPostgres ?? 'over PostgreSQL', () => {
  beforeAll(async () => {
    cluster = await startPostgres();
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  it('the bytes of a message are loaded as they were stored, also by another replica, and damaged ones are refused', async () => {
    if (cluster === undefined) throw new TypeError('the server did not start');
    const pool = await cluster.createDatabase(postgresStatements(schema));
    await using engine = openPostgres(pool);
    const mails = createMailTable(engine);
    const bytes = Buffer.from([0, 255, 13, 10, 46, 13, 10, 128]);
    const file = await mails.store(bytes);
    expect(await mails.store(bytes)).toBe(file);
    expect(
      await mailFolder('/nowhere')
        .load(file)
        .catch((error: unknown) => error),
    ).toMatchObject({
      code: 'mail-file-damaged',
    });
    expect(await createMailTable(openPostgres(pool)).load(file)).toEqual(bytes);
    expect(await mails.list()).toEqual([file]);
    await pool.query(`UPDATE mail_file SET bytes = 'AAAA'`);
    await expect(mails.load(file)).rejects.toMatchObject({ code: 'mail-file-damaged' });
    await mails.remove(file);
    await expect(mails.load(file)).rejects.toMatchObject({ code: 'mail-file-damaged' });
    expect(await mails.list()).toEqual([]);
  });

  describeLedger('in PostgreSQL', open);
  describeOutbox('in PostgreSQL', open);
});
