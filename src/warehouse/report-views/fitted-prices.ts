import {
  interval,
  money,
  pricedTokens,
  unixSeconds,
  type Interval,
  type Money,
  type PricedClass,
  type UnixSeconds,
} from '../../core/index.ts';
import { bindingsOver, inCurrency, whereSql } from '../cube/aggregates.ts';
import { callsWith } from '../rollup/cells.ts';
import { text, type Bindings, type Row, type RowSource } from '../../storage/index.ts';
import { fitPrices, type FitSums, type PriceFit } from './fit-prices.ts';
import { priceColumns } from './given.ts';
import { columnsOf } from './relation.ts';
import type { ReportView, ViewInput, ViewRow } from './view.ts';

const unclassified = ['input_unclassified_tokens', 'output_unclassified_tokens'] as const;
export const classes = pricedTokens.map((counted) => counted.class);
const counts = [...classes, 'calls'];

/** Pairs of counts, each once. */
const pairs = counts.flatMap((_, row) => counts.slice(row).map((__, step) => [row, row + step] as const));

const number = (row: Row, column: string): number => Number(text(row, column));

export const sumsOf = (row: Row): FitSums => ({
  observations: number(row, 'observations'),
  charge: number(row, 'charge'),
  squaredCharge: number(row, 'squared_charge'),
  byCharge: counts.map((_, index) => number(row, `by_charge_${index}`)),
  products: counts.map((_, left) =>
    counts.map((__, right) => number(row, `product_${Math.min(left, right)}_${Math.max(left, right)}`)),
  ),
});

/** Fits token prices alone first; if they do not explain the charge, adds a price per call. */
export const fitOf = (sums: FitSums): PriceFit | undefined => {
  const tokens = classes.map((_, index) => index);
  return fitPrices(sums, tokens) ?? fitPrices(sums, [...tokens, classes.length]);
};

const digits = 5;

/** More digits would claim more precision than a fit has. */
const shortened = (price: number | undefined, times: number): string | null =>
  price === undefined ? null : money((price * times).toPrecision(digits));

const rowsOf = (row: Row): readonly ViewRow[] => {
  const fit = fitOf(sumsOf(row));
  if (fit === undefined) return [];
  const { prices, rSquared } = fit;
  return [
    [
      text(row, 'model_name'),
      ...classes.map((_, index) => shortened(prices[index], 1e6)),
      shortened(prices[classes.length], 1),
      // Rounded down, never up to 1, which would mean a perfect fit.
      (Math.floor(Math.min(rSquared, 1) * 1e6) / 1e6).toFixed(6),
      number(row, 'observations'),
    ],
  ];
};

/** The calls to which prices are fitted. */
export type FitInput = Pick<ViewInput, 'served' | 'rows' | 'left'> & {
  readonly request: Pick<ViewInput['request'], 'account'>;
};

/** Sums over quarter hours from which prices are fitted, by these names. */
export const fitSql = async (
  { request, served, rows, left }: FitInput,
  range: Interval<UnixSeconds>,
  names: readonly ('model_name' | 'token_name')[] = ['model_name'],
): Promise<{ readonly sql: string; readonly bindings: Bindings }> => {
  const calls = await rows(range);
  // Restricted first: the tokens of a call cost more to classify than its names to compare.
  const ours = { ...calls, sql: `(FROM ${calls.sql} WHERE ${whereSql(left)})` };
  const charge = inCurrency('coalesce(sum(quota), 0)', served);
  return {
    sql: `
      WITH quarters AS (
        SELECT ${names.join(', ')}, CAST(count(*) AS DOUBLE) AS calls, CAST(${charge} AS DOUBLE) AS charge,
          ${classes.map((name) => `CAST(coalesce(sum(${name}), 0) AS DOUBLE) AS ${name}`).join(', ')}
        FROM ${callsWith(classes, ours)} WHERE kind = 'consumption'
        GROUP BY ${names.join(', ')}, created_at // 900
        -- Tokens of which the class is open could be of any price, and tokens that are not stated are charged too.
        HAVING ${unclassified.map((name) => `coalesce(sum(${name}), 0) = 0`).join(' AND ')}
          AND bool_and(input_counts = 'known') AND bool_and(output_counts <> 'lower bound')
      )
      SELECT ${names.join(', ')}, count(*) AS observations, fsum(charge) AS charge, fsum(charge * charge) AS squared_charge,
        ${counts.map((name, index) => `fsum(${name}) AS sum_${index}`).join(', ')},
        ${counts.map((name, index) => `fsum(${name} * charge) AS by_charge_${index}`).join(', ')},
        ${pairs.map(([row, column]) => `fsum(${counts[row]} * ${counts[column]}) AS product_${row}_${column}`).join(', ')}
      FROM quarters
      GROUP BY ${names.join(', ')}
      ORDER BY ${names.join(', ')}`,
    bindings: bindingsOver(calls, request.account, range, left, served),
  };
};

