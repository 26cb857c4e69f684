import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { interval, money, systemClock, unixMillis, unixSeconds } from '../../src/core/index.ts';
import type { KnownGap, LearnedChange } from '../../src/warehouse/index.ts';
import { openEngine, type Engine } from '../../src/storage/index.ts';
import { migrate } from '../../src/warehouse/migrate.ts';
import { migrations } from '../../src/warehouse/migrations.ts';
import { schema } from '../../src/warehouse/schema.ts';
import { openIn, openSchema, optionsIn, testFolder, type TestFolder } from './support.ts';
import { day, landCalls } from './tokens/tokens-support.ts';

/** A database of schema 21. */
const openOld = async (folder: TestFolder): Promise<Engine> => {
  const options = optionsIn(folder);
  await mkdir(dirname(options.path), { recursive: true });
  const engine = await openEngine(options);
  const sql = await readFile(new URL('schema-21.sql', import.meta.url), 'utf8');
  await engine.bulk(async ({ native }) => native.run(sql));
  return engine;
};

/** A database of today's schema with rows as earlier versions stored them. */
const withRows = async (folder: TestFolder, statements: readonly string[]): Promise<void> => {
  await mkdir(dirname(optionsIn(folder).path), { recursive: true });
  await using engine = await openSchema(folder);
  await engine.state(async (connection) => {
    for (const statement of statements) await connection.execute(statement);
  });
};

const tables = (engine: Engine) =>
  engine.state(async (connection) =>
    connection.rows(
      // In any order: statements name the columns.
      `SELECT table_name, column_name, data_type, is_nullable, column_default, constraints
       FROM duckdb_columns() LEFT JOIN (
         SELECT table_name, list_sort(list(constraint_type || constraint_column_names::VARCHAR)) AS constraints
         FROM duckdb_constraints() GROUP BY table_name
       ) USING (table_name)
       WHERE NOT internal
       ORDER BY table_name, column_name`,
    ),
  );

it('a database of schema 21 gets the tables of a new one by its migrations, and keeps its rows', async () => {
  await using folder = await testFolder();
  await using engine = await openOld(folder);
  const names = await engine.state(async (connection) =>
    connection.rows(`SELECT table_name, string_agg(CASE
           WHEN data_type = 'BOOLEAN' THEN 'true' WHEN data_type = 'VARCHAR' THEN '''text'''
           ELSE '7' END, ', ' ORDER BY column_index) AS sample
       FROM duckdb_columns() WHERE NOT internal AND table_name <> 'schema_migration' GROUP BY table_name`),
  );
  expect(names.length).toBeGreaterThan(30);
  await engine.state(async (connection) => {
    for (const { table_name: name, sample } of names)
      await connection.execute(`INSERT INTO ${String(name)} VALUES (${String(sample)})`);
  });
  await migrate(engine, schema, systemClock, 'x');
  const numbers = await engine.state(async (connection) =>
    connection.rows('SELECT number FROM schema_migration ORDER BY number'),
  );
  expect(numbers.map(({ number }) => Number(number))).toEqual([
    21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37,
  ]);
  for (const { table_name: name } of names) {
    const renamed = name === 'learned_news' ? 'learned_change' : String(name);
    const rows = await engine.state(async (connection) => connection.rows(`SELECT * FROM ${renamed}`));
    // Which columns the export of an earlier row had is not known, nor what stamps say of a Date header, nor the topics of a mail.
    const cells = rows.flatMap((row) =>
      Object.entries(row).filter(
        ([column]) =>
          !/\.(served_columns|stamps_from|date_error|error_.*)$|^job_run\.event$|^outbox\.topics$/.test(
            `${renamed}.${column}`,
          ),
      ),
    );
    const values = cells.map(([, value]) => String(value));
    expect(rows, renamed).toHaveLength(1);
    expect(values.filter((value) => !/^(text|true|7(\.0+)?)$/.test(value))).toEqual([]);
  }
  await using other = await testFolder();
  await using fresh = await openEngine(optionsIn(other, ':memory:'));
  await migrate(fresh, schema, systemClock, 'x');
  expect(await tables(engine)).toEqual(await tables(fresh));
});

const notedAt = unixMillis(7000);
const change = (name: string): LearnedChange => ({ topic: 'column-gone', name, role: '', notedAt });
const gap = (start: number): KnownGap => ({
  source: 'usage by model',
  range: interval(unixSeconds(start), unixSeconds(3600)),
  gap: money('1'),
  unit: 'USD',
  verdict: 'truncated',
  text: 'x',
  state: 'open',
  notedAt,
});

