import {
  groupBy,
  interval,
  money,
  pricedTokens,
  type Interval,
  type LocalDay,
  type Money,
  type PricedClass,
  type UnixSeconds,
} from '../../core/index.ts';
import { boundRows, text, wholeNumber, type RowChange } from '../../storage/index.ts';
import type { Served } from '../cube/aggregates.ts';
import type { ModelPrice } from '../cube/cube-request.ts';
import { fitIn } from '../report-views/fitted-prices.ts';
import { closest } from '../tokens/match-rule.ts';

/** The prices of a million tokens by class that the configuration has for a model. */
export const configuredFor = (
  model: string,
  prices: readonly ModelPrice[],
): ReadonlyMap<PricedClass, Money> | undefined => {
  const found = closest(prices, [model]);
  if (found === undefined) return undefined;
  const byName = new Map<string, Money | undefined>(pricedTokens.map(({ price }) => [price, found[price]]));
  return new Map(
    pricedTokens.flatMap(({ class: name, price, otherwise = price }) => {
      const given = byName.get(price) ?? byName.get(otherwise);
      return given === undefined ? [] : [[name, given] as const];
    }),
  );
};

type PricedDays = {
  readonly account: string;
  readonly month: string;
  readonly days: readonly LocalDay[];
  readonly currency: string;
  /** Of the configuration; those in another currency do not apply. */
  readonly prices: readonly ModelPrice[];
  readonly served: Served;
};

/**
 * Stores the prices by which the charges of a month are split: those of the configuration, else those that explain the charges of the day.
 * `log_now` has the models of each day.
 */
export const writePrices = async (
  { connection, rows }: RowChange,
  { account, month, days, currency, prices, served }: PricedDays,
): Promise<void> => {
  const found = await connection.rows('SELECT DISTINCT day, model_name FROM log_now WHERE month = $month', {
    month,
  });
  const modelsByDay = groupBy(found, (row) => text(row, 'day'));
  const usable = prices.filter((price) => price.currency === currency);
  const configured = new Map(
    [...groupBy(found, (row) => text(row, 'model_name')).keys()].map((model) => [
      model,
      configuredFor(model, usable),
    ]),
  );
  const priced: { day: string; model_name: string; class: string; price: string; source: string }[] = [];
  for (const { date: day, start, end } of days) {
    const models = (modelsByDay.get(day) ?? []).map((row) => text(row, 'model_name'));
    const fitted = models.every((model) => configured.get(model) !== undefined)
      ? undefined
      : await fitIn(connection, { request: { account }, served, rows, left: {} }, interval(start, end));
    for (const model of models) {
      const own = configured.get(model);
      const source = own === undefined ? 'fitted' : 'configured';
      for (const [name, price] of own ?? fitted?.get(model) ?? [])
        priced.push({ day, model_name: model, class: name, price, source });
    }
  }
  const columns = {
    day: 'VARCHAR',
    model_name: 'VARCHAR',
    class: 'VARCHAR',
    price: 'VARCHAR',
    source: 'VARCHAR',
  } as const;
  await boundRows(connection, columns, priced, (row) => row).execute(
    (table) =>
      `INSERT INTO closed_price (account, month, day, model_name, class, price, source)
       SELECT $account, $month, day, model_name, class, CAST(price AS DECIMAL(28, 12)), source FROM ${table} AS priced`,
    { account, month },
  );
};

/** The last unit of the amounts in the log of a month, in the currency; 1 where there are none. */
export const lastUnit = async (
  { connection, rows }: Pick<RowChange, 'connection' | 'rows'>,
  account: string,
  { start, end }: Interval<UnixSeconds>,
  { inUnits, value }: Served,
): Promise<Money> => {
  if (inUnits) return money(value);
  const calls = await rows({ start, end }, { columns: ['account', 'created_at', 'quota'] });
  const [row = {}] = await connection.rows(
    `SELECT coalesce(max(length(rtrim(split_part(CAST(quota AS VARCHAR), '.', 2), '0'))), 0) AS places
     FROM ${calls.sql} WHERE account = $account AND created_at >= $start AND created_at < $end`,
    { ...calls.bindings, account, start, end },
  );
  return money(`1e-${wholeNumber(row, 'places')}`);
};
