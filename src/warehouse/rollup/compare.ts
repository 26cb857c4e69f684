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
  column,
  readAs,
  rowReader,
  seconds,
  text,
  type AccountRows,
  type Bindings,
} from '../../storage/index.ts';
import { cellsSql, dayStartSql, grouped } from './refresh.ts';
import { tokenSums } from './rollup-schema.ts';

/** A day of the rollup whose cells differ from its calls. */
export type DifferentDay = { readonly zone: string; readonly start: UnixSeconds };

/** `sums`: rows, amounts and tokens as served, a fast scan. `cells`: every figure, at the cost of building them. */
export type CompareDepth = 'sums' | 'cells';

const sumsOf = (columns: readonly string[]): string =>
  columns.map((name) => `CAST(sum(${name}) AS HUGEINT) AS ${name}`).join(', ');

/** The days of which the two relations differ, as rows with `start_at`. */
const differenceSql = (left: string, right: string): string => `
  WITH left_rows AS (${left}), right_rows AS (${right})
  SELECT DISTINCT start_at FROM (
    (FROM left_rows EXCEPT ALL FROM right_rows) UNION ALL (FROM right_rows EXCEPT ALL FROM left_rows)) ORDER BY start_at`;

const sumsSql = (days: readonly LocalDay[], calls: string, cells: string): string =>
  differenceSql(
    `SELECT start_at, CAST(sum(row_count) AS BIGINT) AS row_count, sum(quota) AS quota, sum(size) AS size, ${sumsOf(countColumns)}
     FROM ${cells} WHERE account = $account AND zone = $zone AND start_at >= $start AND start_at < $end GROUP BY start_at`,
    `SELECT CAST(${dayStartSql(days)} AS BIGINT) AS start_at, count(*) AS row_count, sum(quota) AS quota, sum(abs(quota)) AS size,
       ${sumsOf(countColumns)}
     FROM ${calls} WHERE account = $account AND created_at >= $start AND created_at < $end GROUP BY 1`,
  );

const cellsDifferenceSql = (days: readonly LocalDay[], calls: string, cells: string): string => {
  const columns = `start_at, model_name, token_name, kind, input_counts, output_counts, row_count, first_at, last_at, quota, size, ${tokenSums.join(', ')}`;
  return differenceSql(
    `SELECT ${columns} FROM ${cells}
     WHERE account = $account AND zone = $zone AND start_at >= $start AND start_at < $end`,
    `SELECT ${columns} FROM (${cellsSql(days, calls)})`,
  );
};

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
      const sqlOf = depth === 'sums' ? sumsSql : cellsDifferenceSql;
      const sql = sqlOf(group, calls.sql, await cells(zone, [range]));
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
