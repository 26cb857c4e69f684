import type { DuckDBConnection } from '@duckdb/node-api';
import { interval, unixSeconds } from '../../base/index.ts';
import type { Money } from '../../base/index.ts';
import type { CallsIn } from '../archive/archive.ts';
import { tokenRoles } from '../logs/log-batch.ts';
import { execute, streamRows } from '../rows.ts';
import { tokenClasses } from '../tokens/class-names.ts';
import { classedCallsSql } from '../tokens/classes-sql.ts';
import type { CubePeriod } from './cube-request.ts';

/** Each column as it was served, and the classes that count each token once. */
const tokenColumns = [...tokenRoles, ...tokenClasses] as const;

export const createCubeTables = async (connection: DuckDBConnection): Promise<void> => {
  await execute(
    connection,
    `CREATE TABLE days (period VARCHAR, day DATE, day_number INTEGER, start_seconds BIGINT, end_seconds BIGINT)`,
  );
  await execute(
    connection,
    `CREATE TABLE quarters (period VARCHAR, quarter BIGINT, model_name VARCHAR, token_name VARCHAR, kind VARCHAR,
       calls BIGINT, ${tokenColumns.map((name) => `${name} HUGEINT`).join(', ')}, spend DECIMAL(38, 12), amount DECIMAL(38, 12))`,
  );
  // Days begin and end at quarter hours in every zone in use.
  await execute(
    connection,
    `CREATE VIEW cube AS
     SELECT quarters.period, days.day, days.day_number, quarters.* EXCLUDE (period)
     FROM quarters JOIN days
       ON quarters.period = days.period AND quarters.quarter >= days.start_seconds AND quarters.quarter < days.end_seconds`,
  );
};

export const fillDays = async (
  connection: DuckDBConnection,
  periods: readonly CubePeriod[],
): Promise<void> => {
  for (const { name, days } of periods)
    for (const [number, day] of days.entries())
      await execute(
        connection,
        'INSERT INTO days VALUES ($period, CAST($day AS DATE), CAST($number AS INTEGER), $start, $end)',
        { period: name, day: day.date, number, start: day.start, end: day.end },
      );
};

/** Sums in currency at 12 places. Units are whole, so that they keep all places for the value of one: both are exact. */
const inCurrency = (sum: string, inUnits: boolean): string =>
  inUnits
    ? `CAST(${sum} AS DECIMAL(25, 0)) * CAST($value AS DECIMAL(13, 12))`
    : `CAST(${sum} AS DECIMAL(38, 12))`;

const quartersSql = (calls: string, inUnits: boolean): string => `
  SELECT $period AS period, quarter, model_name, token_name, kind, count(*) AS calls,
    ${tokenColumns.map((name) => `sum(${name}) AS ${name}`).join(', ')},
    CASE kind
      WHEN 'consumption' THEN ${inCurrency('coalesce(sum(quota), 0)', inUnits)}
      -- A refund gives back, whichever sign it is booked with.
      WHEN 'refund' THEN ${inCurrency('-coalesce(sum(abs(quota)), 0)', inUnits)}
      ELSE 0 END AS spend,
    ${inCurrency('coalesce(sum(quota), 0)', inUnits)} AS amount
  FROM (${classedCallsSql(calls)})
  WHERE account = $account AND created_at >= $start AND created_at < $end
  GROUP BY quarter, model_name, token_name, kind`;

/** Copies the sums of one period from the warehouse, chunk by chunk as the engine has them. */
export const fillQuarters = async (
  source: DuckDBConnection,
  target: DuckDBConnection,
  account: string,
  period: CubePeriod,
  served: { readonly value: Money; readonly inUnits: boolean },
  callsIn: CallsIn,
): Promise<void> => {
  if (period.days.length === 0) return;
  const start = unixSeconds(Math.min(...period.days.map((day) => day.start)));
  const end = unixSeconds(Math.max(...period.days.map((day) => day.end)));
  const calls = await callsIn(interval(start, end));
  const result = await streamRows(source, quartersSql(calls.sql, served.inUnits), {
    ...calls.bindings,
    period: period.name,
    account,
    start,
    end,
    ...(served.inUnits ? { value: served.value } : {}),
  });
  const appender = await target.createAppender('quarters');
  for (
    let chunk = await result.fetchChunk();
    chunk !== null && chunk.rowCount > 0;
    chunk = await result.fetchChunk()
  )
    appender.appendDataChunk(chunk);
  appender.closeSync();
};
