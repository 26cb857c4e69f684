import { interval, runsOf, type Interval, type LocalDay, type UnixSeconds } from '../../core/index.ts';
import { dimensions } from '../report-views/cube-columns.ts';
import { cellsBySpan, wholeNumber } from '../../storage/index.ts';
import type { AccountStore } from '../schema.ts';
import { classedCallsSql } from '../tokens/classes-sql.ts';
import { dimensionsOf, tokenSums, type SumTable } from './rollup-schema.ts';

/** The tables of the days and of the months of the rollup. */
export const ofDays = [...cellsBySpan.rollup_day, 'rollup_day'] as const;
export const ofMonths = [...cellsBySpan.rollup_month, 'rollup_month'] as const;

/** The account and the zone whose days are built. */
type BuildRequest = { readonly account: string; readonly zone: string };

/** More days in one statement would cost memory. */
const mostDays = 31;

/** Days that follow each other, and the range from the first to the last. */
export type DayGroup = { readonly days: readonly LocalDay[]; readonly range: Interval<UnixSeconds> };

export const groupOf = (days: readonly [LocalDay, ...LocalDay[]]): DayGroup => ({
  days,
  range: interval(days[0].start, (days.at(-1) ?? days[0]).end),
});

/** Days that follow each other in groups of at most a month. */
export const grouped = (days: readonly LocalDay[]): readonly DayGroup[] =>
  runsOf(days, (last, next, group) => last.end === next.start && group.length < mostDays).map(groupOf);

/** The first second of the day of a call. Numbers come from code; a day of 23 or 25 hours has its own case. */
export const dayStartSql = (days: readonly LocalDay[]): string =>
  `CASE ${days.map(({ start, end }) => `WHEN created_at < ${end} THEN ${start}`).join(' ')} END`;

const sumsOfTokens = tokenSums.map((name) => `CAST(sum(${name}) AS BIGINT) AS ${name}`).join(', ');

/**
 * The cells of consecutive days by model and key, from their calls. Bindings: those of the calls, `$account`, `$zone`, `$start`,
 * `$end`.
 */
export const pairsSql = (days: readonly LocalDay[], calls: string): string => `
  SELECT account, $zone AS zone, CAST(${dayStartSql(days)} AS BIGINT) AS start_at, ${dimensions.join(', ')},
    count(*) AS row_count, min(created_at) AS first_at, max(created_at) AS last_at, sum(quota) AS quota, sum(abs(quota)) AS size,
    ${sumsOfTokens}
  FROM (${classedCallsSql(calls)}) WHERE account = $account AND created_at >= $start AND created_at < $end
  GROUP BY ALL`;

/** The cells of a table, from those of days by model and key. `startAt`: SQL for the start of the day or month. */
export const sumsOfPairsSql = (table: SumTable, pairs: string, startAt = 'start_at'): string => `
  SELECT account, zone, CAST(${startAt} AS BIGINT) AS start_at, ${dimensionsOf(table).join(', ')},
    CAST(sum(row_count) AS BIGINT) AS row_count, min(first_at) AS first_at, max(last_at) AS last_at, sum(quota) AS quota,
    sum(size) AS size, ${sumsOfTokens}
  FROM ${pairs}
  GROUP BY ALL`;

export const buildDays = async (
  rowStore: AccountStore,
  { account, zone }: BuildRequest,
  { days, range }: DayGroup,
  signal: AbortSignal | undefined,
): Promise<void> => {
  await rowStore.publish(
    { account, reads: ['token_convention'], writes: ofDays },
    async ({ connection, rows }) => {
      const calls = await rows(range);
      // Sorted, so that who asks for a few keys decompresses only the rows around them.
      await connection.execute(
        `INSERT INTO rollup_pair BY NAME ${pairsSql(days, calls.sql)} ORDER BY token_name`,
        { ...calls.bindings, account, zone, ...range },
      );
      const pairs = `(FROM rollup_pair WHERE account = $account AND zone = $zone AND start_at >= $start AND start_at < $end)`;
      for (const table of ['rollup_model', 'rollup_key'] as const)
        await connection.execute(`INSERT INTO ${table} BY NAME ${sumsOfPairsSql(table, pairs)}`, {
          account,
          zone,
          ...range,
        });
      const built = connection.table(
        { start_at: 'BIGINT', end_at: 'BIGINT' },
        days.map(({ start, end }) => ({ start_at: start, end_at: end })),
      );
      await connection.execute(
        `INSERT INTO rollup_day SELECT $account, $zone, start_at, end_at FROM ${built.sql}`,
        { account, zone, ...built.bindings },
      );
    },
    { signal },
  );
};

/** Builds a month from the cells of its days; not while one of them is missing. */
export const buildMonth = async (
  rowStore: AccountStore,
  { account, zone }: BuildRequest,
  { days, range: month }: DayGroup,
  signal: AbortSignal | undefined,
): Promise<void> => {
  await rowStore.publish(
    { account, reads: ['rollup_day'], writes: ofMonths },
    async ({ connection, cells }) => {
      const bindings = { account, zone, ...month };
      const [row] = await connection.rows(
        `SELECT count(*) AS days FROM rollup_day
         WHERE account = $account AND zone = $zone AND start_at >= $start AND end_at <= $end`,
        bindings,
      );
      if (row === undefined || wholeNumber(row, 'days') !== days.length) return;
      const pairs = `(FROM ${await cells('rollup_pair', zone, [month])}
        WHERE account = $account AND zone = $zone AND start_at >= $start AND start_at < $end)`;
      await connection.execute(
        `INSERT INTO rollup_month_pair BY NAME ${sumsOfPairsSql('rollup_month_pair', pairs, '$start')}`,
        bindings,
      );
      await connection.execute('INSERT INTO rollup_month VALUES ($account, $zone, $start, $end)', bindings);
    },
    { signal },
  );
};
