import { z } from 'zod';
import {
  daySeconds,
  money,
  unixSeconds,
  type Interval,
  type Money,
  type UnixSeconds,
} from '../../core/index.ts';
import {
  flag,
  text,
  wholeNumber,
  type AccountRows,
  type Bindings,
  type Relation,
  type Row,
} from '../../storage/index.ts';
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

/** Hours that are read, and how they are summed. */
type HoursOf = {
  /** Whole hours of UTC; calls of the last one up to its end are read. */
  readonly range: Interval<UnixSeconds>;
  /** What a sum is of: each hour, the same hour of all days, each 24 hours from the start of the range on, or the whole range. */
  readonly each: keyof typeof timeBy;
};

/** Asks for exact sums. All hours by model and key are read: there are far more of them than by one name. */
export type HoursQuery = HoursOf & {
  /** What a row is of; the account without a name. */
  readonly by: readonly HoursName[];
  /** Only what has one of these names; everything if omitted. */
  readonly only?: { readonly [Name in HoursName]?: readonly string[] } | undefined;
};

/** Asks for sums in doubles, by one name. */
export type SeriesQuery = HoursOf & {
  /** The account, by the empty name, if omitted. */
  readonly by?: HoursName;
  /** Only these names; all if omitted. */
  readonly only?: readonly string[] | undefined;
  /** Sums with less spend are left out. */
  readonly floor?: number | undefined;
};

/** Asks for names whose last 24 hours of the range cost more than its first 24 hours. */
export type GrowthQuery = {
  /** Whole hours of UTC. */
  readonly range: Interval<UnixSeconds>;
  readonly by: HoursName;
  /** Less spend is no growth, of the 24 hours as of a single one. */
  readonly floor: number;
  /** Times the spend of the same hour of the first day, and calls in the same hour of all days before the last. */
  readonly hour: { readonly times: number; readonly calls: number };
  /** Times the spend of the first day. */
  readonly day: { readonly times: number };
};

/** Names of which an hour, or the 24 hours as a whole, has grown. */
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

/** Sums of one name by their time. Spend is in the currency of the account. */
export type HourSeries = ReadonlyMap<number, { readonly calls: number; readonly spend: number }>;

export type Hours = {
  /** The rows of each query. */
  readonly found: readonly (readonly HourSums[])[];
  /** The sums of each series, by the name. */
  readonly series: readonly ReadonlyMap<string, HourSeries>[];
  readonly growth: readonly Growth[];
  /** Whether the unit of the amounts is proven; otherwise they mean nothing, and nothing is read. */
  readonly isProven: boolean;
  /** The currency of the amounts; undefined before the first landing. */
  readonly currency: string | undefined;
};

/** Series and growth are for what judges hours: they are read several times faster than exact sums. */
export type HoursRequest = {
  readonly account: string;
  readonly queries?: readonly HoursQuery[];
  readonly series?: readonly SeriesQuery[];
  readonly growth?: readonly GrowthQuery[];
};

const isEmptyRange = ({ range }: Pick<HoursOf, 'range'>): boolean => range.end <= range.start;

/** Whether no row can be found: no statement is needed. */
const isEmpty = (query: HoursQuery): boolean =>
  isEmptyRange(query) || Object.values(query.only ?? {}).some((names) => names.length === 0);

const isEmptySeries = (query: SeriesQuery): boolean => isEmptyRange(query) || query.only?.length === 0;

/** The ranges that a request reads. */
export const rangesOfHours = ({
  queries = [],
  series = [],
  growth = [],
}: HoursRequest): readonly Interval<UnixSeconds>[] =>
  [
    ...queries.filter((query) => !isEmpty(query)),
    ...series.filter((query) => !isEmptySeries(query)),
    ...growth.filter((query) => !isEmptyRange(query)),
  ].map(({ range }) => range);

/** What `readHours` reads. */
export const hoursTables = ['log_amounts', 'key_lineage', 'rollup_hours', 'rollup_mark'] as const;

const sumsOfSeries = z.array(z.tuple([z.number(), z.number(), z.number()]));

type Statement = { readonly sql: string; readonly bindings: Bindings };

