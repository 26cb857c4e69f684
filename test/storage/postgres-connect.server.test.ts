import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog, systemClock, unixMillis } from '../../src/core/index.ts';
import { connectPostgres } from '../../src/storage/postgres/connect.ts';
import { openDatabase } from '../../src/warehouse/index.ts';
import { noPostgres } from '../support/postgres-cluster.ts';
import { startCuttingProxy } from './support/cutting-proxy.ts';
import { connect, startKeeperCluster, type KeeperCluster } from './support/keeper-cluster.ts';
import { schema } from '../../src/warehouse/schema.ts';

let cluster: KeeperCluster;

const ca = fileURLToPath(new URL('../fixtures/tls/ca.pem', import.meta.url));

const history = (number: number): readonly string[] => [
  'CREATE TABLE schema_migration (number BIGINT, name VARCHAR, applied_at BIGINT, version VARCHAR)',
  `INSERT INTO schema_migration VALUES (${number}, 'new database', 0, '0.1.0')`,
  'GRANT ALL ON schema_migration TO keeper',
];

const refusal = (message: RegExp | string) =>
  expect.objectContaining({
    code: 'database-refused',
    retryHelps: false,
    message: expect.stringMatching(message),
  });
const absence = (message: RegExp | string) =>
  expect.objectContaining({
    code: 'database-unreachable',
    retryHelps: true,
    message: expect.stringMatching(message),
  });

const fails = async (url: string, failure: unknown): Promise<void> =>
  expect(connect(url)).rejects.toEqual(failure);

