import { tokenColumns, daySeconds, trimEndOf, type CountColumn } from '../../core/index.ts';
import { isServedSql } from '../logs/served-columns.ts';
import {
  boundRows,
  optionalText,
  text,
  wholeNumber,
  type AccountRows,
  type Row,
  type Sql,
} from '../../storage/index.ts';
import type { TokenSide } from './convention.ts';
import { dayOf, type DayToPrice } from './row-evidence.ts';
import { cachePriceOf, partCalls, reasoningPriceOf, type PartPrice, type PricedCall } from './part-price.ts';

/** The number of sampled calls, with cached tokens and without. */
const callsOfEach = 200;

/** Days, up to and including the examined one. More than one only when there were few calls: prices change. */
const ranges = [1, 7, 31] as const;

/** The whole and the part of each side. */
const asks = {
  input: { whole: 'prompt_tokens', part: 'cached_tokens', priceOf: cachePriceOf },
  output: { whole: 'completion_tokens', part: 'reasoning_tokens', priceOf: reasoningPriceOf },
} as const;

const ofRange = `account = $account AND created_at >= $start AND created_at < $end AND model_name = $model
  AND kind = 'consumption' AND quota > 0`;

/** Prices may differ by key: selects the key with the most calls that contain the part. */
const usualKeySql = (part: string): string => `
  SELECT token_name, count(*) AS part_calls FROM call_log WHERE ${ofRange} AND ${part} > 0
  GROUP BY token_name ORDER BY part_calls DESC, token_name LIMIT 1`;

/** Calls of one key, from the whole range; without the part only those whose export had its column. */
const sampleSql = (part: CountColumn): string => `
  WITH calls AS (
    SELECT ${tokenColumns.join(', ')}, quota, created_at, served_columns FROM call_log WHERE ${ofRange} AND token_name = $key
  )
  SELECT * FROM (
    SELECT * FROM calls WHERE ${part} > 0
    ORDER BY created_at % 3600, created_at, quota, completion_tokens LIMIT ${callsOfEach}) AS with_part
  UNION ALL
  SELECT * FROM (
    SELECT * FROM calls WHERE coalesce(${part}, 0) <= 0 AND coalesce(${isServedSql(part, 'served_columns')}, true)
    ORDER BY created_at % 3600, created_at, quota, completion_tokens LIMIT ${callsOfEach}) AS without_part`;

const pricedCall = (row: Row, { whole, part }: (typeof asks)[TokenSide]): PricedCall => ({
  // The whole and its part first.
  counts: [whole, part, ...tokenColumns.filter((name) => name !== whole && name !== part)].map((name) =>
    Number(row[name] ?? 0),
  ),
  charge: Number(text(row, 'quota')),
});

/** One unit in the last place of these charges: none of them was rounded by more. */
const roundingOf = (rows: readonly Row[]): number => {
  const decimals = rows.map((row) => trimEndOf(text(row, 'quota'), '0').split('.')[1]?.length ?? 0);
  return 10 ** -Math.max(0, ...decimals);
};

type ShownPrice = PartPrice & { readonly days: number; readonly key: string };

const readPrice = async (
  stored: Sql,
  account: string,
  side: TokenSide,
  { model, day: last, partCallsIn }: DayToPrice,
): Promise<ShownPrice | undefined> => {
  const ask = asks[side];
  for (const days of ranges) {
    if (partCallsIn(days) < partCalls) continue;
    const bindings = { account, model, start: last - (days - 1) * daySeconds, end: last + daySeconds };
    const [usual] = await stored.rows(usualKeySql(ask.part), bindings);
    const key = optionalText(usual, 'token_name');
    if (key === undefined || wholeNumber(usual, 'part_calls') < partCalls) continue;
    const rows = await stored.rows(sampleSql(ask.part), { ...bindings, key });
    const shown = ask.priceOf(
      rows.map((row) => pricedCall(row, ask)),
      roundingOf(rows),
    );
    if (shown !== undefined) return { ...shown, days, key };
    if (rows.filter((row) => Number(row[ask.part] ?? 0) > 0).length === callsOfEach) return undefined;
  }
  return undefined;
};

/** The days of which the log still holds calls of the model. */
const heldDays = async (
  stored: Sql,
  account: string,
  asked: readonly DayToPrice[],
): Promise<readonly DayToPrice[]> => {
  const days = asked.map((one) => one.day);
  const rows = await stored.rows(
    `SELECT DISTINCT model_name, ${dayOf('created_at')} AS day FROM call_log
     WHERE account = $account AND created_at >= $start AND created_at < $end AND model_name = ANY($models)`,
    {
      account,
      start: Math.min(...days),
      end: Math.max(...days) + daySeconds,
      models: [...new Set(asked.map(({ model }) => model))],
    },
  );
  const held = new Set(rows.map((row) => `${wholeNumber(row, 'day')} ${text(row, 'model_name')}`));
  return asked.filter((one) => held.has(`${one.day} ${one.model}`));
};

const writePrice = async (
  connection: Sql,
  account: string,
  side: TokenSide,
  { model, day: at }: DayToPrice,
  shown: ShownPrice,
): Promise<void> => {
  await connection.execute(
    `INSERT INTO token_price_evidence (account, side, day, model_name, days, token_name, calls, shows, whole_price, part_price, part_error)
     VALUES ($account, $side, $day, $model, $days, $key, $calls, $shows, $whole, $part, $error)`,
    {
      account,
      model,
      day: at,
      days: shown.days,
      key: shown.key,
      calls: shown.calls,
      shows: shown.shows,
      side,
      whole: shown.whole.value.toPrecision(6),
      part: shown.part.value.toPrecision(6),
      error: shown.part.error.toPrecision(2),
    },
  );
};

/**
 * Examines the charges of models' calls, each up to one day, and stores the results; for calls that have been archived,
 * the earlier result remains.
 */
export const judgePrices = async (
  { connection, stored }: AccountRows,
  account: string,
  side: TokenSide,
  days: readonly DayToPrice[],
): Promise<void> => {
  if (days.length === 0) return;
  const held = await heldDays(stored, account, days);
  await boundRows(connection, { model: 'VARCHAR', at: 'BIGINT' }, held, ({ model, day: at }) => ({
    model,
    at,
  })).execute(
    (table) => `DELETE FROM token_price_evidence USING ${table} AS held
      WHERE account = $account AND side = $side AND model_name = held.model AND day = held.at`,
    { account, side },
  );
  for (const one of held) {
    const shown = await readPrice(stored, account, side, one);
    if (shown !== undefined) await writePrice(connection, account, side, one, shown);
  }
};
