import { DuckDBInstance, type DuckDBAppender, type DuckDBConnection } from '@duckdb/node-api';
import type { Cell, CubeRequest, ResultTable } from '../../src/reports/definition/port.ts';
import type { CubeReader } from '../../src/reports/index.ts';
import { cubeRelation } from '../../src/warehouse/report-views/cube-columns.ts';
import { reportRelations, countedClasses } from '../../src/warehouse/index.ts';
import { engineThreads } from '../support/storm.ts';
import { declared } from '../../src/warehouse/report-views/relation.ts';
import { unusualDaysSql } from '../../src/warehouse/report-views/unusual-days.ts';

/** One row of the table that a report's SQL sees; money as an exact decimal. */
export type CubeRow = {
  readonly period?: 'current' | 'comparison';
  /** Seconds UTC of the quarter hour. */
  readonly quarter: number;
  readonly model: string | null;
  readonly key: string | null;
  /** The key's own name when left out. */
  readonly service?: string;
  readonly team?: string;
  readonly kind?: string;
  /** Rows; calls where the kind is consumption. */
  readonly calls?: number;
  readonly prompt?: number;
  readonly completion?: number;
  /** Null is unknown. */
  readonly cached?: number | null;
  readonly reasoning?: number;
  readonly spend: string;
};

/** Rows of the other tables that a report's SQL may name, by their columns. */
export type OtherRows = Readonly<
  Record<string, readonly Readonly<Record<string, string | number | boolean | null>>[]>
>;

const typeOf = (type: string): ResultTable['columns'][number]['type'] => {
  if (type.startsWith('DECIMAL')) return 'decimal';
  if (/INT/.test(type)) return 'integer';
  if (type === 'VARCHAR') return 'text';
  if (type === 'DATE') return 'date';
  return type === 'BOOLEAN' ? 'boolean' : 'other';
};

const cellOf = (value: { toString: () => string } | boolean | null): Cell =>
  value === null || typeof value === 'boolean' ? value : value.toString();

const append = (to: DuckDBAppender, values: readonly (string | number | null | undefined)[]): void => {
  for (const value of values) {
    if (value === null || value === undefined) to.appendNull();
    else to.appendVarchar(String(value));
  }
  to.endRow();
};

const given = [
  'quarter',
  'model_name',
  'token_name',
  'service',
  'team',
  'kind',
  'calls',
  'rows',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'reasoning_tokens',
  'spend',
] as const;

const valuesOf = (row: CubeRow) => [
  row.quarter,
  row.model,
  row.key,
  row.service ?? row.key,
  row.team,
  row.kind ?? 'consumption',
  (row.kind ?? 'consumption') === 'consumption' ? (row.calls ?? 1) : 0,
  row.calls ?? 1,
  row.prompt ?? 0,
  row.completion ?? 0,
  row.cached === undefined ? 0 : row.cached,
  row.reasoning ?? 0,
  row.spend,
];

/** One for all tests of a process; each reading of a cube has a schema of its own in it. */
let engine: Promise<DuckDBInstance> | undefined;
const openEngine = (): Promise<DuckDBInstance> =>
  (engine ??= DuckDBInstance.create(':memory:', { threads: String(engineThreads) }));

let schemas = 0;
const tables = new WeakMap<readonly CubeRow[], Promise<string>>();

/** Puts rows into a table, whose name it gives. */
const writeGiven = async (rows: readonly CubeRow[]): Promise<string> => {
  const connection = await (await openEngine()).connect();
  schemas += 1;
  const schema = `given_${schemas}`;
  const columns = cubeRelation.columns.filter(({ name }) => given.some((one) => one === name));
  const ordered = given.map((name) => columns.find((column) => column.name === name)?.type ?? 'VARCHAR');
  await connection.run(`CREATE SCHEMA ${schema}`);
  await connection.run(
    `CREATE TABLE ${schema}.given (${given.map((name, at) => `${name} ${ordered[at]}`).join(', ')})`,
  );
  const appender = await connection.createAppender('given', schema);
  for (const row of rows) append(appender, valuesOf(row));
  appender.closeSync();
  connection.closeSync();
  return `${schema}.given`;
};

/** Each row of the cube once for each period that has its quarter hour. */
const fillCube = async (connection: DuckDBConnection, rows: readonly CubeRow[]): Promise<void> => {
  // The same rows are written once, however many reports are built of them.
  const known = tables.get(rows) ?? writeGiven(rows);
  tables.set(rows, known);
  const table = await known;
  await connection.run(`
    INSERT INTO cube BY NAME
    SELECT days.period, days.day, days.day_number, given.*, spend AS amount,
      'known' AS input_counts, 'known' AS output_counts,
      0 AS cache_write_tokens, 0 AS audio_tokens, 0 AS image_tokens,
      prompt_tokens AS input_tokens, prompt_tokens - cached_tokens AS input_uncached_tokens,
      cached_tokens AS input_cache_read_tokens, 0 AS input_cache_write_tokens,
      completion_tokens AS output_tokens, completion_tokens - reasoning_tokens AS output_plain_tokens,
      reasoning_tokens AS output_reasoning_tokens,
      prompt_tokens - coalesce(prompt_tokens - cached_tokens, 0) - coalesce(cached_tokens, 0) AS input_unclassified_tokens
    FROM ${table} AS given JOIN days ON quarter >= start_seconds AND quarter < end_seconds`);
};