describe.skipIf(noPostgres !== undefined)(noPostgres ?? 'a connection to PostgreSQL', () => {
  beforeAll(async () => {
    cluster = await startKeeperCluster();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  it('says the version, the schema and the offset of the clock of the server', async () => {
    const name = await cluster.database();
    await using connections = await connectPostgres({
      url: cluster.urlOf(name),
      most: 2,
      schema: { oldest: 30, newest: schema.number },
      clock: { ...systemClock, now: () => unixMillis(1_000_000) },
    });
    expect(connections.where).toBe(`postgres://keeper@127.0.0.1:${cluster.port}/${name}`);
    expect(connections.serverVersion).toMatch(/^15\./);
    expect(connections.schema).toBe(0);
    expect(connections.clockOffset).toBeGreaterThan(1_700_000_000_000);
    const { rows } = await connections.pool.query(
      'SELECT application_name FROM pg_stat_activity WHERE pid = pg_backend_pid()',
    );
    expect(rows).toEqual([{ application_name: 'tollkeeper' }]);
  });

  it('warns of a clock that differs from that of the server, in seconds, and of no other', async () => {
    const name = await cluster.database();
    const logged: unknown[] = [];
    const note =
      (level: string) =>
      (message: string, fields: unknown): void =>
        void logged.push([level, message, fields]);
    const open = async (ahead: number): Promise<void> => {
      const { engine, leases } = await openDatabase({
        url: cluster.urlOf(name),
        holder: `ahead by ${ahead}`,
        lease: 10_000,
        timeout: 60_000,
        clock: { ...systemClock, now: () => unixMillis(Date.now() + ahead) },
        log: { ...silentLog, info: note('info'), warn: note('warn') },
      });
      await leases[Symbol.asyncDispose]();
      await engine[Symbol.asyncDispose]();
    };
    await open(0);
    await open(120_000);
    expect(logged).toEqual([
      ['info', 'connected to the database', expect.not.objectContaining({ offsetSeconds: 0 })],
      [
        'warn',
        expect.stringContaining('clock differs'),
        expect.objectContaining({ offsetSeconds: -120, advice: expect.stringContaining('NTP') as string }),
      ],
    ]);
  });

  it('goes through a Unix socket, whichever way the URL names it', async () => {
    const name = await cluster.database();
    const { folder, port } = cluster;
    for (const url of [
      `postgresql://test@/${name}?host=${folder}&port=${port}`,
      `postgres://test@${encodeURIComponent(folder)}:${port}/${name}?sslmode=require`,
    ]) {
      await using connections = await connect(url);
      expect(connections.where).toBe(`postgres://test@/${name}?host=${folder}&port=${port}`);
    }
  });

  it('uses TLS as sslmode says', async () => {
    const name = await cluster.database();
    const isEncrypted = async (query: string, host = '127.0.0.1') => {
      await using connections = await connect(cluster.urlOf(name, { query }).replace('127.0.0.1', host));
      const { rows } = await connections.pool.query<{ ssl: boolean }>(
        'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
      );
      return rows[0]?.ssl;
    };
    expect(await isEncrypted('')).toBe(false);
    expect(await isEncrypted('?sslmode=disable')).toBe(false);
    expect(await isEncrypted('?sslmode=require')).toBe(true);
    expect(await isEncrypted(`?sslmode=require&sslrootcert=${ca}`)).toBe(true);
    expect(await isEncrypted(`?sslmode=verify-ca&sslrootcert=${ca}`)).toBe(true);
    expect(await isEncrypted(`?sslmode=verify-full&sslrootcert=${ca}`)).toBe(true);
    await expect(isEncrypted('?sslmode=verify-full')).rejects.toEqual(refusal('server is not trusted'));
    const stranger = join(ca, '../stranger.pem');
    await expect(isEncrypted(`?sslmode=require&sslrootcert=${stranger}`)).rejects.toEqual(
      refusal('server is not trusted'),
    );
    await expect(isEncrypted(`?sslmode=verify-full&sslrootcert=${ca}.none`)).rejects.toEqual(
      refusal(/ca\.pem\.none cannot be read \(ENOENT\)/),
    );
  });

  it('is refused by a server without TLS if it must be encrypted', async () => {
    await cluster.restart(['ssl=off']);
    try {
      await fails(cluster.urlOf('postgres', { query: '?sslmode=require' }), refusal('does not support SSL'));
    } finally {
      await cluster.restart();
    }
  });

  it('fails where no server listens, no host has the name, and no socket exists', async () => {
    await fails(
      'postgres://keeper:pw@127.0.0.1:1/spend',
      absence(/^postgres:\/\/keeper@127\.0\.0\.1:1\/spend: no server listens there$/),
    );
    await fails('postgres://keeper@nowhere.invalid/spend', absence(/host is unknown|DNS does not answer/));
    await fails('postgres://keeper@/spend?host=/nowhere', absence('the socket of the server does not exist'));
  });

  it('fails after its time limit where a server accepts and says nothing', async () => {
    await using proxy = await startCuttingProxy(cluster.port);
    proxy.silent(true);
    await fails(cluster.urlOf('postgres', { port: proxy.port }), absence('does not answer in time'));
  }, 30_000);

  it('is refused with a wrong password and without one, neither of which it shows', async () => {
    const name = await cluster.database();
    for (const user of ['keeper:wrong-word', 'keeper', 'unknown:wrong-word']) {
      const error: unknown = await connect(cluster.urlOf(name, { user })).catch((reason: unknown) => reason);
      expect(error).toEqual(refusal(/password/));
      expect(JSON.stringify(error) + String(error)).not.toContain('wrong-word');
    }
  });

  it('is refused by a database that does not exist', async () => {
    await fails(cluster.urlOf('missing'), refusal('database "missing" does not exist'));
  });

  it('is refused for a role that may not connect, create tables or read the schema', async () => {
    await cluster.execute([`CREATE ROLE reader LOGIN PASSWORD 'reader-word'`]);
    const user = 'reader:reader-word';
    const name = await cluster.database();
    await fails(cluster.urlOf(name, { user }), refusal('may not create tables .*public'));
    await cluster.execute(history(schema.number), name);
    await fails(cluster.urlOf(name, { user }), refusal('permission denied for table schema_migration'));
    await cluster.execute([`REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC`]);
    await fails(cluster.urlOf(name, { user }), refusal('permission denied for database'));
  });

  it('is refused by a database that is read-only or has another encoding', async () => {
    const name = await cluster.database();
    await cluster.execute([`ALTER DATABASE ${name} SET default_transaction_read_only = on`]);
    await expect(connect(cluster.urlOf(name))).rejects.toMatchObject({
      code: 'database-refused',
      message: expect.stringContaining('transactions are read-only'),
    });
    const latin = await cluster.database(`ENCODING 'LATIN1' TEMPLATE template0`);
    await fails(cluster.urlOf(latin), refusal('has the encoding LATIN1'));
  });

  it('leaves a database of another product as it is', async () => {
    const name = await cluster.database();
    await cluster.execute(['CREATE SCHEMA shop', 'CREATE TABLE shop.orders (id INT)'], name);
    await fails(cluster.urlOf(name), refusal(/another product: .* shop\.orders/));
    await cluster.execute(['CREATE TABLE schema_migration (version TEXT)'], name);
    await fails(cluster.urlOf(name), refusal('another product'));
  });

  it('accepts schemas that this version knows or upgrades, and no others', async () => {
    const reached = async (number: number) => {
      const name = await cluster.database();
      await cluster.execute(history(number), name);
      await using connections = await connect(cluster.urlOf(name));
      return connections.schema;
    };
    expect(await reached(schema.number)).toBe(schema.number);
    expect(await reached(30)).toBe(30);
    await expect(reached(schema.number + 1)).rejects.toMatchObject({
      code: 'warehouse-newer',
      message: expect.stringContaining(`up to ${schema.number}`),
    });
    await expect(reached(29)).rejects.toMatchObject({
      code: 'warehouse-older',
      message: expect.stringMatching(/has schema 29; .* is 30/),
    });
  });

  it('a database of schema 32 gets the tables and indexes of a new one when two replicas open it at the same time', async () => {
    const url = cluster.urlOf(await cluster.database());
    const open = async (holder: string): Promise<void> => {
      const options = { url, holder, lease: 10_000, timeout: 60_000, clock: systemClock, log: silentLog };
      const { engine, leases } = await openDatabase(options);
      await leases[Symbol.asyncDispose]();
      await engine[Symbol.asyncDispose]();
    };
    await open('the first');
    await using connections = await connect(url);
    const read = async (sql: string) => (await connections.pool.query(sql)).rows;
    const definitions = () =>
      read(`SELECT tablename AS name, '' AS definition FROM pg_tables WHERE schemaname = 'public'
            UNION ALL SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2`);
    const ofNew = await definitions();
    for (const sql of [
      'DROP TABLE rollup_model, rollup_key, rollup_pair, rollup_month_pair, rollup_month',
      'DROP TABLE closed_month, closed_row, closed_price, closed_correction, forecast_kept, forecast_issued, expected_days, rollup_hour, rollup_hour_model, rollup_hour_key, rollup_hours',
      'CREATE TABLE rollup_cell (account VARCHAR NOT NULL)',
      `INSERT INTO rollup_day VALUES ('main', 'UTC', 0, 86400)`,
      `INSERT INTO log_cursor VALUES ('main', 0, 86400)`,
      'UPDATE schema_migration SET number = 32',
    ])
      await read(sql);
    await Promise.all([open('one'), open('another')]);
    expect(await definitions()).toEqual(ofNew);
    expect(await read('SELECT number::int FROM schema_migration ORDER BY 1')).toEqual(
      Array.from({ length: schema.number - 31 }, (_, at) => ({ number: 32 + at })),
    );
    expect(await read('SELECT * FROM rollup_day')).toEqual([]);
    expect(await read('SELECT account FROM log_cursor')).toEqual([{ account: 'main' }]);
  });

  it('fails with a retryable error while the database has no connection left', async () => {
    const name = await cluster.database('CONNECTION LIMIT 1');
    await using _only = await connect(cluster.urlOf(name));
    await fails(cluster.urlOf(name), absence('too many connections for database'));
  });
});
