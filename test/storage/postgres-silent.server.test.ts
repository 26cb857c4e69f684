import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { silentLog, systemClock, type Clock } from '../../src/core/index.ts';
import { begin } from '../../src/storage/postgres/connection.ts';
import type { SharedDatabase } from '../../src/storage/index.ts';
import { openDatabase } from '../../src/warehouse/index.ts';
import { rejection } from '../http/support/servers.ts';
import { noPostgres, startPostgres, type PostgresCluster } from '../support/postgres-cluster.ts';
import { startMessageProxy, type MessageProxy } from './support/message-proxy.ts';

/** Milliseconds. */
const lease = 2000;
const silence = expect.objectContaining({
  code: 'database-unreachable',
  message: expect.stringContaining('does not answer'),
});

describe.skipIf(noPostgres !== undefined)(noPostgres ?? 'a connection that says nothing', () => {
  let cluster: PostgresCluster;
  let proxy: MessageProxy;
  let folder: string;
  let name: string;
  let database: SharedDatabase;

  beforeAll(async () => {
    cluster = await startPostgres({ overTcp: true });
    await cluster.execute(["ALTER ROLE test PASSWORD 'p/w-silent'"]);
    proxy = await startMessageProxy(cluster.port);
    folder = await mkdtemp(join(tmpdir(), 'tollkeeper-silent-'));
  });
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const open = (holder: string, clock: Clock = systemClock, timeout = 600_000): Promise<SharedDatabase> =>
    openDatabase({
      url: `postgres://test:p%2Fw-silent@127.0.0.1:${proxy.port}/${name}`,
      holder,
      lease,
      timeout,
      clock,
      log: silentLog,
    });
  const close = async ({ leases, engine }: SharedDatabase): Promise<void> => {
    await leases[Symbol.asyncDispose]();
    await engine[Symbol.asyncDispose]();
  };
  beforeEach(async () => {
    name = /\/(test_\d+)\?/.exec(await cluster.createUrl())?.[1] ?? '';
    database = await open('one');
    await database.engine.bulk((sql) => sql.execute('CREATE TABLE kept (id BIGINT)'));
  });
  afterEach(async () => {
    proxy.trouble(() => 'pass');
    await close(database);
  });

  /** The connection that the next answer goes to freezes before it; others pass. */
  const freezeNext = (letter: string): void => {
    let isDone = false;
    proxy.trouble(({ type }) => {
      if (type !== letter || isDone) return 'pass';
      isDone = true;
      return 'freeze';
    });
  };
  const one = () => database.engine.bulk((sql) => sql.rows('SELECT 1 AS one'));
  const others = async (): Promise<number> => {
    const rows = await database.engine.bulk((sql) =>
      sql.rows(`SELECT count(*) AS n FROM pg_stat_activity WHERE state LIKE '%in transaction%'`),
    );
    return Number(rows[0]?.['n']);
  };

  it('is closed when the server does not work on its statement, and the next work has another one', async () => {
    await one();
    freezeNext('C');
    expect(await rejection(one())).toEqual(silence);
    expect(await one()).toEqual([{ one: '1' }]);
  });

  it('is closed in a transaction, which the server ends', async () => {
    const work = database.engine.bulk(async (sql) => {
      await sql.execute(begin);
      await sql.execute('INSERT INTO kept VALUES (1)');
      freezeNext('C');
      await sql.execute('INSERT INTO kept VALUES (2)');
    });
    expect(await rejection(work)).toEqual(silence);
    await expect.poll(others).toBe(0);
    expect(await database.engine.bulk((sql) => sql.rows('SELECT * FROM kept'))).toEqual([]);
  });

  it('is closed while it copies rows, in either direction', async () => {
    const file = join(folder, 'rows.csv');
    const out = database.engine.bulk(async (sql) => {
      await sql.execute(begin);
      freezeNext('d');
      await sql.copyOut('SELECT nth FROM generate_series(1, 1000) AS nth', {}, file);
    });
    expect(await rejection(out)).toEqual(silence);
    await writeFile(file, '1\n2\n'.repeat(500_000));
    const into = database.engine.bulk(async (sql) => {
      await sql.execute(begin);
      freezeNext('G');
      await sql.copyIn('kept', ['id'], file);
    });
    expect(await rejection(into)).toEqual(silence);
    await expect.poll(others).toBe(0);
  });

  it('is kept as long as the server works on its statement, with and without a transaction', async () => {
    const seconds = (3 * lease) / 1000;
    const asleep = `SELECT 1 AS one FROM pg_sleep(${seconds})`;
    const within = database.engine.bulk(async (sql) => {
      await sql.execute(begin);
      return sql.rows(asleep);
    });
    const without = database.engine.bulk((sql) => sql.rows(asleep));
    const copied = database.engine.bulk(async (sql) => {
      await sql.execute(begin);
      return sql.copyOut(asleep, {}, join(folder, 'one.csv'));
    });
    expect(await Promise.all([within, without, copied])).toEqual([
      [{ one: '1' }],
      [{ one: '1' }],
      { rows: 1, bytes: 2 },
    ]);
  });

  it('is closed at the limit of a statement, although the server works on it', async () => {
    await using impatient = await open('other', systemClock, 600).then((opened) => ({
      ...opened,
      [Symbol.asyncDispose]: () => close(opened),
    }));
    const work = impatient.engine.bulk((sql) => sql.rows('SELECT pg_sleep(60)'));
    expect(await rejection(work)).toMatchObject({
      code: 'warehouse-failed',
      retryHelps: true,
      message: expect.stringContaining('did not end within'),
      advice: expect.stringContaining('database_timeout'),
    });
  });

  it('lets a standby take over as if it had been cut', async () => {
    const standby = await open('standby');
    try {
      await expect(standby.leases.hold(['main'], undefined)).resolves.toBeUndefined();
      freezeNext('C');
      await expect(standby.leases.confirm()).rejects.toEqual(silence);
      expect((await standby.leases.confirm()).aborted).toBe(false);
    } finally {
      await close(standby);
    }
  });

  it('ends the replica when all of them do, and neither its work nor its end waits for the server', async () => {
    await database.leases.hold(['main'], undefined);
    expect(database.leases.state()).toBe('working');
    const work = rejection(database.engine.bulk((sql) => sql.rows('SELECT 1 FROM pg_sleep(60)')));
    const state = rejection(database.engine.state((sql) => sql.rows('SELECT 1 FROM pg_sleep(60)')));
    proxy.trouble(() => 'freeze');
    await expect.poll(() => database.leases.state()).toBe('in doubt');
    // Whether another replica continues is unknown: the server may be unreachable for all of them.
    expect(await database.leases.lost).toMatchObject({
      code: 'lease-lost',
      advice: expect.stringMatching(/^check that PostgreSQL runs/),
    });
    expect(await work).toMatchObject({ name: 'Fault' });
    expect(await state).toMatchObject({ name: 'Fault' });
    expect(await rejection(one())).toMatchObject({ code: 'lease-lost' });
  });
});