const runOf = ({ account, currency, zone, run, only, periods }: CubeRequest): OtherRows[string] => {
  const [year = 0, month = 0, day = 0] = (periods[0]?.days.at(-1)?.date ?? '').split('-').map(Number);
  return [
    {
      account,
      currency: currency ?? null,
      zone: zone ?? null,
      team: only?.teams?.length === 1 ? (only.teams[0] ?? null) : null,
      now_seconds: Math.floor((run?.now ?? 0) / 1000),
      data_since_seconds: run?.covered?.start ?? null,
      data_through_seconds: run?.covered?.end ?? null,
      comparison_days: run?.comparisonDays ?? 1,
      month_days: new Date(Date.UTC(year, month, 0)).getUTCDate(),
      month_elapsed: day,
    },
  ];
};

const fillOthers = async (connection: DuckDBConnection, others: OtherRows): Promise<void> => {
  for (const [table, rows] of Object.entries(others))
    for (const row of rows) {
      const names = Object.keys(row);
      const marks = names.map((name) => `$${name}`).join(', ');
      await connection.run(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`, { ...row });
    }
};

/** What was booked on each day; a day of several periods counts once. */
const bookedOnce = `(
  SELECT day AS slot, coalesce(model_name, '') AS model_name, coalesce(service, '') AS token_name, spend
  FROM cube JOIN (SELECT day, min(period) AS period FROM days GROUP BY day) AS once USING (day, period)
  WHERE kind IN ('consumption', 'refund'))`;

const usageIn = (period: string, suffix: string): string => {
  const sums = {
    calls: 'sum(calls)',
    unstated_calls: `sum(calls) FILTER ((input_counts <> 'known' OR output_counts <> 'known'))`,
    charge: `sum(spend) FILTER (kind = 'consumption')`,
    refunds: `-sum(spend) FILTER (kind = 'refund')`,
    ...Object.fromEntries(countedClasses.map((name) => [name, `sum(${name}) FILTER (kind = 'consumption')`])),
  };
  return Object.entries(sums)
    .map(([name, sum]) =>
      sum.includes(' FILTER (')
        ? `coalesce(${sum.slice(0, -1)} AND period = '${period}'), 0) AS ${name}${suffix}`
        : `coalesce(${sum} FILTER (period = '${period}'), 0) AS ${name}${suffix}`,
    )
    .join(', ');
};

const changedUsage = `
  SELECT coalesce(model_name, '') AS model_name, coalesce(service, '') AS service, ${usageIn('current', '')},
    ${usageIn('comparison', '_before')}
  FROM cube WHERE kind IN ('consumption', 'refund') AND period IN ('current', 'comparison') GROUP BY 1, 2`;

const eachDay = `(
  SELECT day AS slot, day, bool_or(start_seconds >= data_since_seconds AND end_seconds <= data_through_seconds) AS is_known,
    bool_or(period = 'current') AS is_current, bool_or(period = 'comparison') AS is_compared
  FROM days, run GROUP BY day)`;

/** The port that a report reads, on a DuckDB of its own that holds these rows. */
export const cubeOf = (
  rows: readonly CubeRow[],
  amounts: 'currency' | 'units' | 'unknown' = 'currency',
  others: OtherRows = {},
): CubeReader => ({
  readCube: async (request: CubeRequest, use) => {
    const connection = await (await openEngine()).connect();
    schemas += 1;
    const schema = `cube_${schemas}`;
    try {
      await connection.run(`CREATE SCHEMA ${schema}`);
      await connection.run(`USE ${schema}`);
      for (const { name, columns } of reportRelations)
        await connection.run(`CREATE TABLE ${name} (${declared(columns)})`);
      await fillOthers(connection, { run: runOf(request), ...others });
      const days = await connection.createAppender('days', schema);
      for (const { name, days: asked } of request.periods)
        for (const [number, day] of asked.entries())
          append(days, [name, day.date, number, day.start, day.end]);
      days.closeSync();
      await fillCube(connection, rows);
      const unusualDays = unusualDaysSql({
        byModel: bookedOnce,
        byKey: bookedOnce,
        byPair: bookedOnce,
        ofPairs: bookedOnce,
        services: `(SELECT '' AS name, '' AS service WHERE false)`,
        days: eachDay,
      });
      await connection.run(`INSERT INTO unusual_days ${unusualDays}`);
      await connection.run(`INSERT INTO changed_usage BY NAME ${changedUsage}`);
      return await use(
        async (sql) => {
          const reader = await connection.runAndReadAll(sql);
          const types = reader.columnTypes();
          return {
            columns: reader.columnNames().map((name, at) => ({ name, type: typeOf(String(types[at])) })),
            rows: reader.getRows().map((row) => row.map(cellOf)),
          };
        },
        {
          amounts: amounts === 'unknown' ? undefined : amounts,
          currency: amounts === 'units' ? 'USD' : request.currency,
          isProven: amounts !== 'unknown',
        },
      );
    } finally {
      await connection.run('USE main');
      await connection.run(`DROP SCHEMA ${schema} CASCADE`);
      connection.closeSync();
    }
  },
});
