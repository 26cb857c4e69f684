import {
  countColumns,
  interval,
  localDays,
  dateAt,
  unixSeconds,
  type LocalDay,
  type UnixSeconds,
} from '../../core/index.ts';
import {
  cellTables,
  column,
  readAs,
  rowReader,
  seconds,
  text,
  type AccountRows,
  type Bindings,
  type CellTable,
} from '../../storage/index.ts';
import { dayStartSql, grouped, pairsSql, sumsOfPairsSql } from './refresh.ts';
import { dimensionsOf, tokenSums } from './rollup-schema.ts';

/** A day of the rollup whose cells differ from its calls. */
export type DifferentDay = { readonly zone: string; readonly start: UnixSeconds };

/** `sums`: rows, amounts and tokens as served, a fast scan. `cells`: every figure, at the cost of building them. */
export type CompareDepth = 'sums' | 'cells';

const sumsOf = (columns: readonly string[]): string =>
  columns.map((name) => `CAST(sum(${name}) AS HUGEINT) AS ${name}`).join(', ');

/** The days of which a table and its calls differ, as rows with `start_at`. Both are queries. */
const differenceSql = (cells: string, calls: string): string =>
  `SELECT start_at FROM ((${cells} EXCEPT ALL ${calls}) UNION ALL (${calls} EXCEPT ALL ${cells}))`;

/** The cells of a table, of the range. */
type CellsOf = (table: CellTable) => string;

const sumsSql = (days: readonly LocalDay[], calls: string, cellsOf: CellsOf): string => `
  WITH of_calls AS MATERIALIZED (
    SELECT CAST(${dayStartSql(days)} AS BIGINT) AS start_at, count(*) AS row_count, sum(quota) AS quota, sum(abs(quota)) AS size,
      ${sumsOf(countColumns)}
    FROM ${calls} WHERE account = $account AND created_at >= $start AND created_at < $end GROUP BY 1
  )
  ${cellTables
    .map((table) =>
      differenceSql(
        `SELECT start_at, CAST(sum(row_count) AS BIGINT) AS row_count, sum(quota) AS quota, sum(size) AS size, ${sumsOf(countColumns)}
         FROM ${cellsOf(table)} GROUP BY start_at`,
        'FROM of_calls',
      ),
    )
    .join(' UNION ')}`;

const cellsDifferenceSql = (days: readonly LocalDay[], calls: string, cellsOf: CellsOf): string => `
  WITH of_calls AS MATERIALIZED (${pairsSql(days, calls)})
  ${cellTables
    .map((table) => {
      const columns = `start_at, ${dimensionsOf(table).join(', ')}, row_count, first_at, last_at, quota, size, ${tokenSums.join(', ')}`;
      return differenceSql(
        `SELECT ${columns} FROM ${cellsOf(table)}`,
        `SELECT ${columns} FROM (${sumsOfPairsSql(table, 'of_calls')})`,
      );
    })
    .join(' UNION ')}`;

const zones = rowReader({ zone: text, first: column('first', seconds), last: column('last', seconds) });

/** The days of the rollup, in all zones, whose cells differ from their calls; days that are marked as changed are left out. */
export const differentDays = async (
  { connection, rows, cells }: AccountRows,
  account: string,
  depth: CompareDepth,
): Promise<readonly DifferentDay[]> => {
  const different: DifferentDay[] = [];
  const known = await readAs(
    connection,
    zones,
    'SELECT zone, min(start_at) AS first, max(start_at) AS last FROM rollup_day WHERE account = $account GROUP BY zone ORDER BY zone',
    { account },
  );
  for (const { zone, first, last } of known) {
    for (const group of grouped(localDays(dateAt(first, zone), dateAt(last, zone), zone))) {
      const range = interval(group[0]?.start ?? first, group.at(-1)?.end ?? last);
      const calls = await rows(range);
      const bindings: Bindings = { ...calls.bindings, account, zone, ...range };
      const names = new Map<CellTable, string>();
      for (const table of cellTables) names.set(table, await cells(table, zone, [range]));
      const cellsOf: CellsOf = (table) =>
        `(FROM ${names.get(table)} WHERE account = $account AND zone = $zone AND start_at >= $start AND start_at < $end)`;
      const sqlOf = depth === 'sums' ? sumsSql : cellsDifferenceSql;
      const sql = sqlOf(group, calls.sql, cellsOf);
      const found = await connection.rows(
        `SELECT start_at FROM (${sql}) JOIN rollup_day AS day USING (start_at)
         WHERE day.account = $account AND day.zone = $zone AND NOT EXISTS (
           FROM rollup_mark AS mark
           WHERE mark.account = $account AND mark.start_at < day.end_at AND mark.end_at > day.start_at)
         ORDER BY start_at`,
        bindings,
      );
      different.push(...found.map((row) => ({ zone, start: unixSeconds(Number(text(row, 'start_at'))) })));
    }
  }
  return different;
};
