import {
  clipRanges,
  interval,
  mergeRanges,
  unixSeconds,
  wholeQuarters,
  type Interval,
  type UnixMillis,
  type UnixSeconds,
} from '../../core/index.ts';
import { rowsOf, type RowSums } from '../logs/seen-rows.ts';
import { wholeNumber, type Sql } from '../../storage/index.ts';

type Landing = { readonly account: string; readonly window: Interval<UnixSeconds> };

/** The sums of the table before a landing, for comparison with those after it. */
export type Before = {
  /** Ranges landed earlier within the quarter hours of the window, if the window overlaps them: all else is new. */
  readonly ranges: readonly Interval<UnixSeconds>[];
  /** Of all rows of the ranges. */
  readonly total: RowSums;
};

const readLandedRanges = async (
  connection: Sql,
  { account, window }: Landing,
  now: UnixMillis,
): Promise<readonly Interval<UnixSeconds>[]> => {
  const bounds = wholeQuarters(window);
  const rows = await connection.rows(
    // Times that were not settled never counted as complete, nor did landings of a clock that ran ahead.
    `SELECT start_at, least(end_at, greatest(start_at, coalesce(settled_at, end_at))) AS end_at FROM log_window
     WHERE account = $account AND landed_at <= $now AND start_at < $end AND end_at > $start`,
    { account, now, start: bounds.start, end: bounds.end },
  );
  const landed = rows.map((row) =>
    interval(unixSeconds(wholeNumber(row, 'start_at')), unixSeconds(wholeNumber(row, 'end_at'))),
  );
  const ranges = clipRanges(mergeRanges(landed), bounds);
  // A landing changes nothing outside its window.
  return ranges.some(({ start, end }) => start < window.end && end > window.start) ? ranges : [];
};

/** With the digest in one scan, which costs half of two. */
const columnsOf = { sums_before: ', sum(hash(call_log)) AS digest', sums_after: '' };

const takeSums = async (
  connection: Sql,
  table: keyof typeof columnsOf,
  account: string,
  ranges: readonly Interval<UnixSeconds>[],
): Promise<void> => {
  for (const [index, { start, end }] of ranges.entries())
    await connection.execute(
      `${index === 0 ? `CREATE OR REPLACE TEMP TABLE ${table} AS` : `INSERT INTO ${table}`}
       SELECT quarter, kind, count(*) AS calls, CAST(coalesce(sum(quota), 0) AS DECIMAL(38, 12)) AS amount,
         CAST(coalesce(sum(abs(quota)), 0) AS DECIMAL(38, 12)) AS size${columnsOf[table]}
       FROM call_log WHERE account = $account AND created_at >= $start AND created_at < $end
       GROUP BY quarter, kind`,
      { account, start, end },
    );
};

/** Call it before the rows of a window are replaced, in the same transaction as `recordRestatement`. */
export const sumsBefore = async (connection: Sql, landing: Landing, now: UnixMillis): Promise<Before> => {
  const ranges = await readLandedRanges(connection, landing, now);
  if (ranges.length === 0) return { ranges, total: rowsOf([]) };
  await takeSums(connection, 'sums_before', landing.account, ranges);
  const total =
    await connection.rows(`SELECT coalesce(sum(calls), 0) AS row_count, coalesce(sum(amount), 0) AS amount, CAST(sum(digest) AS VARCHAR) AS digest
     FROM sums_before`);
  return { ranges, total: rowsOf(total) };
};

/**
 * Stores the old and new sums of each quarter hour and kind that a landing changed, of data landed earlier: a first
 * landing and an identical one change nothing. Returns the number of changed quarter hours.
 */
export const recordRestatement = async (
  connection: Sql,
  { account }: Landing,
  { ranges }: Before,
  now: UnixMillis,
): Promise<number> => {
  if (ranges.length === 0) return 0;
  await takeSums(connection, 'sums_after', account, ranges);
  const rows = await connection.execute(
    `INSERT INTO restatement (account, number, quarter, kind, old_calls, new_calls, old_amount, new_amount, old_size, new_size,
       landed_at)
     SELECT $account, (SELECT coalesce(max(number), 0) + 1 FROM restatement WHERE account = $account), quarter, kind,
       sum(old_calls), sum(new_calls), sum(old_amount), sum(new_amount), sum(old_size), sum(new_size), $now
     FROM (
       SELECT quarter, kind, calls AS old_calls, 0 AS new_calls, amount AS old_amount, 0 AS new_amount, size AS old_size, 0 AS new_size
       FROM sums_before
       UNION ALL
       SELECT quarter, kind, 0, calls, 0, amount, 0, size FROM sums_after
     ) AS sums
     GROUP BY quarter, kind
     HAVING sum(old_calls) <> sum(new_calls) OR sum(old_amount) <> sum(new_amount) OR sum(old_size) <> sum(new_size)`,
    { account, now },
  );
  if (rows === 0) return 0;
  const [changed] = await connection.rows(
    `SELECT count(DISTINCT quarter) AS quarters FROM restatement
     WHERE account = $account AND number = (SELECT max(number) FROM restatement WHERE account = $account)`,
    { account },
  );
  return wholeNumber(changed, 'quarters');
};