it('a database of schema 21 keeps which findings its operators were notified of', async () => {
  await using folder = await testFolder();
  {
    await using engine = await openOld(folder);
    await engine.bulk(async ({ native }) => {
      for (const [name, start, at] of [
        ['known/1', 0, 7500],
        ['fresh', 900, 'NULL'],
      ])
        await native.run(`
          INSERT INTO learned_news VALUES ('main', 'column-gone', '${name}', '', 7000, ${at});
          INSERT INTO comparison_gap
          VALUES ('main', 'usage by model', ${start}, 3600, '1', 'USD', 'truncated', 'x', 'open', 7000, ${at})`);
    });
  }
  await using warehouse = await openIn(folder);
  const { profile, comparisons, notifyOnce } = warehouse;
  expect(await profile.changes('main')).toEqual([change('fresh'), change('known/1')]);
  expect(await comparisons.gaps('main')).toEqual([gap(0), gap(900)]);
  const sent: unknown[] = [];
  const prepare = async (fresh: readonly unknown[]) => {
    sent.push(...fresh);
    return [];
  };
  for (let times = 0; times < 2; times += 1) {
    await notifyOnce('learned', 'main', prepare);
    await notifyOnce('gap', 'main', prepare);
  }
  expect(sent).toEqual([change('fresh'), gap(900)]);
});

it('changes of a gateway that earlier versions stored are read with their facts', async () => {
  await using folder = await testFolder();
  {
    await using engine = await openOld(folder);
    await engine.bulk(async ({ native }) => {
      for (const [topic, name, detail] of [
        ['amounts-changed', 'units', '2026-11-20 08:57 UTC|converted'],
        ['usage-unit', 'model', '2026-11-20 08:57 UTC|units'],
        ['rollup-differs', 'Europe/Berlin', '12|2026-11-19'],
        ['kind-unknown', 'gift', '2 rows | of a day'],
      ])
        await native.run(
          `INSERT INTO learned_news VALUES ('main', '${topic}', '${name}', '${detail}', 7000, NULL)`,
        );
    });
  }
  await using warehouse = await openIn(folder);
  const from = Date.UTC(2026, 10, 20, 8, 57);
  expect(await warehouse.profile.changes('main')).toEqual([
    { topic: 'amounts-changed', name: 'units', from, form: 'converted', notedAt },
    { topic: 'kind-unknown', name: 'gift', evidence: '2 rows | of a day', notedAt },
    { topic: 'rollup-differs', name: 'Europe/Berlin', days: 12, first: '2026-11-19', notedAt },
    { topic: 'usage-unit', name: 'model', from, form: 'units', notedAt },
  ]);
});

it('an upgrade from schema 27 neither repeats nor loses the mail of an alert', async () => {
  await using folder = await testFolder();
  // What earlier versions hashed to the ID of a mail.
  const idOf = (event: string, alert: string, levels: readonly string[], period: string) =>
    createHash('sha256')
      .update(
        JSON.stringify([event, levels.map((level) => JSON.stringify([alert, level, period])).toSorted()]),
      )
      .digest('hex')
      .slice(0, 32);
  const hostile = 'Bücher "1\'$\\';
  {
    await using engine = await openOld(folder);
    const older = migrations.filter(({ number }) => number < 28);
    await migrate(engine, { number: 27, statements: [], migrations: older }, systemClock, 'x');
    await engine.state(async (connection) => {
      const record = async (alert: string, level: string, recovered: number | null): Promise<void> =>
        void (await connection.execute(
          `INSERT INTO alert_record
           VALUES ('main', $alert, $level, '86400', $state, 1000, $recovered)`,
          { alert, level, recovered, state: recovered === null ? 'firing' : 'recovered' },
        ));
      const notification = async (number: number, id: string, enqueued: number | null): Promise<void> =>
        void (await connection.execute(
          `INSERT INTO alert_notification VALUES ('main', $number, $id, '{}', 1000, $enqueued)`,
          { number, id, enqueued },
        ));
      for (const level of ['80%', '100%'])
        for (const alert of ['sent', hostile, 'queued']) await record(alert, level, null);
      await record('over', '80%', 2000);
      const levels = ['80%', '100%'];
      await notification(1, idOf('alert', 'sent', levels, '86400'), 1500);
      await notification(2, idOf('alert', hostile, levels, '86400'), null);
      // The process ended between the outbox and the mark.
      await notification(3, idOf('alert', 'queued', levels, '86400'), null);
      await connection.execute(
        `INSERT INTO outbox BY NAME SELECT '1' AS id, 'main' AS account, 'alert' AS kind,
           '${idOf('alert', 'queued', levels, '86400')}' AS subject, 'a@example.com' AS recipient, '' AS sender,
           '' AS message_id, '' AS file, 'sent' AS state, 1 AS attempts, 0 AS queued_at, 0 AS next_attempt, 0 AS changed_at`,
      );
      await notification(4, idOf('alert', 'over', ['80%'], '86400'), 1500);
      await notification(5, idOf('recovered', 'over', ['80%'], '86400'), null);
    });
  }
  await using warehouse = await openIn(folder);
  const records = await warehouse.alerts.records('main');
  expect(records.map(({ alert, level, state, recoveredAt }) => [alert, level, state, recoveredAt])).toEqual([
    ['over', '80%', 'firing', undefined],
    ['queued', '100%', 'firing', undefined],
    ['queued', '80%', 'firing', undefined],
    ['sent', '100%', 'firing', undefined],
    ['sent', '80%', 'firing', undefined],
  ]);
});

