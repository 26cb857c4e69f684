import {
  addMonths,
  compareMoney,
  daysOfMonth,
  interval,
  money,
  startOfDay,
  type Interval,
  type LocalDay,
  type Money,
  type UnixMillis,
  type UnixSeconds,
} from '../../core/index.ts';
import { boundRows, text, wholeNumber, type RowChange } from '../../storage/index.ts';
import { inCurrency, spendOf, type Served, servedAs } from '../cube/aggregates.ts';
import type { ModelPrice } from '../cube/cube-request.ts';
import { readServices } from '../cube/services.ts';
import { valueOfServed } from '../spend.ts';
import { countedClasses } from '../tokens/class-names.ts';
import { lastUnit, writePrices } from './month-prices.ts';
import { readClosedMonths, type ClosedMonth } from './closed-rows.ts';

export type MonthToClose = {
  readonly account: string;
  /** `2026-10` */
  readonly month: string;
  /** The zone of its days. All months of an account are closed in one zone. */
  readonly zone: string;
  /** What the report that closes it shows as consumption less refunds: its rows have to add up to it. */
  readonly spend: Money;
  readonly currency: string;
  /** What the comparison with the gateway says. */
  readonly verdict: string;
  /** Where the call log ends. */
  readonly reached: UnixSeconds;
  /** Prices of the configuration. */
  readonly prices?: readonly ModelPrice[];
};

/**
 * `known`: it was closed before. Else nothing is stored: in `other-zone`, months of the account are closed in another zone; in `changed`,
 * the log no longer has the sum of the report; in `unproven`, the unit of the amounts is not proven.
 */
export type Closing =
  | { readonly state: 'closed'; readonly month: ClosedMonth; readonly corrections: number }
  | { readonly state: 'known'; readonly month: ClosedMonth }
  | { readonly state: 'other-zone'; readonly zone: string }
  | { readonly state: 'changed'; readonly spend: Money }
  | { readonly state: 'unproven' };

type DayOfMonth = LocalDay & { readonly month: string };

/** The local days of a month. */
const monthDays = (month: string, zone: string): readonly DayOfMonth[] =>
  daysOfMonth(month, zone).map((day) => ({ ...day, month }));

/** The month in its zone. */
export const rangeOfMonth = (month: string, zone: string): Interval<UnixSeconds> => {
  const first = `${month}-01`;
  return interval(startOfDay(first, zone), startOfDay(addMonths(first, 1), zone));
};

/** The sums of the log by day, model, key and kind, in the table `log_now`. */
const sumLog = async (
  { connection, rollup }: RowChange,
  { account, zone }: MonthToClose,
  days: readonly DayOfMonth[],
  range: Interval<UnixSeconds>,
  served: Served,
): Promise<void> => {
  const cells = await rollup(zone)(range, [
    'model_name',
    'token_name',
    'input_counts',
    'output_counts',
    ...countedClasses,
  ]);
  const services = await readServices(connection, account);
  const columns = { month: 'VARCHAR', day: 'VARCHAR', start_at: 'BIGINT', end_at: 'BIGINT' } as const;
  const dayTable = connection.table(
    columns,
    days.map(({ month, date, start, end }) => ({ month, day: date, start_at: start, end_at: end })),
  );
  await connection.execute(
    `CREATE OR REPLACE TEMP TABLE log_now AS
     SELECT month, day, model_name, token_name, token_name AS service, kind, CAST(sum(row_count) AS BIGINT) AS calls,
       ${inCurrency(`coalesce(sum(${spendOf('quota', 'size')}), 0)`, served)} AS charge,
       CAST(coalesce(sum(row_count) FILTER (input_counts <> 'known' OR output_counts <> 'known'), 0) AS BIGINT) AS unstated_calls,
       ${countedClasses.map((name) => `CAST(sum(${name}) AS BIGINT) AS ${name}`).join(', ')}
     FROM ${cells.sql} JOIN ${dayTable.sql} AS days ON created_at >= days.start_at AND created_at < days.end_at
     WHERE account = $account AND created_at >= $start AND created_at < $end AND kind IN ('consumption', 'refund')
     GROUP BY month, day, model_name, token_name, kind`,
    {
      ...cells.bindings,
      ...dayTable.bindings,
      account,
      ...range,
      ...(served.inUnits ? { value: served.value } : {}),
    },
  );
  await boundRows(connection, { name: 'VARCHAR', service: 'VARCHAR' }, [...services], ([name, service]) => ({
    name,
    service,
  })).execute(
    (table) =>
      `UPDATE log_now SET service = known.service FROM ${table} AS known WHERE known.name = log_now.token_name`,
  );
};

