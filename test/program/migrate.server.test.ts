import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openPostgres } from '../../src/storage/postgres/engine.ts';
import { schema } from '../../src/warehouse/schema.ts';
import { createSchema } from '../../src/storage/postgres/schema.ts';
import { noPostgres, startPostgres, type PostgresCluster } from '../support/postgres-cluster.ts';
import { queueMails } from '../support/queue-mails.ts';
import { systemClock } from '../../src/core/index.ts';
import { buildProgram, type BuiltProgram } from './support/built-program.ts';
import { openFixture, pullLogs, yearly, type Fixture } from './support/fixture.ts';

describe.skipIf(noPostgres !== undefined)(noPostgres ?? '`tollkeeper migrate`', () => {
  let program: BuiltProgram;
  let cluster: PostgresCluster;
  beforeAll(async () => {
    [program, cluster] = await Promise.all([buildProgram(), startPostgres()]);
  });
  afterAll(async () => {
    await program[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  const spend = ['query', 'SELECT sum(calls) AS calls, sum(spend) AS spend FROM cube'];

  const succeeds = async (fixture: Fixture, ...argv: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await fixture.here(...argv);
    expect([code, code === 0 ? '' : stdout + stderr]).toEqual([0, '']);
    return stdout;
  };

  /** A database file with calls and mails, and an empty database. */
  const openBoth = async () => {
    const fixture = await openFixture(program);
    const pool: Pool = await cluster.createDatabase();
    fixture.env['DATABASE_PASSWORD'] = 'no-matter-over-the-socket';
    const place = `/${pool.options.database}?host=${cluster.folder}&port=${cluster.port}`;
    const url = `postgres://test:\${DATABASE_PASSWORD}@${place}`;
    const useFile = () => fixture.settings('scheduler: { lease: 2s }');
    const usePostgres = () => fixture.settings(`scheduler: { lease: 2s }\ndatabase: "${url}"`);
    await useFile();
    await fixture.jobs(pullLogs(`schedule: "${yearly()}"`));
    await succeeds(fixture, 'run', 'pull-logs');
    await queueMails(fixture.folder.path, systemClock, ['one@example.com']);
    const data = join(fixture.folder.path, 'data');
    return {
      fixture,
      pool,
      url,
      place,
      useFile,
      usePostgres,
      database: join(data, 'tollkeeper.duckdb'),
      [Symbol.asyncDispose]: async () => {
        await pool.end();
        await fixture[Symbol.asyncDispose]();
      },
    };
  };

  it('copies all data into PostgreSQL and back, with equal figures, and says what is next', async () => {
    await using both = await openBoth();
    const { fixture, url, pool, database } = both;
    const before = await succeeds(fixture, ...spend);
    const there = await succeeds(fixture, 'migrate', '--to', url);
    expect(there).toMatch(
      /^copied from \S+tollkeeper\.duckdb into PostgreSQL: [\d,]+ rows in \d+ tables, 1 mail$/m,
    );
    expect(there).toContain('next: set `database` in tollkeeper.yaml, and start the daemon;');
    await both.usePostgres();
    expect(await succeeds(fixture, ...spend)).toBe(before);
    expect((await pool.query('SELECT FROM mail_file')).rowCount).toBe(1);

    const again = await fixture.here('migrate');
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('the database holds data')]);
    const present = await fixture.here('migrate', '--to', database);
    expect([present.code, present.stderr]).toEqual([2, expect.stringContaining('tollkeeper.duckdb exists')]);

    await rename(database, `${database}.aside`);
    await rm(join(fixture.folder.path, 'data', 'outbox'), { recursive: true });
    const back = await succeeds(fixture, 'migrate', '--to', 'data/tollkeeper.duckdb');
    expect(back).toMatch(/^copied from PostgreSQL into .* 1 mail$/m);
    await both.useFile();
    expect(await succeeds(fixture, ...spend)).toBe(before);
    expect((await fixture.folder.files()).filter((file) => /outbox\/.*\.eml$/.test(file))).toHaveLength(1);
  });

  it('refuses while a daemon runs on the file or on PostgreSQL, a password in plain text, and a missing one', async () => {
    await using both = await openBoth();
    const { fixture, url, place } = both;
    const fails = async (to: string): Promise<string> => {
      const { code, stderr } = await fixture.here('migrate', '--to', to);
      expect(code).not.toBe(0);
      return stderr;
    };
    expect(await fails(`postgres://test:hunter22@${place}`)).toMatch(/^(?!.*hunter22)[^]*plaintext password/);
    expect(await fails(`postgres://test:\${NOT_SET}@${place}`)).toContain('NOT_SET is not set');
    expect(await fails('data/other.duckdb')).toContain('`database` is not set');
    const daemon = await fixture.serve();
    expect(await fails(url)).toContain('another daemon is running');
    daemon.kill('SIGTERM');
    await daemon.ended;
    await succeeds(fixture, 'migrate', '--to', url);
    await both.usePostgres();
    await fixture.serve();
    expect(await fails('elsewhere/other.duckdb')).toContain('works on this database');
    expect(await fixture.folder.files()).not.toContain('elsewhere/other.duckdb');
  });

  /** Kills a migration that waits for a table, which another transaction holds. */
  const killAt = async (fixture: Fixture, pool: Pool, lock: string, to: string): Promise<void> => {
    const client = await pool.connect();
    await client.query(`BEGIN; LOCK TABLE ${lock} MODE`);
    const migrating = fixture.start('migrate', '--to', to);
    await vi.waitFor(
      async () => expect((await pool.query('SELECT FROM pg_locks WHERE NOT granted')).rowCount).toBe(1),
      { timeout: 300_000 },
    );
    migrating.kill('SIGKILL');
    await migrating.ended;
    await client.query('ROLLBACK');
    client.release();
  };

  it('killed while it fills PostgreSQL leaves no row there, and succeeds when it runs again', async () => {
    await using both = await openBoth();
    const { fixture, pool, url } = both;
    await createSchema(openPostgres(pool), schema, systemClock);
    await killAt(fixture, pool, 'outbox IN SHARE', url);
    expect((await pool.query('SELECT FROM call_log')).rowCount).toBe(0);
    await both.usePostgres();
    expect((await fixture.here('run', 'pull-logs')).stderr).toContain('database is empty, but');
    await both.useFile();
    const before = await succeeds(fixture, ...spend);
    await succeeds(fixture, 'migrate', '--to', url);
    await both.usePostgres();
    expect(await succeeds(fixture, ...spend)).toBe(before);
  });

  it('killed while it writes a file leaves no database there, and succeeds when it runs again', async () => {
    await using both = await openBoth();
    const { fixture, url, pool, database } = both;
    const before = await succeeds(fixture, ...spend);
    await succeeds(fixture, 'migrate', '--to', url);
    await both.usePostgres();
    await rename(database, `${database}.aside`);
    await killAt(fixture, pool, 'key_event IN ACCESS EXCLUSIVE', database);
    expect(await fixture.folder.files()).not.toContain('data/tollkeeper.duckdb');
    await both.useFile();
    expect((await fixture.here('run', 'pull-logs')).stderr).toContain('is missing or empty');
    await both.usePostgres();
    await succeeds(fixture, 'migrate', '--to', database);
    await both.useFile();
    expect(await succeeds(fixture, ...spend)).toBe(before);
  });
});