it('a database that is too old to be upgraded is rejected and stays unchanged', async () => {
  await using folder = await testFolder();
  {
    await using engine = await openOld(folder);
    await engine.state(async (connection) => connection.execute('UPDATE schema_migration SET number = 20'));
  }
  await expect(openIn(folder)).rejects.toMatchObject({
    code: 'warehouse-older',
    message: expect.stringContaining('schema 20') as string,
  });
});

/** Seconds UTC, a whole hour. */
const hour = 1_795_197_600;
const call = (at: number, model: string, quota: string): string =>
  `INSERT INTO call_log (account, created_at, quarter, model_name, token_name, kind, prompt_tokens, completion_tokens, quota)
   VALUES ('main', ${at}, ${at - (at % 900)}, '${model}', 'k', 'consumption', 100, 10, ${quota})`;
const window = (start: number, sum: string): string =>
  `INSERT INTO log_window (account, start_at, end_at, row_count, served_count, replaced_count, quota, replaced_quota, amounts,
     currency, columns, bytes, landed_at)
   VALUES ('main', ${start}, ${start + 3600}, 2, 2, 0, ${sum}, 0, 'currency', 'USD', '[]', 1, ${(start + 3600) * 1000})`;

it('an upgrade converts integer units that were stored as currency', async () => {
  await using folder = await testFolder();
  await withRows(folder, [
    `INSERT INTO log_amounts VALUES ('main', 'USD', 'currency', 500000, 0, 0, 'data', 'currency', NULL, true)`,
    `INSERT INTO log_amounts VALUES ('other', 'CNY', 'units', 500000, 30, 4000, 'data', 'units', NULL, false)`,
    call(hour + 10, 'm', '0.0021'),
    call(hour + 20, 'whole-dollar', '1'),
    call(hour + 30, 'whole-dollar', '1.5'),
    window(hour, '2.5021'),
    // The change: the same model, in units.
    call(hour + 3700, 'm', '1050'),
    call(hour + 3800, 'm', '2100'),
    window(hour + 3600, '3150'),
    // Dollars that are whole by chance.
    call(hour + 7300, 'whole-dollar', '1'),
    window(hour + 7200, '1'),
  ]);
  await using warehouse = await openIn(folder);
  expect(await warehouse.logs.amounts('main')).toMatchObject({ decidedBy: 'data', hasFractions: true });
  expect(await warehouse.logs.amounts('other')).toMatchObject({ decidedBy: 'data', unitsStated: undefined });
  const changed = interval(unixSeconds(hour + 3600), unixSeconds(hour + 7200));
  expect(await warehouse.logs.correctAmounts('main')).toEqual([changed]);
  expect(await warehouse.spend('main', changed)).toMatchObject({ net: '0.0063', calls: 2 });
  const all = interval(unixSeconds(hour), unixSeconds(hour + 10_800));
  expect((await warehouse.spend('main', all)).net).toBe('3.5084');
  expect(await warehouse.logs.correctAmounts('main')).toEqual([]);
});

it('an upgrade keeps evidence of archived calls and rules for the input, and derives the output from stored calls', async () => {
  await using folder = await testFolder();
  await withRows(folder, [
    `INSERT INTO token_rule VALUES ('main', 'ruled-*', 'excludes_cache', 'input')`,
    // Of calls that have left the table for the archive.
    `INSERT INTO token_row_evidence VALUES ('main', ${day - 86_400 * 90}, 'archived', 10, 10, 3, ${day - 86_400 * 90}, 5, 900, NULL, 'input')`,
  ]);
  await using warehouse = await openIn(folder);
  const thought = { prompt_tokens: 5, completion_tokens: 100, reasoning_tokens: 900 };
  await landCalls(warehouse, folder, [
    { ...thought, model: 'archived' },
    { ...thought, model: 'ruled-1' },
  ]);
  expect(await warehouse.tokens.conventions('main')).toMatchObject([
    {
      model: 'archived',
      convention: 'excludes_cache',
      decidedBy: 'rows',
      evidence: { calls: 11, witness: { prompt: 5, cached: 900 } },
      output: { convention: 'excludes_reasoning', evidence: { calls: 1 } },
    },
    {
      model: 'ruled-1',
      convention: 'excludes_cache',
      evidence: { rule: 'ruled-*' },
      output: { convention: 'excludes_reasoning', evidence: { reasoningCalls: 1 } },
    },
  ]);
});
