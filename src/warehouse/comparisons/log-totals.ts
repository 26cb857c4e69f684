import {
  fault,
  interval,
  money,
  multiplyMoney,
  subtractMoney,
  type Interval,
  type Money,
  type UnixSeconds,
} from '../../core/index.ts';
import { text, wholeNumber, type Row, type RowsIn, type Sql } from '../../storage/index.ts';
import { valueOfServed } from '../spend.ts';
import type { EntryTotals, LogTotals } from './comparison.ts';

const sums = `
  coalesce(sum(quota) FILTER (WHERE kind = 'consumption'), 0) AS consumption,
  -- A refund gives back, whichever sign it is booked with.
  coalesce(sum(abs(quota)) FILTER (WHERE kind = 'refund'), 0) AS refunds,
  coalesce(sum(abs(quota)) FILTER (WHERE kind = 'top-up'), 0) AS top_ups,
  count(*) FILTER (WHERE kind IN ('consumption', 'refund')) AS row_count`;

const totalsOf = (row: Row | undefined, value: Money): LogTotals => {
  const amount = (column: string): Money => multiplyMoney(money(text(row, column)), value);
  const [consumption, refunds] = [amount('consumption'), amount('refunds')];
  return {
    consumption,
    refunds,
    net: subtractMoney(consumption, refunds),
    topUps: amount('top_ups'),
    rows: wholeNumber(row, 'row_count'),
  };
};

export const readTotals = async (
  connection: Sql,
  account: string,
  range: Interval<UnixSeconds>,
  rows: RowsIn,
): Promise<LogTotals> => {
  const { value } = await valueOfServed(connection, account);
  const calls = await rows(range);
  const [row] = await connection.rows(
    `SELECT ${sums} FROM ${calls.sql} WHERE account = $account AND created_at >= $start AND created_at < $end`,
    { account, start: range.start, end: range.end, ...calls.bindings },
  );
  return totalsOf(row, value);
};

const quarter = 900;

/** Aggregates the calls by quarter hour in one scan, then by bucket. */
export const readEntries = async (
  connection: Sql,
  account: string,
  by: 'model' | 'key',
  buckets: readonly Interval<UnixSeconds>[],
  rows: RowsIn,
): Promise<readonly EntryTotals[]> => {
  const [first, last] = [buckets[0], buckets.at(-1)];
  if (first === undefined || last === undefined) return [];
  const odd = buckets.find(
    ({ start, end }, at) =>
      start % quarter !== 0 || end % quarter !== 0 || (buckets[at + 1]?.start ?? end) !== end,
  );
  if (odd !== undefined)
    throw fault('warehouse-failed', `the bucket ${odd.start} does not consist of whole quarter hours`);
  const { value } = await valueOfServed(connection, account);
  const calls = await rows(interval(first.start, last.end));
  const column = by === 'model' ? 'model_name' : 'token_name';
  const starts = JSON.stringify(buckets.map(({ start }) => start));
  const found = await connection.rows(
    `
      WITH quarters AS (
        SELECT quarter, trim(${column}) AS entry, kind, sum(quota) AS amount, sum(abs(quota)) AS size, count(*) AS row_count
        FROM ${calls.sql}
        WHERE account = $account AND created_at >= $start AND created_at < $end
        GROUP BY quarter, trim(${column}), kind
      ), buckets AS (
        SELECT start_at, row_number() OVER (ORDER BY start_at) - 1 AS bucket
        FROM (SELECT unnest(from_json($starts, '["BIGINT"]')) AS start_at)
      )
      SELECT bucket, entry,
        coalesce(sum(amount) FILTER (WHERE kind = 'consumption'), 0) AS consumption,
        coalesce(sum(size) FILTER (WHERE kind = 'refund'), 0) AS refunds,
        coalesce(sum(size) FILTER (WHERE kind = 'top-up'), 0) AS top_ups,
        coalesce(sum(row_count) FILTER (WHERE kind IN ('consumption', 'refund')), 0) AS row_count
      FROM quarters ASOF JOIN buckets ON quarters.quarter >= buckets.start_at
      GROUP BY bucket, entry
      ORDER BY bucket, entry`,
    { account, start: first.start, end: last.end, starts, ...calls.bindings },
  );
  return found.map((row) => ({
    bucket: wholeNumber(row, 'bucket'),
    entry: text(row, 'entry'),
    ...totalsOf(row, value),
  }));
};
