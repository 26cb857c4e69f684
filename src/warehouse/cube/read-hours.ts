import { z } from 'zod';
import {
  daySeconds,
  money,
  unixSeconds,
  type Interval,
  type Money,
  type UnixSeconds,
} from '../../core/index.ts';
import { flag, text, wholeNumber, type AccountRows, type Bindings } from '../../storage/index.ts';
import { openHours } from '../rollup/hours.ts';
import { valueOfServed } from '../spend.ts';
import { inCurrency, servedAs } from './aggregates.ts';
import { readServices } from './services.ts';

/** SQL for the time of a row. `$start` is that of the range. */
const timeBy = {
  hour: 'hour_at',
  'hour-of-day': 'hour_at % 86400',
  day: '$start + (hour_at - $start) // 86400 * 86400',
  range: '$start',
} as const;

/** What hours are grouped by, and the column of calls that says it. */
const columnOf = { model: 'model_name', key: 'token_name', service: 'token_name' } as const;

export type HoursName = keyof typeof columnOf;

export type HoursQuery = {
  /** Whole hours of UTC; calls of the last one up to its end are read. */
  readonly range: Interval<UnixSeconds>;
  /** What a row is of; the account without a name. */
  readonly by: readonly HoursName[];
  /** What is a row: each hour, the same hour of all days, each 24 hours from the start of the range on, or the whole range. */
  readonly each: keyof typeof timeBy;
  /** Rows with less spend are left out. */
  readonly floor?: Money | undefined;
  /** Only what has one of these names; everything if omitted. */
  readonly only?: { readonly [Name in HoursName]?: readonly string[] } | undefined;
};

/** Asks for names whose last 24 hours of the range cost more than its first 24 hours. */
export type GrowthQuery = {
  /** Whole hours of UTC. */
  readonly range: Interval<UnixSeconds>;
  readonly by: 'model' | 'service';
  /** Less spend is no growth, of the 24 hours as of a single one. */
  readonly floor: number;
  /** Times the spend of the same hour of the first day, and calls in the same hour of all days before the last. */
  readonly hour: { readonly times: number; readonly calls: number };
  /** Times the spend of the first day. */
  readonly day: { readonly times: number };
};

/** Names of which an hour, or the 24 hours as a whole, has grown. Factors apply to sums in doubles. */
export type Growth = ReadonlyMap<string, { readonly hour: boolean; readonly day: boolean }>;

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

/** Sums of one name by their time, for what computes in doubles. Spend is in the currency of the account. */
export type HourSeries = ReadonlyMap<number, { readonly calls: number; readonly spend: number }>;

export type Hours = {
  /** The rows of each query. */
  readonly found: readonly (readonly HourSums[])[];
  /** The series of each query, by the name that it is grouped by; that of the account is empty. */
  readonly series: readonly ReadonlyMap<string, HourSeries>[];
  readonly growth: readonly Growth[];
  /** Whether the unit of the amounts is proven; otherwise they mean nothing, and nothing is read. */
  readonly isProven: boolean;
  /** The currency of the amounts; undefined before the first landing. */
  readonly currency: string | undefined;
};

export type HoursRequest = {
  readonly account: string;
  readonly queries?: readonly HoursQuery[];
  /** Grouped by one name at most. A hundred thousand sums are read in a fifth of the time that rows take. */
  readonly series?: readonly HoursQuery[];
  readonly growth?: readonly GrowthQuery[];
};

/** The ranges that a request reads. */
export const rangesOfHours = ({
  queries = [],
  series = [],
  growth = [],
}: HoursRequest): readonly Interval<UnixSeconds>[] => [
  ...[...queries, ...series].flatMap((query) => (isEmpty(query) ? [] : [query.range])),
  ...growth.map(({ range }) => range),
];

/** What `readHours` reads. */
export const hoursTables = ['log_amounts', 'key_lineage', 'rollup_hours', 'rollup_mark'] as const;

const sumsOfSeries = z.array(z.tuple([z.number(), z.number(), z.number()]));

/** Whether no row can be found: no statement is needed. */
const isEmpty = ({ range, only = {} }: HoursQuery): boolean =>
  range.end <= range.start || Object.values(only).some((names) => names.length === 0);

type Statement = { readonly sql: string; readonly bindings: Bindings };

