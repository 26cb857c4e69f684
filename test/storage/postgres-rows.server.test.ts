import { join } from 'node:path';
import type { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { interval, silentLog, systemClock, unixSeconds } from '../../src/core/index.ts';
import {
  openEngine,
  type PostgresEngine,
  postgresStatements,
  createPostgresRows,
} from '../../src/storage/index.ts';
import { schema, type AccountStore } from '../../src/warehouse/schema.ts';
import { openPostgres } from '../../src/storage/postgres/engine.ts';
import { createLeases } from '../../src/storage/postgres/leases.ts';
import { openCells } from '../../src/warehouse/rollup/cells.ts';
import { noPostgres, startPostgres, type PostgresCluster } from '../support/postgres-cluster.ts';
import { optionsIn, testFolder, type TestFolder } from '../warehouse/support.ts';

const hour = interval(unixSeconds(1_767_225_600), unixSeconds(1_767_229_200));
const account = 'main';
const calls = { account, writes: ['call_log'] } as const;
const firstCall = `INSERT INTO call_log (account, created_at, quarter, model_name, token_name, kind, served_columns)
  VALUES ('main', ${hour.start}, ${hour.start}, 'gpt', 'key', 'consumption', 0)`;

describe.skipIf(noPostgres !== undefined)(noPostgres ?? 'a change of calls in PostgreSQL', () => {
  let cluster: PostgresCluster;
  let pool: Pool;
  let database: PostgresEngine;
  let folder: TestFolder;

  beforeAll(async () => {
    cluster = await startPostgres();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());
  beforeEach(async () => {
    folder = await testFolder();
    pool = await cluster.createDatabase(postgresStatements(schema));
    database = openPostgres(pool);
  });
  afterEach(async () => {
    await database[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  /** What one replica has. */
  const replica = async (holder: string, lasts = 60_000) => {
    const engine = await openEngine(optionsIn(folder, ':memory:'));
    const fence = { holder, lasts, leases: 0 };
    const leases = createLeases({ database, fence, clock: systemClock, log: silentLog });
    const rows = createPostgresRows({
      engine,
      database,
      schema,
      filePrefix: join(folder.spool, 'rows-'),
      tokenOf: leases.tokenOf,
      rollupOf: (of, name) => (zone) => openCells(of, name, zone),
    });
    return { rows, leases, [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose]() };
  };

  const add = (rows: AccountStore, texts: readonly string[], at: number = hour.start) =>
    rows.publish(calls, async ({ connection, hold }) => {
      await hold(hour, texts.length);
      for (const text of texts)
        await connection.execute(
          `INSERT INTO call_log (account, created_at, quarter, model_name, token_name, kind, quota, served_columns)
           VALUES ($account, $at, $at, $text, $text, 'consumption', 1.000000000001, 0)`,
          { account, at, text },
        );
    });

  const stored = async (rows: AccountStore): Promise<readonly unknown[]> =>
    rows.read({ account }, async ({ connection, rows: rowsIn }) => {
      const calls = await rowsIn(hour);
      return (
        await connection.rows(`SELECT hex(model_name) AS bytes FROM ${calls.sql} ORDER BY model_name`)
      ).map(
        // The driver of DuckDB omits a byte order mark.
        (row) => Buffer.from(String(row['bytes']), 'hex').toString(),
      );
    });

  it('keeps every text as it is, but for NUL, which PostgreSQL does not store', async () => {
    await using one = await replica('one');
    const texts = [
      '',
      '\\N',
      '\\.',
      'x\n\\.\ny',
      'a"b',
      "a'b",
      'cr\rlf\n',
      '\t',
      'é漢😀',
      ' spaces ',
      '""',
      '\u001f\u001e',
      'NULL',
      '{a,b}',
      '\ufeff',
    ];
    await add(one.rows, [...texts, 'nul\0']);
    expect(await stored(one.rows)).toEqual(
      [...texts, 'nul\ufffd'].sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right))),
    );
    await one.rows.publish({ account, writes: ['extra_header'] }, async ({ connection }) => {
      await connection.execute('INSERT INTO extra_header VALUES ($account, $header, $names)', {
        account,
        header: '1',
        names: texts,
      });
    });
    const names = await one.rows.read({ account, reads: ['extra_header'] }, ({ connection }) =>
      connection.rows('SELECT to_json(names) AS names FROM extra_header'),
    );
    expect(JSON.parse(String(names[0]?.['names']))).toEqual(texts);
  });

  it('reads only the calls of the given key names, which may contain quotes, braces and backslashes', async () => {
    await using one = await replica('one');
    const names = ['key', "it's", 'a"b', '{a,b}', '\\N', '漢 😀', '$keys', ''];
    await add(one.rows, [...names, 'other']);
    const readOnly = (keys: readonly string[]) =>
      one.rows.read({ account }, async ({ connection, rows }) => {
        const { sql } = await rows(hour, { keys });
        return (await connection.rows(`SELECT token_name FROM ${sql}`)).map((row) => row['token_name']);
      });
    expect(new Set(await readOnly(names))).toEqual(new Set(names));
    expect(await readOnly(['{a,b}'])).toEqual(['{a,b}']);
    expect(await readOnly([])).toEqual([]);
  });

  it('counts nothing once another replica holds the account', async () => {
    await using one = await replica('one', 0);
    await using other = await replica('other');
    await add(one.rows, ['first']).catch(() => undefined);
    await expect(
      one.rows.publish(calls, async ({ connection, hold }) => {
        await hold(hour, 1);
        await other.leases.tokenOf(account);
        await connection.execute(firstCall);
      }),
    ).rejects.toMatchObject({ code: 'lease-lost' });
    await add(other.rows, ['second']);
    expect(await stored(one.rows)).toEqual(['second']);
  });

  it('replaces the calls of its ranges, and a second time too', async () => {
    await using one = await replica('one');
    await add(one.rows, ['first']);
    for (const text of ['second', 'second'])
      await one.rows.publish(calls, async ({ connection, hold }) => {
        await hold(hour, 1);
        await connection.execute(`UPDATE call_log SET model_name = $text WHERE account = 'main'`, { text });
      });
    expect(await stored(one.rows)).toEqual(['second']);
  });

  it('counts nothing if the account was changed since the work began', async () => {
    await using one = await replica('one');
    const publish = one.rows.publish(calls, async ({ connection, hold }) => {
      await hold(hour, 1);
      await pool.query("INSERT INTO account_version VALUES ('main', 1)");
      await connection.execute(firstCall);
    });
    await expect(publish).rejects.toMatchObject({ code: 'lease-lost' });
  });

  it('is refused where it adds a call outside the ranges that it holds', async () => {
    await using one = await replica('one');
    await expect(add(one.rows, ['outside'], hour.end + 900)).rejects.toMatchObject({
      message: expect.stringContaining('outside what the work holds'),
    });
    expect(await stored(one.rows)).toEqual([]);
  });

  describe('that touches what it does not declare', () => {
    const cursor = `INSERT INTO log_cursor VALUES ('main', 1, 2)`;
    const ledger = 'SELECT count(*) FROM log_window';
    const nothing = { account, writes: [] } as const;

    it.each([
      ['reads an undeclared table', nothing, ledger, 'log_window'],
      ['adds rows to an undeclared table', nothing, cursor, 'log_cursor'],
      ['deletes the rows of an undeclared table', nothing, 'DELETE FROM log_window', 'log_window'],
      ['joins an undeclared table', calls, 'FROM call_log JOIN rollup_day USING (account)', 'rollup_day'],
      ['reads calls that it does not declare', nothing, 'FROM call_log', 'call_log'],
      [
        'adds rows to a table that it only reads',
        { ...nothing, reads: ['log_cursor'] },
        cursor,
        'log_cursor',
      ],
      [
        'updates a table that it only reads',
        { ...nothing, reads: ['log_cursor'] },
        'UPDATE log_cursor SET reached = 3',
        'update',
      ],
      [
        'deletes from a table that it only reads',
        { ...nothing, reads: ['log_cursor'] },
        'DELETE FROM log_cursor',
        'delete',
      ],
    ] as const)('fails with its name when it %s, and stores nothing', async (_does, touched, sql, named) => {
      await using one = await replica('one');
      await pool.query(`INSERT INTO log_cursor VALUES ('main', 0, 1)`);
      const work = one.rows.publish(
        { ...touched, writes: [...touched.writes, 'gateway_clock'] },
        async ({ connection }) => {
          await connection.execute(
            `INSERT INTO gateway_clock (account, measured_at, clock_offset, uncertainty, since, jump) VALUES ('main', 1, 2, 3, 4, 5)`,
          );
          await connection.execute(sql);
        },
      );
      await expect(work).rejects.toThrow(named);
      const rows = await pool.query('SELECT reached FROM log_cursor');
      expect(rows.rows.map(({ reached }) => String(reached))).toEqual(['1']);
      expect((await pool.query('SELECT count(*) AS n FROM gateway_clock')).rows[0]).toEqual({ n: '0' });
    });

    it('sends the tables that differ from before, and those alone', async () => {
      await using one = await replica('one');
      await pool.query(`INSERT INTO log_cursor VALUES ('main', 0, 1), ('other', 0, 1)`);
      const before = await pool.query('SELECT xmin FROM log_cursor');
      const writes = ['log_cursor', 'log_amounts', 'call_log', 'rollup_pair'] as const;
      await one.rows.publish({ account, writes }, async ({ connection, hold }) => {
        await hold(hour, 0);
        await connection.execute(`UPDATE log_cursor SET reached = 1`);
      });
      expect((await pool.query('SELECT xmin FROM log_cursor')).rows).toEqual(before.rows);
      expect((await pool.query('SELECT count(*) AS n FROM account_version')).rows[0]).toEqual({ n: '0' });
      await one.rows.publish({ account, writes }, async ({ connection }) => {
        await connection.execute(`UPDATE log_cursor SET reached = 2`);
      });
      const rows = await pool.query('SELECT account, reached FROM log_cursor ORDER BY account');
      expect(rows.rows.map((row) => `${row.account} ${row.reached}`)).toEqual(['main 2', 'other 1']);
    });
  });

  it('is refused when PostgreSQL stores fewer rows than DuckDB wrote', async () => {
    await using one = await replica('one');
    await pool.query(
      `CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`,
    );
    await pool.query(
      'CREATE TRIGGER lost BEFORE INSERT ON extra_header FOR EACH ROW EXECUTE FUNCTION nothing()',
    );
    await expect(
      one.rows.publish({ account, writes: ['extra_header'] }, async ({ connection }) => {
        await connection.execute('INSERT INTO extra_header VALUES ($account, $header, $names)', {
          account,
          header: '1',
          names: ['x'],
        });
      }),
    ).rejects.toMatchObject({
      code: 'warehouse-failed',
      message: expect.stringMatching(/^1 rows of extra_header .* 0 were stored$/) as string,
    });
  });

  it('adds the first calls of a month while others are read', async () => {
    await using one = await replica('one');
    await one.rows.read({ account }, async ({ rows }) => {
      await rows(hour);
      await add(one.rows, ['first']);
    });
    expect(await stored(one.rows)).toEqual(['first']);
    const partitions = await pool.query(
      'SELECT count(*) AS n FROM pg_inherits WHERE inhparent = $1::regclass',
      ['call_log'],
    );
    expect(partitions.rows).toEqual([{ n: '1' }]);
  });

  it('leaves no file behind, and a work that changes nothing leaves the account as it was', async () => {
    await using one = await replica('one');
    await add(one.rows, ['first']);
    const version = async () => (await pool.query('SELECT version FROM account_version')).rows;
    const before = await version();
    const writes = ['call_log', 'log_cursor'] as const;
    await one.rows.publish({ account, writes }, async ({ connection, hold }) => {
      await hold(interval(hour.end, unixSeconds(hour.end + 900)), 0);
      await connection.execute(`UPDATE log_cursor SET reached = 0 WHERE account = 'main'`);
    });
    expect(await version()).toEqual(before);
  });
});