/** What the log has of the month. */
const figuresOf = async (
  { connection }: RowChange,
  { month }: MonthToClose,
): Promise<Pick<ClosedMonth, 'rows' | 'calls' | 'spend'>> => {
  const [row = {}] = await connection.rows(
    `SELECT count(*) AS row_count, coalesce(sum(calls) FILTER (kind = 'consumption'), 0) AS calls, coalesce(sum(charge), 0) AS spend
     FROM log_now WHERE month = $month`,
    { month },
  );
  return {
    rows: wholeNumber(row, 'row_count'),
    calls: wholeNumber(row, 'calls'),
    spend: money(text(row, 'spend')),
  };
};

/** Adds what changed in the closed months before this one since it was booked last. Returns the number of rows. */
const writeCorrections = async (
  { connection }: RowChange,
  { account, month }: MonthToClose,
): Promise<number> =>
  connection.execute(
    `INSERT INTO closed_correction (account, booked_month, month, day, model_name, token_name, service, kind,
       old_calls, new_calls, old_charge, new_charge)
     SELECT $account, $month, month, day, model_name, token_name,
       coalesce(max(booked_service), max(service)), kind, CAST(sum(old_calls) AS BIGINT), CAST(sum(new_calls) AS BIGINT),
       CAST(sum(old_charge) AS DECIMAL(38, 12)), CAST(sum(new_charge) AS DECIMAL(38, 12))
     FROM (
       SELECT month, day, model_name, token_name, NULL AS booked_service, service, kind, 0 AS old_calls, calls AS new_calls,
         0 AS old_charge, charge AS new_charge
       FROM log_now WHERE month < $month
       UNION ALL
       SELECT month, day, model_name, token_name, service, NULL, kind, calls, 0, charge, 0
       FROM closed_row WHERE account = $account AND month < $month
       UNION ALL
       SELECT month, day, model_name, token_name, service, NULL, kind, new_calls - old_calls, 0, new_charge - old_charge, 0
       FROM closed_correction WHERE account = $account AND month < $month
     ) AS booked
     GROUP BY month, day, model_name, token_name, kind
     HAVING sum(old_calls) <> sum(new_calls) OR sum(old_charge) <> sum(new_charge)`,
    { account, month },
  );

/**
 * Closes a month in the transaction of the change: its rows, and what changed in the closed months before it since these were
 * closed.
 */
export const closeMonth = async (
  change: RowChange,
  request: MonthToClose,
  now: UnixMillis,
): Promise<Closing> => {
  const { account, month, zone, spend, currency, verdict, reached, prices = [] } = request;
  const { connection } = change;
  const closed = await readClosedMonths(connection, account);
  const known = closed.find((one) => one.month === month);
  if (known !== undefined) return { state: 'known', month: known };
  const [first] = closed;
  if (first !== undefined && first.zone !== zone) return { state: 'other-zone', zone: first.zone };
  const earlier = closed.filter((one) => one.month < month);
  const range = rangeOfMonth(month, zone);
  const own = monthDays(month, zone);
  const days = [...earlier.flatMap((one) => monthDays(one.month, zone)), ...own];
  const amounts = await valueOfServed(connection, account);
  const { isProven } = amounts;
  const served = servedAs(amounts);
  const whole = interval(earlier[0]?.range.start ?? range.start, range.end);
  await sumLog(change, request, days, whole, served);
  const { rows, calls, spend: sum } = await figuresOf(change, request);
  if (rows > 0 && !isProven) return { state: 'unproven' };
  if (compareMoney(sum, spend) !== 0) return { state: 'changed', spend: sum };
  const names = [
    'model_name',
    'token_name',
    'service',
    'kind',
    'calls',
    'charge',
    'unstated_calls',
    ...countedClasses,
  ];
  await connection.execute(
    `INSERT INTO closed_row (account, month, day, ${names.join(', ')})
     SELECT $account, month, day, ${names.join(', ')} FROM log_now WHERE month = $month`,
    { account, month },
  );
  const corrections = earlier.length === 0 ? 0 : await writeCorrections(change, request);
  await writePrices(change, { account, month, days: own, currency, prices, served });
  const unit = await lastUnit(change, account, range, served);
  await connection.execute(
    `INSERT INTO closed_month (account, month, zone, start_at, end_at, currency, unit, calls, spend, row_count, verdict, reached, closed_at)
     VALUES ($account, $month, $zone, $start, $end, $currency, CAST($unit AS DECIMAL(28, 12)), $calls, CAST($spend AS DECIMAL(38, 12)), $rows, $verdict, $reached, $now)`,
    {
      account,
      month,
      zone,
      ...range,
      currency,
      unit,
      calls,
      spend,
      rows,
      verdict,
      reached,
      now,
    },
  );
  await connection.execute('DROP TABLE log_now');
  return {
    state: 'closed',
    month: { month, zone, range, currency, unit, calls, spend, rows, verdict, reached, closedAt: now },
    corrections,
  };
};
