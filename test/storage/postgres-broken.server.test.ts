import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTransaction } from '../../src/storage/index.ts';
import { openPostgres } from '../../src/storage/postgres/engine.ts';
import { noPostgres } from '../support/postgres-cluster.ts';
import { startCuttingProxy } from './support/cutting-proxy.ts';
import { connect, startKeeperCluster, type KeeperCluster } from './support/keeper-cluster.ts';

let cluster: KeeperCluster;

const open = async (url: string, most?: number) => {
  const { pool, where } = await connect(url, most);
  return openPostgres(pool, where);
};

const absence = (message: RegExp | string) =>
  expect.objectContaining({
    code: 'database-unreachable',
    retryHelps: true,
    message: expect.stringMatching(message),
  });

describe.skipIf(noPostgres !== undefined)(noPostgres ?? 'a connection of a pool', () => {
  beforeAll(async () => {
    cluster = await startKeeperCluster();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  it('works again after a restart of the server, with the pool that it has', async () => {
    const engine = await open(cluster.urlOf(await cluster.database()));
    await using _closed = engine;
    const one = () => engine.state((sql) => sql.rows('SELECT 1 AS one'));
    await one();
    const cut = engine.bulk(async (sql) => {
      await sql.execute('BEGIN TRANSACTION');
      await cluster.restart();
      await sql.execute('SELECT 2');
    });
    await expect(cut).rejects.toEqual(absence(/terminat|cut/));
    expect(await one()).toEqual([{ one: '1' }]);
  });

  it('that is cut fails once with a retryable error, and the next statement works', async () => {
    await using proxy = await startCuttingProxy(cluster.port);
    const engine = await open(cluster.urlOf(await cluster.database(), { port: proxy.port }));
    await using _closed = engine;
    await engine.state((sql) => sql.execute('CREATE TABLE kept (id INT)'));
    const cutWithin = engine.state(async (sql) => {
      await sql.execute('BEGIN TRANSACTION');
      await sql.execute('INSERT INTO kept VALUES (1)');
      proxy.cut();
      await sql.execute('COMMIT');
    });
    await expect(cutWithin).rejects.toEqual(absence('the connection was cut'));
    expect(await engine.state((sql) => sql.rows('SELECT * FROM kept'))).toEqual([]);
    const cutDuring = engine.bulk(async (sql) => {
      const asleep = sql.execute('SELECT pg_sleep(60)');
      proxy.cut();
      await asleep;
    });
    await expect(cutDuring).rejects.toEqual(absence('the connection was cut'));
    await engine.state((sql) => sql.execute('INSERT INTO kept VALUES (2)'));
    const before = proxy.passed();
    await Promise.all([1, 2, 3].map(() => engine.bulk((sql) => sql.rows('SELECT 1'))));
    expect(proxy.passed() - before).toBeLessThanOrEqual(1);
  });

  it('that the server ends between statements is replaced, with the reason in the error', async () => {
    const name = await cluster.database();
    const engine = await open(cluster.urlOf(name));
    await using _closed = engine;
    const late = engine.bulk(async (sql) => {
      await sql.execute('BEGIN TRANSACTION');
      await sql.execute(`SET LOCAL idle_in_transaction_session_timeout = '50ms'`);
      for (let left = 1; left > 0;) {
        const [row] = await engine.state((other) =>
          other.rows(
            `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = $name AND pid <> pg_backend_pid()
            AND state = 'idle in transaction'`,
            { name },
          ),
        );
        left = Number(row?.['n']);
      }
      await sql.execute('SELECT 1');
    });
    await expect(late).rejects.toEqual(absence(/idle-in-transaction timeout/));
    await cluster.execute([
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'keeper'`,
    ]);
    const one = () => engine.state((sql) => sql.rows('SELECT 1 AS one'));
    // The driver may not have read the end of the idle connections yet.
    await expect(one().catch(one)).resolves.toEqual([{ one: '1' }]);
  });

  it('never keeps a transaction that failed or was left open', async () => {
    const engine = await open(cluster.urlOf(await cluster.database()), 2);
    await using _closed = engine;
    await engine.state((sql) => sql.execute('CREATE TABLE kept (id INT PRIMARY KEY)'));
    const failed = engine.state(async (sql) => {
      await sql.execute('BEGIN TRANSACTION');
      await sql.execute('INSERT INTO kept VALUES (1)');
      await sql.execute('INSERT INTO kept VALUES (1)');
    });
    await expect(failed).rejects.toMatchObject({ code: 'warehouse-failed', retryHelps: false });
    await engine.state(async (sql) => {
      await sql.execute('BEGIN TRANSACTION');
      await sql.execute('INSERT INTO kept VALUES (2)');
    });
    for (const work of [engine.state, engine.bulk])
      expect(await work((sql) => sql.rows('SELECT * FROM kept'))).toEqual([]);
  });

  it('says which of the troubles of a statement a retry helps against', async () => {
    const engine = await open(cluster.urlOf(await cluster.database()), 3);
    await using _closed = engine;
    await engine.state((sql) => sql.execute('CREATE TABLE kept (id INT)'));
    await engine.state((sql) => sql.execute('INSERT INTO kept VALUES (1), (2)'));
    const within = (mode: string, statement: string) =>
      engine.state(async (sql) => {
        await sql.execute(`BEGIN TRANSACTION ${mode}`);
        await sql.execute(`SET LOCAL statement_timeout = '20ms'`);
        await sql.execute(statement);
      });
    await expect(within('READ WRITE', 'SELECT pg_sleep(60)')).rejects.toMatchObject({
      code: 'warehouse-failed',
      retryHelps: true,
      advice: expect.stringContaining('statement_timeout'),
    });
    await expect(within('READ ONLY', 'DELETE FROM kept')).rejects.toMatchObject({
      code: 'database-refused',
      retryHelps: true,
    });
    await expect(within('READ WRITE', 'SELECT nothing')).rejects.toMatchObject({
      code: 'warehouse-failed',
      retryHelps: false,
    });
  });

  it('is used again for work that conflicted with another transaction', async () => {
    const engine = await open(cluster.urlOf(await cluster.database()), 3);
    await using _closed = engine;
    await engine.state((sql) => sql.execute('CREATE TABLE kept (id INT)'));
    await engine.state((sql) => sql.execute('INSERT INTO kept VALUES (1)'));
    let attempts = 0;
    await engine.bulk((sql) =>
      inTransaction(sql, async () => {
        attempts += 1;
        await sql.rows('SELECT * FROM kept');
        if (attempts === 1) await engine.state((other) => other.execute('UPDATE kept SET id = id + 10'));
        await sql.execute('UPDATE kept SET id = id + 100');
      }),
    );
    expect(attempts).toBe(2);
    expect(await engine.state((sql) => sql.rows('SELECT id FROM kept'))).toEqual([{ id: '111' }]);
  });

  it('has no state of its session, which a pooler in transaction mode gives to others', async () => {
    const engine = await open(cluster.urlOf(await cluster.database()), 2);
    await using _closed = engine;
    const state = await engine.state(async (sql) => {
      await sql.rows('SELECT $number::bigint AS number', { number: 1 });
      await inTransaction(sql, () => sql.rows('SELECT $name AS name', { name: 'x' }));
      return await sql.rows(`SELECT 'statement' AS kind, name FROM pg_prepared_statements
        UNION ALL SELECT 'setting', name FROM pg_settings WHERE source = 'session'
        UNION ALL SELECT 'lock', locktype FROM pg_locks WHERE locktype = 'advisory'
        UNION ALL SELECT 'channel', pg_listening_channels()`);
    });
    expect(state).toEqual([]);
  });

  it('is given up with its statement when the work is aborted', async () => {
    const engine = await open(cluster.urlOf(await cluster.database()), 2);
    await using _closed = engine;
    const reason = new Error('stopped');
    const controller = new AbortController();
    const work = engine.bulk(async (sql) => {
      const asleep = sql.execute('SELECT pg_sleep(60)');
      controller.abort(reason);
      await asleep;
    }, controller.signal);
    await expect(work).rejects.toBe(reason);
    await expect(engine.bulk((sql) => sql.rows('SELECT 1'), AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(await engine.bulk((sql) => sql.rows('SELECT 1 AS one'))).toEqual([{ one: '1' }]);
  });
});
