import { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { silentLog, systemClock, unixMillis, type Clock } from '../../src/core/index.ts';
import { createRunLedger, postgresStatements } from '../../src/storage/index.ts';
import { begin } from '../../src/storage/postgres/connection.ts';
import { openPostgres, type PostgresEngine } from '../../src/storage/postgres/engine.ts';
import { createLeases } from '../../src/storage/postgres/leases.ts';
import { schema } from '../../src/warehouse/schema.ts';
import { rejection } from '../http/support/servers.ts';
import { manualClock } from '../support/manual-clock.ts';
import { noPostgres, startPostgres, type PostgresCluster } from '../support/postgres-cluster.ts';

const minute = 60_000;

describe.skipIf(noPostgres !== undefined)(noPostgres ?? 'the leases of a replica', () => {
  let cluster: PostgresCluster;
  let pool: Pool;
  let database: PostgresEngine;

  beforeAll(async () => {
    cluster = await startPostgres();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());
  beforeEach(async () => {
    pool = await cluster.createDatabase(postgresStatements(schema));
    database = openPostgres(pool);
  });
  afterEach(() => database[Symbol.asyncDispose]());

  /** Extends nothing by itself: its clock waits until it is stopped. */
  const replica = (holder: string, given?: Clock, lasts = minute) => {
    const manual = manualClock();
    const clock: Clock = given ?? {
      ...manual,
      wait: (_, signal) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
        }),
    };
    const fence = { holder, lasts, leases: 0 };
    const leases = createLeases({ database, fence, clock, log: silentLog });
    return { ...leases, advance: manual.advance };
  };

  const remaining = async (): Promise<readonly number[]> =>
    (
      await pool.query('SELECT until - floor(extract(epoch FROM now()) * 1000) AS ms FROM account_lease')
    ).rows.map(({ ms }) => Number(ms));

  const end = () => pool.query('UPDATE account_lease SET until = 0');

  it('are extended before an effect outside the database', async () => {
    await using one = replica('one');
    await one.hold(['main'], undefined);
    await pool.query('UPDATE account_lease SET until = until - 50000');
    const signal = await one.confirm();
    expect(signal.aborted).toBe(false);
    expect(await remaining()).toHaveLength(2);
    for (const ms of await remaining()) expect(ms).toBeGreaterThan(10_000);
  });

  it('confirm no effect once another replica has taken over, and stop those that have begun', async () => {
    await using one = replica('one');
    await using other = replica('other');
    await one.hold(['main'], undefined);
    const signal = await one.confirm();
    await end();
    await other.hold(['main'], undefined);
    await expect(one.confirm()).rejects.toMatchObject({ code: 'lease-lost' });
    expect(signal.aborted).toBe(true);
    expect(await one.lost).toMatchObject({ code: 'lease-lost' });
    expect((await other.confirm()).aborted).toBe(false);
  });

  it('confirm no effect once another replica has one of several', async () => {
    await using one = replica('one');
    await one.hold(['main', 'second'], undefined);
    await pool.query("UPDATE account_lease SET holder = 'other' WHERE account = 'second'");
    await expect(one.confirm()).rejects.toMatchObject({ code: 'lease-lost' });
  });

  it('pass to another replica at once, also from one that was stopped within a transaction', async () => {
    const fence = { holder: 'one', lasts: minute, leases: 2 };
    await using one = replica('one');
    await using other = replica('other', systemClock, 1000);
    await one.hold(['main'], undefined);
    await pool.query('UPDATE account_lease SET until = until - 58000');
    const engine = openPostgres(new Pool({ ...pool.options, max: 2 }), 'the database', { fence });
    await using _closed = engine;
    const stopped = engine.bulk(async (connection) => {
      await connection.execute(begin);
      await connection.execute("SELECT FROM account_lease WHERE account = 'main' FOR KEY SHARE");
      // As one that copies rows: the server waits, and is not idle.
      await connection.execute('SELECT pg_sleep(20)');
    });
    const failure = rejection(stopped);
    await other.hold(['main'], new AbortController().signal);
    expect(await failure).toMatchObject({ code: 'database-unreachable' });
  });

  it('are extended while a landing locks the row of its account', async () => {
    await using one = replica('one');
    await one.hold(['main'], undefined);
    await database.bulk(async (connection) => {
      await connection.execute(begin);
      await connection.execute("SELECT FROM account_lease WHERE account = 'main' FOR KEY SHARE");
      await pool.query('UPDATE account_lease SET until = until - 50000');
      expect((await one.confirm()).aborted).toBe(false);
      await connection.execute('COMMIT');
    });
    for (const ms of await remaining()) expect(ms).toBeGreaterThan(10_000);
  });

  it('are in doubt until the database has answered, and while they are not extended', async () => {
    await using one = replica('one');
    await using other = replica('other', systemClock, 1000);
    expect(one.state()).toBe('in doubt');
    await one.hold(['main'], undefined);
    expect(one.state()).toBe('working');
    const stop = new AbortController();
    const waiting = rejection(other.hold(['main'], stop.signal));
    await expect.poll(other.state).toBe('standing by');
    stop.abort(new Error('stopped'));
    await waiting;
    await pool.query('ALTER TABLE account_lease RENAME TO gone');
    await rejection(one.confirm());
    expect(one.state()).toBe('in doubt');
    await pool.query('ALTER TABLE gone RENAME TO account_lease');
    await one.confirm();
    expect(one.state()).toBe('working');
  });

  it('are read by each transaction, which extends those that have ended, and stores nothing once they are lost', async () => {
    const fence = { holder: 'one', lasts: minute, leases: 2 };
    await using one = replica('one');
    await one.hold(['main'], undefined);
    const engine = openPostgres(new Pool(pool.options), 'the database', { fence });
    await using _closed = engine;
    const runs = createRunLedger(engine);
    const claim = (job: string) =>
      runs.claim([
        { runs: [], cursor: { job, version: 1, schedule: '* * * * *', claimedThrough: unixMillis(1) } },
      ]);
    await end();
    await claim('before');
    await pool.query("UPDATE account_lease SET holder = 'other' WHERE account = 'main'");
    await expect(claim('after')).rejects.toMatchObject({ code: 'lease-lost' });
    expect((await pool.query('SELECT job FROM job_cursor')).rows).toEqual([{ job: 'before' }]);
  });

  it('stop an effect before they end when they are not extended in time, and are lost one lease later', async () => {
    await using one = replica('one');
    await one.hold(['main'], undefined);
    const signal = await one.confirm();
    one.advance(minute - 1);
    expect(signal.aborted).toBe(false);
    one.advance(1);
    expect(signal.aborted).toBe(true);
    expect((await one.confirm()).aborted).toBe(false);
    one.advance(minute);
    one.advance(minute);
    expect(await one.lost).toMatchObject({ message: expect.stringContaining('not be extended') as string });
    await expect(one.confirm()).rejects.toMatchObject({ code: 'lease-lost' });
  });
});
