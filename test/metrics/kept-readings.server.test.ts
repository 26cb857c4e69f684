import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/index.ts';
import { openTown } from '../app/support/daemon.ts';
import { noPostgres, startPostgres, type PostgresCluster } from '../support/postgres-cluster.ts';
import { enableMetrics, scrape, valueOf } from './support/daemon-metrics.ts';

describe.skipIf(noPostgres !== undefined)(noPostgres ?? 'a scrape over PostgreSQL', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  it('waits for no statement after the first one, and then shows what was read since', async () => {
    await using town = await openTown('2026-11-20T12:00:00Z', {
      // Leases wait for the time of the server.
      clockFrom: (manual) => ({ ...systemClock, now: manual.now }),
    });
    const pool = await cluster.createDatabase();
    const { database } = pool.options;
    await enableMetrics(
      town,
      `database: "postgres://test@/${database}?host=${cluster.folder}&port=${cluster.port}"\n`,
    );
    await town.jobs('snapshot: { kind: snapshot }', 'other: { kind: snapshot }');
    const daemon = await town.serve();
    expect((await town.run('run', 'snapshot')).code).toBe(0);
    const success = (text: string, job: string): boolean =>
      valueOf(text, `tollkeeper_job_last_success_timestamp_seconds{job_name="${job}",kind="snapshot"}`) !==
      undefined;
    expect(success(await scrape(daemon), 'snapshot')).toBe(true);
    expect((await town.run('run', 'other')).code).toBe(0);
    const client = await pool.connect();
    // Each reader waits for this transaction.
    await client.query(
      'BEGIN; LOCK TABLE job_run, alert_status, log_cursor, key_lineage, account_version, outbox',
    );
    const text = await scrape(daemon);
    expect([success(text, 'snapshot'), valueOf(text, 'tollkeeper_working')]).toEqual([true, '1']);
    await client.query('ROLLBACK');
    client.release();
    await expect.poll(async () => success(await scrape(daemon), 'other'), { timeout: 300_000 }).toBe(true);
    await pool.end();
  });
});
