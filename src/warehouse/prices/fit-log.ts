import {
  unixSeconds,
  type Interval,
  type Money,
  type PricedClass,
  type UnixSeconds,
} from '../../core/index.ts';
import { optionalText, text, wholeNumber, type AccountRows, type Row } from '../../storage/index.ts';
import { servedAs, whereSql } from '../cube/aggregates.ts';
import { lastUnit } from '../closed/month-prices.ts';
import { classes, fitOf, fitSql, sumsOf } from '../report-views/fitted-prices.ts';
import { callsWith } from '../rollup/cells.ts';
import { valueOfServed } from '../spend.ts';

/** What explains the charges of a model, or of one key of it: prices in doubles, in the currency of the account. */
export type LogPrices = {
  readonly model: string;
  /** Empty: of all keys. */
  readonly key: string;
  /** Of one token. A class that is missing has no tokens, or its price is open. */
  readonly prices: Readonly<Partial<Record<PricedClass, number>>>;
  readonly perCall: number;
  /** What each class costs of the charge, from 0 to 1. */
  readonly shares: Readonly<Partial<Record<PricedClass, number>>>;
};

export type FitRequest = {
  readonly account: string;
  readonly range: Interval<UnixSeconds>;
  readonly by: 'model' | 'pair';
  readonly models?: readonly string[] | undefined;
  readonly keys?: readonly string[] | undefined;
};

export type FittedLog = {
  readonly fits: readonly LogPrices[];
  readonly isProven: boolean;
  readonly currency: string | undefined;
};

/** The calls of a quarter hour of a model, or of one key of it, beside what they would cost by given prices. */
export type PricedQuarter = {
  /** The position of the given prices. */
  readonly of: number;
  readonly at: UnixSeconds;
  readonly calls: number;
  /** Calls whose charge is not that of the prices. */
  readonly deviating: number;
  /** The first of them. */
  readonly first: UnixSeconds | undefined;
  readonly charge: number;
  readonly expected: number;
};

/** What the reads of this file touch, besides the calls. */
export const priceTables = ['log_amounts', 'token_convention'] as const;

/** How far a charge may be from its prices: half the last unit of the log, and this share. */
const tolerance = 0.005;

const defined = <Value>(entries: readonly (readonly [string, Value | undefined])[]) =>
  Object.fromEntries(entries.filter(([, value]) => value !== undefined));

const pricesIn = (row: Row, key: string): readonly LogPrices[] => {
  const sums = sumsOf(row);
  const fit = fitOf(sums);
  if (fit === undefined || !(sums.charge > 0)) return [];
  return [
    {
      model: text(row, 'model_name'),
      key,
      prices: defined(classes.map((name, at) => [name, fit.prices[at]])),
      perCall: fit.prices[classes.length] ?? 0,
      shares: defined(
        classes.map((name, at) => {
          const price = fit.prices[at];
          return [
            name,
            price === undefined ? undefined : (price * Number(text(row, `sum_${at}`))) / sums.charge,
          ];
        }),
      ),
    },
  ];
};

/** Prices that explain the charges of a range, of each model or of each key of it; those that none explain are left out. */
export const fitLog = async (
  work: AccountRows,
  { account, range, by, models, keys }: FitRequest,
): Promise<FittedLog> => {
  const { connection, rows } = work;
  const amounts = await valueOfServed(connection, account);
  const { currency, isProven } = amounts;
  const served = servedAs(amounts);
  const left = { ...(models === undefined ? {} : { models }), ...(keys === undefined ? {} : { keys }) };
  const names = by === 'model' ? (['model_name'] as const) : (['model_name', 'token_name'] as const);
  const { sql, bindings } = await fitSql({ request: { account }, served, rows, left }, range, names);
  const found = await connection.rows(sql, bindings);
  return {
    fits: found.flatMap((row) => pricesIn(row, by === 'pair' ? text(row, 'token_name') : '')),
    isProven,
    currency,
  };
};

