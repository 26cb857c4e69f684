import { money, unixSeconds, type Interval, type Money, type UnixSeconds } from '../../core/index.ts';
import { text, wholeNumber, type AccountRows } from '../../storage/index.ts';
import { hoursIn } from '../rollup/hours.ts';
import { valueOfServed } from '../spend.ts';
import { inCurrency, servedAs } from './aggregates.ts';
import { readServices, serviceIn } from './services.ts';

/** SQL for the time of a row. `$start` is that of the range. */
const timeBy = {
  hour: 'hour_at',
  'hour-of-day': 'hour_at % 86400',
  day: '$start + (hour_at - $start) // 86400 * 86400',
  range: '$start',
} as const;

/** What hours are grouped by; `account` by nothing. */
export type HoursBy = keyof typeof columnsBy;

const columnsBy = {
  account: [],
  model: ['model_name'],
  key: ['token_name'],
  pair: ['model_name', 'token_name'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type HoursQuery = {
  /** Whole hours of UTC; calls of the last one up to its end are read. */
  readonly range: Interval<UnixSeconds>;
  readonly by: HoursBy;
  /** What is a row: each hour, the same hour of all days, each 24 hours from the start of the range on, or the whole range. */
  readonly each: keyof typeof timeBy;
  /** Rows with fewer calls, or less spend, are left out. */
  readonly least?: { readonly calls?: number; readonly spend?: Money } | undefined;
  /** Only these models, or keys; all if omitted. */
  readonly models?: readonly string[] | undefined;
  readonly keys?: readonly string[] | undefined;
};

/** Sums over the calls and refunds of an hour, or of the range. */
export type HourSums = {
  /** The start of the hour, the day or the range, seconds UTC; for the same hour of all days the second of the day. */
  readonly at: UnixSeconds;
  /** A name that the sums are not grouped by is empty. */
  readonly model: string;
  readonly key: string;
  readonly service: string;
  readonly calls: number;
  /** Consumption less refunds, in the currency of the account. */
  readonly spend: Money;
};

export type Hours = {
  /** The rows of each query. */
  readonly found: readonly (readonly HourSums[])[];
  /** Whether the unit of the amounts is proven; otherwise they mean nothing. */
  readonly isProven: boolean;
  /** The currency of the amounts; undefined before the first landing. */
  readonly currency: string | undefined;
};

/** What `readHours` reads. */
export const hoursTables = ['log_amounts', 'key_lineage', 'rollup_hours', 'rollup_mark'] as const;

/** Reads the queries as of one moment. */
export const readHours = async (
  rows: AccountRows,
  account: string,
  queries: readonly HoursQuery[],
): Promise<Hours> => {
  const { connection } = rows;
  const amounts = await valueOfServed(connection, account);
  const { value, currency, isProven } = amounts;
  const served = servedAs(amounts);
  const serviceOf = serviceIn(await readServices(connection, account));
  const found: HourSums[][] = [];
  for (const { range, by, each, models, keys, least } of queries) {
    const own: readonly string[] = columnsBy[by];
    if (range.end <= range.start) {
      found.push([]);
      continue;
    }
    const relation = await hoursIn(rows, account, range, [
      ...own,
      ...(models === undefined ? [] : ['model_name']),
      ...(keys === undefined ? [] : ['token_name']),
    ]);
    const conditions = [
      'hour_at >= $start AND hour_at < $end',
      `kind IN ('consumption', 'refund')`,
      ...(models === undefined ? [] : ['model_name IN (SELECT unnest($models))']),
      ...(keys === undefined ? [] : ['token_name IN (SELECT unnest($keys))']),
    ];
    const having = [
      ...(least?.calls === undefined ? [] : ['calls >= $least_calls']),
      ...(least?.spend === undefined ? [] : ['spend >= CAST($least_spend AS DECIMAL(38, 12))']),
    ];
    const read = await connection.rows(
      `SELECT ${[
        `CAST(${timeBy[each]} AS BIGINT) AS at`,
        ...own,
        `coalesce(sum(row_count) FILTER (kind = 'consumption'), 0) AS calls`,
        `${inCurrency(`coalesce(sum(quota) FILTER (kind = 'consumption'), 0) - coalesce(sum(size) FILTER (kind = 'refund'), 0)`, served)} AS spend`,
      ].join(', ')}
       FROM ${relation.sql} WHERE ${conditions.join(' AND ')} GROUP BY ALL${having.length === 0 ? '' : ` HAVING ${having.join(' AND ')}`}`,
      {
        ...relation.bindings,
        account,
        start: range.start,
        end: range.end,
        ...(models === undefined ? {} : { models }),
        ...(keys === undefined ? {} : { keys }),
        ...(least?.calls === undefined ? {} : { least_calls: least.calls }),
        ...(least?.spend === undefined ? {} : { least_spend: least.spend }),
        ...(served.inUnits ? { value } : {}),
      },
    );
    found.push(
      read.map((row) => {
        const key = own.includes('token_name') ? text(row, 'token_name') : '';
        return {
          at: unixSeconds(wholeNumber(row, 'at')),
          model: own.includes('model_name') ? text(row, 'model_name') : '',
          key,
          service: own.includes('token_name') ? serviceOf(key) : '',
          calls: wholeNumber(row, 'calls'),
          spend: money(text(row, 'spend')),
        };
      }),
    );
  }
  return { found, isProven, currency };
};