/**
 * Prices of a million tokens by class that explain the charges of a range: of each model for which tokens alone do. A class that has none,
 * or whose price the charges do not determine, is missing.
 */
export const fitIn = async (
  source: RowSource,
  input: FitInput,
  range: Interval<UnixSeconds>,
): Promise<ReadonlyMap<string, ReadonlyMap<PricedClass, Money>>> => {
  const { sql, bindings } = await fitSql(input, range);
  return new Map(
    (await source.rows(sql, bindings)).flatMap(rowsOf).flatMap((fitted) => {
      const [model, ...prices] = fitted;
      if (prices[classes.length] !== null) return [];
      const known = classes.flatMap((name, at) =>
        typeof prices[at] === 'string' ? [[name, money(prices[at])] as const] : [],
      );
      return [[String(model), new Map(known)]];
    }),
  );
};

const currentRange = ({ request }: ViewInput): Interval<UnixSeconds> => {
  const days = request.periods.find(({ name }) => name === 'current')?.days ?? [];
  const [first, last] = [days[0], days.at(-1)];
  return interval(first?.start ?? unixSeconds(0), last?.end ?? unixSeconds(0));
};

export const fittedPricesView: ReportView = {
  name: 'fitted_prices',
  ofAmounts: true,
  description:
    'prices estimated from the charges of the period: a row for each model whose charges per quarter hour are explained by prices per token class with R² of 0.999 or more; estimates, not to be summed; money per million tokens, NULL if the model has no such tokens or the charges do not determine the price',
  columns: columnsOf([
    ['model_name', 'VARCHAR', 'as in cube'],
    ...priceColumns,
    [
      'per_call',
      'DECIMAL(28, 12)',
      'money per call regardless of tokens; NULL if tokens alone explain the charge',
    ],
    ['r_squared', 'DECIMAL(9, 6)', 'R²: the explained share of the variance of the charge, rounded down'],
    ['quarters', 'BIGINT', 'number of quarter hours behind the estimate'],
  ]),
  sql: async (input) => fitSql(input, currentRange(input)),
  rowsFrom: rowsOf,
};

/** Seconds of which the calls are fitted, shortest first: a few days show prices as well as a month, and one if it has enough. */
const recentRanges = [1, 2, 3, 4, 5, 6, 7].map((days) => days * 86_400);

/** Calls that show the prices of some dozens of models. */
const enoughRows = 200_000;

/** For the causes of a change, which need the ratios of prices only. */
export const recentPricesView: ReportView = {
  name: 'recent_fitted_prices',
  ofAmounts: true,
  description:
    'as fitted_prices, from the last day of the period, or from up to seven days until there are 200,000 calls',
  columns: columnsOf([['model_name', 'VARCHAR', 'as in cube'], ...priceColumns]),
  sql: async (input) => {
    const { start, end } = currentRange(input);
    const ranges = recentRanges.map((length) => interval(unixSeconds(Math.max(start, end - length)), end));
    const longest = ranges.at(-1) ?? interval(start, end);
    // Most accounts have fewer calls than that in all days.
    if ((await input.rowsIn(longest)) >= enoughRows)
      for (const range of ranges.slice(0, -1))
        if ((await input.rowsIn(range)) >= enoughRows) return fitSql(input, range);
    return fitSql(input, longest);
  },
  rowsFrom: (row) => rowsOf(row).map((fitted) => fitted.slice(0, 1 + classes.length)),
};
