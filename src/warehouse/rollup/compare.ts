import { countColumns, localDays, dateAt, unixSeconds, type LocalDay } from '../../core/index.ts';
import {
  cellsBySpan,
  column,
  readAs,
  rowReader,
  seconds,
  secondsRange,
  text,
  type AccountRows,
  type Bindings,
} from '../../storage/index.ts';
import { differentHours } from './hours.ts';
import { dayStartSql, grouped, pairsSql, sumsOfPairsSql } from './build-cells.ts';
import { dimensionsOf, isUnmarked, tokenSums, type DifferentDay, type SumTable } from './rollup-schema.ts';

/** `sums`: rows, amounts and tokens as served, a fast scan. `cells`: every figure, at the cost of building them. */
export type CompareDepth = 'sums' | 'cells';

const sumsOf = (columns: readonly string[]): string =>
  columns.map((name) => `CAST(sum(${name}) AS HUGEINT) AS ${name}`).join(', ');

/** The days of which a table and its calls differ, as rows with `start_at`. Both are queries. */
const differenceSql = (cells: string, calls: string): string =>
  `SELECT start_at FROM ((${cells} EXCEPT ALL ${calls}) UNION ALL (${calls} EXCEPT ALL ${cells}))`;

const sumsOfCells = `SELECT start_at, CAST(sum(row_count) AS BIGINT) AS row_count, sum(quota) AS quota, sum(size) AS size,
  ${sumsOf(countColumns)}`;

const columnsOf = (table: SumTable): string =>
  `start_at, ${dimensionsOf(table).join(', ')}, row_count, first_at, last_at, quota, size, ${tokenSums.join(', ')}`;

/** The cells of a table, of the range. */
type CellsOf = (table: SumTable) => string;

const sumsSql = (days: readonly LocalDay[], calls: string, cellsOf: CellsOf): string => `
  WITH of_calls AS MATERIALIZED (
    SELECT CAST(${dayStartSql(days)} AS BIGINT) AS start_at, count(*) AS row_count, sum(quota) AS quota, sum(abs(quota)) AS size,
      ${sumsOf(countColumns)}
    FROM ${calls} WHERE account = $account AND created_at >= $start AND created_at < $end GROUP BY 1
  )
  ${cellsBySpan.rollup_day
    .map((table) => differenceSql(`${sumsOfCells} FROM ${cellsOf(table)} GROUP BY start_at`, 'FROM of_calls'))
    .join(' UNION ')}`;

const cellsDifferenceSql = (days: readonly LocalDay[], calls: string, cellsOf: CellsOf): string => `
  WITH of_calls AS MATERIALIZED (${pairsSql(days, calls)})
  ${cellsBySpan.rollup_day
    .map((table) =>
      differenceSql(
        `SELECT ${columnsOf(table)} FROM ${cellsOf(table)}`,
        `SELECT ${columnsOf(table)} FROM (${sumsOfPairsSql(table, 'of_calls')})`,
      ),
    )
    .join(' UNION ')}`;

/** Whether the cells of a month differ from those of its days: rows if they do. */
const monthSql = (depth: CompareDepth, months: string, pairs: string): string => {
  const ofMonth = `(FROM ${months} WHERE account = $account AND zone = $zone AND start_at = $start)`;
  const ofDays = `(FROM ${pairs} WHERE account = $account AND zone = $zone AND start_at >= $start AND start_at < $end)`;
  const table = 'rollup_month_pair';
  return depth === 'cells'
    ? differenceSql(
        `SELECT ${columnsOf(table)} FROM ${ofMonth}`,
        `SELECT ${columnsOf(table)} FROM (${sumsOfPairsSql(table, ofDays, '$start')})`,
      )
    : differenceSql(
        `${sumsOfCells} FROM ${ofMonth} GROUP BY start_at`,
        `${sumsOfCells} FROM (SELECT * REPLACE (CAST($start AS BIGINT) AS start_at) FROM ${ofDays}) GROUP BY start_at`,
      );
};

/** The first days of months whose cells differ from those of their days, beside days that differ. Months that are marked are left out. */
const differentMonths = async (
  { connection, cells }: AccountRows,
  account: string,
  depth: CompareDepth,
  days: readonly DifferentDay[],
): Promise<readonly DifferentDay[]> => {
  const different: DifferentDay[] = [];
  const known = await readAs(
    connection,
    zonedRange,
    `SELECT zone, start_at, end_at FROM rollup_month AS month
     WHERE account = $account AND ${isUnmarked('month')}
     ORDER BY zone, start_at`,
    { account },
  );
  for (const { zone, range } of known) {
    const hasDay = days.some((day) => day.zone === zone && day.start >= range.start && day.start < range.end);
    // Its month is built again with the day.
    if (hasDay) continue;
    const months = await cells('rollup_month_pair', zone, [range]);
    const pairs = await cells('rollup_pair', zone, [range]);
    const found = await connection.rows(`${monthSql(depth, months, pairs)} LIMIT 1`, {
      account,
      zone,
      ...range,
    });
    if (found.length > 0) different.push({ zone, start: range.start });
  }
  return different;
};

const zonedRange = rowReader({ zone: text, range: secondsRange });

const zones = rowReader({ zone: text, first: column('first', seconds), last: column('last', seconds) });

/**
 * The days of the rollup, in all zones, whose cells differ from their calls, and the first days of months whose cells differ from
 * those of their days. Days that are marked as changed are left out.
 */
export const differentDays = async (
  work: AccountRows,
  account: string,
  depth: CompareDepth,
): Promise<readonly DifferentDay[]> => {
  const { connection, rows, cells } = work;
  const different: DifferentDay[] = [];
  const known = await readAs(
    connection,
    zones,
    'SELECT zone, min(start_at) AS first, max(start_at) AS last FROM rollup_day WHERE account = $account GROUP BY zone ORDER BY zone',
    { account },
  );
  for (const { zone, first, last } of known) {
    for (const { days, range } of grouped(localDays(dateAt(first, zone), dateAt(last, zone), zone))) {
      const calls = await rows(range);
      const bindings: Bindings = { ...calls.bindings, account, zone, ...range };
      const names = new Map<SumTable, string>();
      for (const table of cellsBySpan.rollup_day) names.set(table, await cells(table, zone, [range]));
      const cellsOf: CellsOf = (table) =>
        `(FROM ${names.get(table)} WHERE account = $account AND zone = $zone AND start_at >= $start AND start_at < $end)`;
      const sqlOf = depth === 'sums' ? sumsSql : cellsDifferenceSql;
      const sql = sqlOf(days, calls.sql, cellsOf);
      const found = await connection.rows(
        `SELECT start_at FROM (${sql}) JOIN rollup_day AS day USING (start_at)
         WHERE day.account = $account AND day.zone = $zone AND ${isUnmarked('day')}
         ORDER BY start_at`,
        bindings,
      );
      different.push(...found.map((row) => ({ zone, start: unixSeconds(Number(text(row, 'start_at'))) })));
    }
  }
  return [
    ...different,
    ...(await differentMonths(work, account, depth, different)),
    ...(await differentHours(work, account)),
  ];
};