const asDouble = (name: string): string => `CAST($${name} AS DOUBLE)`;

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
  /** The relation with the services of its keys, if they are asked for. */
  const withServices = ({ sql, bindings }: Relation, names: readonly (HoursName | undefined)[]): Relation =>
    services.length > 0 && names.includes('service')
      ? {
          sql: `${sql} LEFT JOIN ${lineage.sql} ON lineage_name = token_name`,
          bindings: { ...bindings, ...lineage.bindings },
        }
      : { sql, bindings };
  const ofRange = 'hour_at >= $start AND hour_at < $end';
  const unit = served.inUnits ? { value } : {};

  const exactSql = async ({ range, by, each, only = {} }: HoursQuery): Promise<Statement> => {
    const left = (['model', 'key', 'service'] as const).filter((name) => only[name] !== undefined);
    const hours = withServices(await hoursIn.exact(range), [...by, ...left]);
    const conditions = [ofRange, ...left.map((name) => `${nameSql(name)} IN (SELECT unnest($only_${name}))`)];
    return {
      sql: `SELECT ${[
        `CAST(${timeBy[each]} AS BIGINT) AS moment`,
        ...by.map((name) => `${nameSql(name)} AS ${name}`),
        'coalesce(sum(calls), 0) AS calls',
        `${inCurrency('coalesce(sum(spend), 0)', served)} AS spend`,
      ].join(', ')}
       FROM ${hours.sql} WHERE ${conditions.join(' AND ')} GROUP BY ALL`,
      bindings: {
        ...hours.bindings,
        start: range.start,
        end: range.end,
        ...Object.fromEntries(left.map((name) => [`only_${name}`, only[name] ?? []])),
        ...unit,
      },
    };
  };

  /** A sum of spend that was stored, in the currency. */
  const spendSql = (sum: string): string => (served.inUnits ? `${sum} * ${asDouble('value')}` : sum);

  const seriesSql = async ({ range, by, each, only, floor }: SeriesQuery): Promise<Statement> => {
    const hours = withServices(await hoursIn.judged(range, by === undefined ? 'model_name' : columnOf[by]), [
      by,
    ]);
    const name = by === undefined ? `''` : nameSql(by);
    return {
      sql: `SELECT name, CAST(to_json(list([moment, calls, spend])) AS VARCHAR) AS sums
       FROM (
         SELECT ${name} AS name, CAST(${timeBy[each]} AS BIGINT) AS moment, coalesce(sum(calls), 0) AS calls, ${spendSql('coalesce(sum(spend), 0)')} AS spend
         FROM ${hours.sql} WHERE ${ofRange}${only === undefined ? '' : ` AND ${name} IN (SELECT unnest($only))`}
         GROUP BY ALL${floor === undefined ? '' : ` HAVING spend >= ${asDouble('floor')}`})
       GROUP BY name`,
      bindings: {
        ...hours.bindings,
        start: range.start,
        end: range.end,
        ...(only === undefined ? {} : { only }),
        ...(floor === undefined ? {} : { floor: String(floor) }),
        ...unit,
      },
    };
  };

  const growthSql = async ({ range, by, floor, hour, day }: GrowthQuery): Promise<Statement> => {
    const hours = withServices(await hoursIn.judged(range, columnOf[by]), [by]);
    const spendIf = (condition: string): string => spendSql(`coalesce(sum(spend) FILTER (${condition}), 0)`);
    return {
      sql: `SELECT name, bool_or(calls >= $calls AND spend >= ${asDouble('floor')} AND spend >= ${asDouble('hour')} * before) AS hour,
         sum(spend) >= ${asDouble('floor')} AND sum(spend) >= ${asDouble('day')} * sum(before) AS day
       FROM (
         SELECT ${nameSql(by)} AS name, hour_at % 86400 AS hour_of_day, coalesce(sum(calls) FILTER (hour_at < $last), 0) AS calls,
           ${spendIf('hour_at >= $last')} AS spend, ${spendIf('hour_at < $second')} AS before
         FROM ${hours.sql} WHERE ${ofRange} GROUP BY ALL)
       GROUP BY name HAVING hour OR day`,
      bindings: {
        ...hours.bindings,
        start: range.start,
        second: range.start + daySeconds,
        last: range.end - daySeconds,
        end: range.end,
        calls: hour.calls,
        floor: String(floor),
        hour: String(hour.times),
        day: String(day.times),
        ...unit,
      },
    };
  };

  const rowsOf = async (isNone: boolean, statement: () => Promise<Statement>): Promise<readonly Row[]> => {
    if (isNone) return [];
    const { sql, bindings } = await statement();
    return connection.rows(sql, bindings);
  };
  const found: HourSums[][] = [];
  for (const query of queries) {
    const { by } = query;
    const read = await rowsOf(isEmpty(query), () => exactSql(query));
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
  const sumsOf = (row: Row): HourSeries =>
    new Map(
      sumsOfSeries.parse(JSON.parse(text(row, 'sums'))).map(([at, calls, spend]) => [at, { calls, spend }]),
    );
  const series: ReadonlyMap<string, HourSeries>[] = [];
  for (const query of asked) {
    const read = await rowsOf(isEmptySeries(query), () => seriesSql(query));
    series.push(new Map(read.map((row) => [text(row, 'name'), sumsOf(row)])));
  }
  const growth: Growth[] = [];
  for (const query of compared) {
    const read = await rowsOf(isEmptyRange(query), () => growthSql(query));
    growth.push(
      new Map(read.map((row) => [text(row, 'name'), { hour: flag(row, 'hour'), day: flag(row, 'day') }])),
    );
  }
  return { found, series, growth, isProven, currency };
};