/** The last unit of the amounts of a range, in the currency. */
export const unitOf = async (
  work: AccountRows,
  account: string,
  range: Interval<UnixSeconds>,
): Promise<Money> => lastUnit(work, account, range, servedAs(await valueOfServed(work.connection, account)));

/** The calls of a range by quarter hour, beside what they cost by prices. Calls whose classes have no price, or are not known, are left out. */
export const compareWithPrices = async (
  work: AccountRows,
  account: string,
  range: Interval<UnixSeconds>,
  given: readonly LogPrices[],
  unit: Money,
): Promise<readonly PricedQuarter[]> => {
  if (given.length === 0 || range.end <= range.start) return [];
  const { connection, rows } = work;
  const served = servedAs(await valueOfServed(connection, account));
  const calls = await rows(range);
  const priceColumns = Object.fromEntries(classes.map((name) => [`price_${name}`, 'VARCHAR'])) as Readonly<
    Record<string, 'VARCHAR'>
  >;
  const fits = connection.table(
    { number: 'BIGINT', fit_model: 'VARCHAR', fit_key: 'VARCHAR', per_call: 'VARCHAR', ...priceColumns },
    given.map(({ model, key, perCall, prices }, number) => ({
      number,
      fit_model: model,
      fit_key: key,
      per_call: String(perCall),
      ...Object.fromEntries(
        classes.map((name) => [`price_${name}`, prices[name] === undefined ? null : String(prices[name])]),
      ),
    })),
  );
  const price = (name: string): string => `CAST(price_${name} AS DOUBLE)`;
  const expected = [
    'CAST(per_call AS DOUBLE)',
    ...classes.map((name) => `coalesce(${name}, 0) * coalesce(${price(name)}, 0)`),
  ].join(' + ');
  const left = { models: [...new Set(given.map(({ model }) => model))] };
  const found = await connection.rows(
    `WITH priced AS (
       SELECT number, created_at, CAST(quota AS DOUBLE)${served.inUnits ? ' * CAST($value AS DOUBLE)' : ''} AS charge, ${expected} AS expected
       FROM ${callsWith(classes, calls)}
       JOIN ${fits.sql} AS fit ON fit.fit_model = model_name AND (fit.fit_key = '' OR fit.fit_key = token_name)
       WHERE ${whereSql(left)} AND kind = 'consumption' AND input_counts = 'known' AND output_counts <> 'lower bound'
         AND coalesce(input_unclassified_tokens, 0) = 0 AND coalesce(output_unclassified_tokens, 0) = 0
         AND NOT (${classes.map((name) => `(price_${name} IS NULL AND coalesce(${name}, 0) > 0)`).join(' OR ')})
     ),
     judged AS (
       SELECT *, abs(charge - expected) > CAST($unit AS DOUBLE) / 2 + ${tolerance} * expected AS deviates FROM priced WHERE expected > 0
     )
     SELECT number, CAST(created_at // 900 * 900 AS BIGINT) AS quarter_at, count(*) AS calls,
       count(*) FILTER (deviates) AS deviating, min(created_at) FILTER (deviates) AS first,
       fsum(charge) AS charge, fsum(expected) AS expected
     FROM judged GROUP BY ALL ORDER BY number, quarter_at`,
    {
      ...calls.bindings,
      ...fits.bindings,
      account,
      start: range.start,
      end: range.end,
      models: left.models,
      unit,
      ...(served.inUnits ? { value: served.value } : {}),
    },
  );
  return found.map((row) => {
    const first = optionalText(row, 'first');
    return {
      of: wholeNumber(row, 'number'),
      at: unixSeconds(wholeNumber(row, 'quarter_at')),
      calls: wholeNumber(row, 'calls'),
      deviating: wholeNumber(row, 'deviating'),
      first: first === undefined ? undefined : unixSeconds(Number(first)),
      charge: Number(text(row, 'charge')),
      expected: Number(text(row, 'expected')),
    };
  });
};
