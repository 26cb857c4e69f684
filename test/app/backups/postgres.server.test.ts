import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock, type Clock } from '../../../src/core/index.ts';
import { schema } from '../../../src/warehouse/schema.ts';
import { createSchema } from '../../../src/storage/postgres/schema.ts';
import { openPostgres } from '../../../src/storage/postgres/engine.ts';
import { noPostgres, startPostgres, type PostgresCluster } from '../../support/postgres-cluster.ts';
import { queueMails } from '../../support/queue-mails.ts';
import { openTown, type Town } from '../support/daemon.ts';

describe.skipIf(noPostgres !== undefined)(noPostgres ?? 'backups of PostgreSQL', () => {
  let cluster: PostgresCluster;
  let town: Town;
  let pool: Pool;
  let settings: string;
  beforeAll(async () => {
    cluster = await startPostgres();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());
  beforeEach(async () => {
    // Leases wait for the time of the server.
    const clockFrom = (manual: Clock): Clock => ({ ...systemClock, now: manual.now });
    town = await openTown('2026-11-20T08:00:00Z', { clockFrom });
    pool = await cluster.createDatabase();
    settings = await readFile(configPath(), 'utf8');
    await town.jobs(
      'pull-logs: { kind: pull-logs, since: 2026-11-01 }',
      'nightly: { kind: backup, to: nightly }',
      'drill: { kind: restore-drill, from: nightly }',
    );
  });
  afterEach(async () => {
    await pool.end();
    await town[Symbol.asyncDispose]();
  });

  const configPath = (): string => join(town.folder.path, 'config', 'tollkeeper.yaml');
  /** From here on the data lie in PostgreSQL. */
  const usePostgres = (): Promise<void> =>
    writeFile(
      configPath(),
      `${settings}database: "postgres://test@/${pool.options.database}?host=${cluster.folder}&port=${cluster.port}"\n`,
    );
  const useFile = (): Promise<void> => writeFile(configPath(), settings);
  const forget = (): Promise<void> => rm(join(town.folder.path, 'data'), { recursive: true });

  const succeeds = async (...argv: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await town.run(...argv);
    expect([code, code === 0 ? '' : stdout + stderr]).toEqual([0, '']);
    return stdout.replaceAll(/\s+/g, ' ');
  };
  const spend = (): Promise<string> =>
    succeeds(
      'query',
      'SELECT model_name, sum(calls) AS calls, sum(spend) AS spend FROM cube GROUP BY ALL ORDER BY ALL',
      '--period',
      '2026-11-01..2026-11-20',
      '--format',
      'json',
    );
  const mailNames = async (): Promise<readonly string[]> =>
    (await town.folder.files()).filter((file) => /data\/outbox\/.*\.eml$/.test(file));

  it('a backup of the file restores into PostgreSQL, and its backup into the file, with equal figures and mails', async () => {
    await succeeds('run', 'pull-logs');
    await queueMails(town.folder.path, town.clock, ['one@example.com', 'two@example.com']);
    const [before, mails] = [await spend(), await mailNames()];
    expect(mails).toHaveLength(2);
    await succeeds('backup', 'backups');

    await forget();
    await usePostgres();
    expect(await succeeds('restore', 'backups')).toMatch(/^restored backup .* 2 mails held, unsent/);
    expect(await spend()).toBe(before);
    expect((await pool.query('SELECT file FROM mail_file')).rowCount).toBe(2);
    expect(await mailNames()).toEqual([]);

    town.clock.advance(60_000);
    expect(await succeeds('run', 'nightly')).toContain('read back and equal');
    expect(await succeeds('run', 'drill')).toContain('20261120T080100Z was restored');
    expect(await succeeds('restore', 'nightly', '--verify')).toContain('every byte equal');
    expect((await town.folder.files()).filter((file) => file.includes('spool/'))).toEqual([]);

    await forget();
    await useFile();
    await succeeds('restore', 'nightly');
    expect(await spend()).toBe(before);
    expect(await mailNames()).toEqual(mails);
  });

  it('a restore refuses a database that holds data, and changes nothing in it', async () => {
    await succeeds('run', 'pull-logs');
    await succeeds('backup', 'backups');
    await forget();
    await usePostgres();
    await succeeds('restore', 'backups');
    const { rows } = await pool.query('SELECT count(*) FROM call_log');
    const again = await town.run('restore', 'backups', '--replace');
    expect(again.code).toBe(2);
    expect(again.stderr.replaceAll(/\s+/g, ' ')).toMatch(/database holds data: .*name an empty database/);
    expect((await pool.query('SELECT count(*) FROM call_log')).rows).toEqual(rows);
  });

  it('a restore that ends before it is complete leaves PostgreSQL empty, which then accepts it', async () => {
    await succeeds('run', 'pull-logs');
    await queueMails(town.folder.path, town.clock, ['one@example.com']);
    const before = await spend();
    await succeeds('backup', 'backups');
    await forget();
    await usePostgres();
    // The tables are there, and the last one cannot be filled.
    await createSchema(openPostgres(pool), schema, systemClock);
    await pool.query('ALTER TABLE mail_file RENAME COLUMN bytes TO other');
    expect((await town.run('restore', 'backups', '--replace')).code).toBe(1);
    expect((await pool.query('SELECT FROM call_log')).rowCount).toBe(0);
    await pool.query('ALTER TABLE mail_file RENAME COLUMN other TO bytes');
    await succeeds('restore', 'backups', '--replace');
    expect(await spend()).toBe(before);
  });
});