/** Reads the queries as of one moment. */
export const readHours = async (rows: AccountRows, request: HoursRequest): Promise<Hours> => {
  const { account, queries = [], series: asked = [], growth: compared = [] } = request;
  const { connection } = rows;
  const amounts = await valueOfServed(connection, account);
  const { value, currency, isProven } = amounts;
  const ranges = rangesOfHours(request);
  if (!isProven || ranges.length === 0)
    return {
      found: queries.map(() => []),
      series: asked.map(() => new Map()),
      growth: compared.map(() => new Map()),
      isProven,
      currency,
    };
  const hoursIn = await openHours(rows, account, ranges);
  const served = servedAs(amounts);
  const services = [...(await readServices(connection, account))];
  const lineage = connection.table(
    { lineage_name: 'VARCHAR', lineage_service: 'VARCHAR' },
    services.map(([name, service]) => ({ lineage_name: name, lineage_service: service })),
  );
  /** SQL for a name of a call. */
  const nameSql = (name: HoursName): string =>
    name === 'service' && services.length > 0 ? 'coalesce(lineage_service, token_name)' : columnOf[name];

  const statementOf = async ({ range, by, each, only = {}, floor }: HoursQuery): Promise<Statement> => {
    const left = (['model', 'key', 'service'] as const).filter((name) => only[name] !== undefined);
    const relation = await hoursIn(
      range,
      [...by, ...left].map((name) => columnOf[name]),
    );
    const isByService = services.length > 0 && [...by, ...left].includes('service');
    const conditions = [
      'hour_at >= $start AND hour_at < $end',
      `kind IN ('consumption', 'refund')`,
      ...left.map((name) => `${nameSql(name)} IN (SELECT unnest($only_${name}))`),
    ];
    return {
      sql: `SELECT ${[
        `CAST(${timeBy[each]} AS BIGINT) AS moment`,
        ...by.map((name) => `${nameSql(name)} AS ${name}`),
        `coalesce(sum(row_count) FILTER (kind = 'consumption'), 0) AS calls`,
        `${inCurrency(`coalesce(sum(quota) FILTER (kind = 'consumption'), 0) - coalesce(sum(size) FILTER (kind = 'refund'), 0)`, served)} AS spend`,
      ].join(', ')}
       FROM ${relation.sql}${isByService ? ` LEFT JOIN ${lineage.sql} ON lineage_name = token_name` : ''}
       WHERE ${conditions.join(' AND ')} GROUP BY ALL${floor === undefined ? '' : ' HAVING spend >= CAST($floor AS DECIMAL(38, 12))'}`,
      bindings: {
        ...relation.bindings,
        ...(isByService ? lineage.bindings : {}),
        start: range.start,
        end: range.end,
        ...Object.fromEntries(left.map((name) => [`only_${name}`, only[name] ?? []])),
        ...(floor === undefined ? {} : { floor }),
        ...(served.inUnits ? { value } : {}),
      },
    };
  };

  const found: HourSums[][] = [];
  for (const query of queries) {
    const { by } = query;
    if (isEmpty(query)) {
      found.push([]);
      continue;
    }
    const { sql, bindings } = await statementOf(query);
    const read = await connection.rows(sql, bindings);
    found.push(
      read.map((row) => ({
        at: unixSeconds(wholeNumber(row, 'moment')),
        model: by.includes('model') ? text(row, 'model') : '',
        key: by.includes('key') ? text(row, 'key') : '',
        service: by.includes('service') ? text(row, 'service') : '',
        calls: wholeNumber(row, 'calls'),
        spend: money(text(row, 'spend')),
      })),
    );
  }
  const series: ReadonlyMap<string, HourSeries>[] = [];
  for (const query of asked) {
    if (isEmpty(query)) {
      series.push(new Map());
      continue;
    }
    const [name = `''`] = query.by;
    const { sql, bindings } = await statementOf(query);
    const read = await connection.rows(
      `SELECT ${name} AS name, CAST(to_json(list([moment, calls, CAST(spend AS DOUBLE)])) AS VARCHAR) AS sums
       FROM (${sql}) GROUP BY ALL`,
      bindings,
    );
    series.push(
      new Map(
        read.map((row) => [
          text(row, 'name'),
          new Map(
            sumsOfSeries
              .parse(JSON.parse(text(row, 'sums')))
              .map(([at, calls, spend]) => [at, { calls, spend }]),
          ),
        ]),
      ),
    );
  }
  const growth: Growth[] = [];
  const double = (name: string): string => `CAST($${name} AS DOUBLE)`;
  for (const { range, by, floor, hour, day } of compared) {
    const relation = await hoursIn(range, [columnOf[by]]);
    const isByService = services.length > 0 && by === 'service';
    const spendIf = (condition: string): string =>
      `CAST(${inCurrency(`coalesce(sum(CASE kind WHEN 'consumption' THEN quota ELSE -size END) FILTER (${condition}), 0)`, served)} AS DOUBLE)`;
    const read = await connection.rows(
      `SELECT name, bool_or(calls >= $calls AND spend >= ${double('floor')} AND spend >= ${double('hour')} * before) AS hour,
         sum(spend) >= ${double('floor')} AND sum(spend) >= ${double('day')} * sum(before) AS day
       FROM (
         SELECT ${nameSql(by)} AS name, hour_at % 86400 AS hour_of_day,
           coalesce(sum(row_count) FILTER (kind = 'consumption' AND hour_at < $last), 0) AS calls,
           ${spendIf('hour_at >= $last')} AS spend, ${spendIf('hour_at < $second')} AS before
         FROM ${relation.sql}${isByService ? ` LEFT JOIN ${lineage.sql} ON lineage_name = token_name` : ''}
         WHERE hour_at >= $start AND hour_at < $end AND kind IN ('consumption', 'refund') GROUP BY ALL)
       GROUP BY name HAVING hour OR day`,
      {
        ...relation.bindings,
        ...(isByService ? lineage.bindings : {}),
        start: range.start,
        second: range.start + daySeconds,
        last: range.end - daySeconds,
        end: range.end,
        calls: hour.calls,
        floor: String(floor),
        hour: String(hour.times),
        day: String(day.times),
        ...(served.inUnits ? { value } : {}),
      },
    );
    growth.push(
      new Map(read.map((row) => [text(row, 'name'), { hour: flag(row, 'hour'), day: flag(row, 'day') }])),
    );
  }
  return { found, series, growth, isProven, currency };
};
