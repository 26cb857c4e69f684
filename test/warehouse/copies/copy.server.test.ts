import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { interval, noProgress, silentLog, systemClock } from '../../../src/core/index.ts';
import { mailFolder } from '../../../src/notify/index.ts';
import type { SharedDatabase } from '../../../src/storage/index.ts';
import { openPostgres } from '../../../src/storage/postgres/engine.ts';
import { createLeases } from '../../../src/storage/postgres/leases.ts';
import { copyFromFile, type CopyOptions } from '../../../src/warehouse/copies/copy-from-file.ts';
import { copyToFile } from '../../../src/warehouse/copies/copy-to-file.ts';
import { schema } from '../../../src/warehouse/schema.ts';
import { createSchema } from '../../../src/storage/postgres/schema.ts';
import { inDatabase } from '../../support/postgres-warehouse.ts';
import { noPostgres, startPostgres, type PostgresCluster } from '../../support/postgres-cluster.ts';
import { at, batchOfCalls, dayMillis, openAt, someCalls } from '../archive/archive-support.ts';
import { optionsIn, testFolder, type TestFolder } from '../support.ts';

const spring = interval(at('2024-01-01'), at('2024-05-03'));

/** Rows of state with what is hard to copy: line ends, quotes, what stands for NULL, arrays, NUL. */
const hard = [
  `INSERT INTO outbox (id, account, kind, subject, recipient, sender, message_id, file, state, attempts, queued_at, next_attempt,
     changed_at, last_error, topics)
   VALUES ('1', 'main', 'alert', 's', 'a@example.com', 'f', 'm', 'f.eml', 'queued', 0, 1, 1, 1, E'line\\n"two", \\\\N', ['a"b', 'c\\d', 'e,f', '']),
     ('2', 'main', 'alert', 's', 'b@example.com', 'f', 'm', 'f.eml', 'queued', 0, 1, 1, 1, NULL, NULL),
     ('3', 'main', 'alert', '\\N', '', 'é漢😀', 'm', 'f.eml', 'queued', 0, 1, 1, 1, '', [])`,
  `INSERT INTO key_event VALUES (1, 5, 'main', 's', 'r', 'created', 'first', '{}'), (2, 6, 'main', 's', 'r', 'ended', 'second', '{}')`,
  // As versions before schema 25 stored them: a day with a value in each column of tokens, and one without.
  `UPDATE call_log SET served_columns = NULL WHERE created_at < epoch(TIMESTAMP '2024-04-20')`,
];

describe.skipIf(noPostgres !== undefined)(noPostgres ?? 'a copy of a database', () => {
  let cluster: PostgresCluster;
  let pool: Pool;
  let database: SharedDatabase;
  let folder: TestFolder;

  const openShared = (holder: string): SharedDatabase => {
    const fence = { holder, lasts: 60_000, leases: 0 };
    const plain = openPostgres(pool);
    const leases = createLeases({
      database: plain,
      fence,
      clock: systemClock,
      log: silentLog,
    });
    const engine = openPostgres(pool, 'test', { fence });
    return { engine, reader: engine, leases };
  };

  beforeAll(async () => {
    cluster = await startPostgres();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());
  beforeEach(async () => {
    folder = await testFolder();
    pool = await cluster.createDatabase();
    await createSchema(openPostgres(pool), schema, systemClock);
    database = openShared('one');
    await database.leases.hold(['main'], undefined);
  });
  afterEach(async () => {
    await database.leases[Symbol.asyncDispose]();
    await pool.end();
    await folder[Symbol.asyncDispose]();
  });

  const options: CopyOptions = { progress: noProgress, signal: new AbortController().signal };
  const mails = () => mailFolder(join(folder.path, 'outbox'));
  const sourceOf = () => ({ ...optionsIn(folder), mails: mails() });
  const targetIn = async (name: string) => {
    const mailFolderOf = join(folder.path, name, 'outbox');
    await mkdir(mailFolderOf, { recursive: true });
    return { path: join(folder.path, name, 'x.duckdb'), mailFolder: mailFolderOf, ...options };
  };

  /** A database file with months in the archive, and rows that are hard to copy. */
  const fill = async (): Promise<void> => {
    {
      await using warehouse = await openAt(folder, 'data');
      await warehouse.logs.landWindow(await batchOfCalls(folder, spring, someCalls(spring, 600)));
      await warehouse.archive.run({ account: 'main', settle: 7 * dayMillis, retain: 60 * dayMillis });
      const months = await warehouse.archive.months('main');
      expect(months.filter(({ state }) => state === 'sole')).toHaveLength(3);
    }
    await inDatabase(optionsIn(folder).path, ...hard);
    await mails().store(Buffer.from('one\r\n\0ÿ'));
  };

  it('holds the same in PostgreSQL and in a file that is copied from there, with the calls of the archive', async () => {
    await fill();
    // As a query leaves it in a database without calls.
    await pool.query(`INSERT INTO rollup_day VALUES ('main', 'UTC', 0, 86400)`);
    const copied = await copyFromFile(database, sourceOf(), options);
    expect(copied).toMatchObject({ mails: 1, audit: { entries: 2, head: 'second' } });
    expect(copied.tables['call_log']?.rows).toBe(600);
    expect((await pool.query('SELECT FROM call_log WHERE served_columns IS NULL')).rowCount).toBe(0);
    expect((await pool.query('SELECT FROM call_archive')).rowCount).toBe(0);
    const { rows } = await pool.query('SELECT topics, last_error FROM outbox ORDER BY id');
    expect(rows).toEqual([
      { topics: ['a"b', 'c\\d', 'e,f', ''], last_error: 'line\n"two", \\N' },
      { topics: null, last_error: null },
      { topics: [], last_error: '' },
    ]);

    const target = await targetIn('back');
    const back = await copyToFile(database.engine, target, { clock: systemClock, log: silentLog });
    expect(back).toMatchObject({ mails: 1, facts: { charges: copied.charges, audit: copied.audit } });
    expect(back.steps.map(({ hash }) => hash)).toEqual(['first', 'second']);
    const [mail = ''] = await mails().list();
    expect(await readFile(join(target.mailFolder, mail), 'latin1')).toBe('one\r\n\0Ã¿');
    const again = (path: string) =>
      inDatabase(path, 'SELECT id, recipient, sender, last_error, topics FROM outbox ORDER BY id');
    expect(await again(target.path)).toEqual(await again(optionsIn(folder).path));
  });

  it('does not count when the lease has gone to another replica', async () => {
    await fill();
    const takeOver = async (): Promise<void> => {
      await pool.query(`UPDATE account_lease SET holder = 'other', token = token + 1`);
    };
    await expect(
      copyFromFile(database, sourceOf(), { ...options, beforeCommit: takeOver }),
    ).rejects.toMatchObject({ code: 'lease-lost' });
    expect((await pool.query('SELECT FROM call_log')).rowCount).toBe(0);
  });

  it('does not count when it differs from the original, and names the table', async () => {
    await fill();
    await pool.query(`CREATE FUNCTION round_up() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN NEW.quota := NEW.quota + 0.000000000001; RETURN NEW; END $$`);
    await pool.query(
      'CREATE TRIGGER one BEFORE INSERT ON call_log FOR EACH ROW WHEN (NEW.created_at < 1704070800) EXECUTE FUNCTION round_up()',
    );
    await expect(copyFromFile(database, sourceOf(), options)).rejects.toThrow(
      /differs: call_log: \{"rows":600,"checksum":"\d+"\} in the original/,
    );
    expect((await pool.query('SELECT FROM call_log')).rowCount).toBe(0);
  });
});
