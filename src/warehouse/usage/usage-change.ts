import { text, type Sql } from '../../storage/index.ts';
import { valueOfServed } from '../spend.ts';
import type { UsageBatch } from './usage-batch.ts';

/**
 * The unit of new figures, relative to the stored ones: integer units instead of a currency, the reverse, or unknown.
 */
export type UsageReading = 'same' | 'units' | 'currency' | 'other';

/** Late figures increase a bucket by less than this factor. */
const growth = 2;
/** So many figures with the same factor are no coincidence. */
const enoughFigures = 3;
/** A larger factor is not due to late figures. */
const absurd = 100;

/**
 * The unit of new figures from their ratios to the expected ones. Ratios are floats: they only distinguish factors.
 * Pure.
 */
export const judgeUsage = (ratios: readonly number[], unitsPerCurrency: number): UsageReading => {
  const sorted = ratios.toSorted((left, right) => left - right);
  const median = sorted[Math.floor(sorted.length / 2)];
  if (median === undefined) return 'same';
  const isNear = (value: number): boolean => value < growth && value > 1 / growth;
  if (isNear(median / unitsPerCurrency)) return 'units';
  if (isNear(median * unitsPerCurrency)) return 'currency';
  if (median > absurd || median < 1 / absurd) return 'other';
  // Late figures differ by entry: the same factor everywhere means another currency.
  const [least = 1, most = 1] = [sorted[0], sorted.at(-1)];
  const isOneFactor = sorted.length >= enoughFigures && most / least < 1.001 && !isNear(median);
  return isOneFactor ? 'other' : 'same';
};

/** The ratio of each new figure to the stored one of the same bucket and entry. */
const ratiosToStored = async (connection: Sql, batch: UsageBatch): Promise<readonly number[]> => {
  const { account, dimension, metric, granularity, window } = batch;
  const rows = await connection.rows(
    `SELECT bucket_start, entry, sum(value) AS value FROM usage_bucket
     WHERE account = $account AND dimension = $dimension AND metric = $metric AND granularity = $granularity
       AND bucket_start >= $start AND bucket_start < $end AND value <> 0
     GROUP BY bucket_start, entry`,
    { account, dimension, metric, granularity, start: window.start, end: window.end },
  );
  const keyOf = (bucket: number | string, entry: string): string => JSON.stringify([Number(bucket), entry]);
  const stored = new Map(
    rows.map((row) => [keyOf(text(row, 'bucket_start'), text(row, 'entry')), Number(text(row, 'value'))]),
  );
  const found = new Map<string, number>();
  for (const { bucket, entry, value } of batch.values) {
    const key = keyOf(bucket, entry);
    found.set(key, (found.get(key) ?? 0) + Number(value));
  }
  return [...found].flatMap(([key, value]) => {
    const before = stored.get(key);
    return before === undefined || value === 0 ? [] : [value / before];
  });
};

const nearby = 35 * 86_400_000;

/** The sum of the stored figures just before the window. */
const sumBefore = async (connection: Sql, batch: UsageBatch): Promise<number> => {
  const { account, dimension, metric, granularity, window } = batch;
  const [row] = await connection.rows(
    `SELECT coalesce(sum(value), 0) AS stored FROM usage_bucket
     WHERE account = $account AND dimension = $dimension AND metric = $metric AND granularity = $granularity
       AND bucket_start >= $from AND bucket_start < $start`,
    { account, dimension, metric, granularity, from: window.start - nearby, start: window.start },
  );
  return Number(text(row, 'stored'));
};

/** The log's charges just before the window, and in it. */
const chargesOfLog = async (
  connection: Sql,
  { account, window }: UsageBatch,
): Promise<{ readonly before: number; readonly now: number }> => {
  const [row] = await connection.rows(
    `SELECT coalesce(sum(quota) FILTER (WHERE created_at * 1000 < $start), 0) AS log_before,
       coalesce(sum(quota) FILTER (WHERE created_at * 1000 >= $start), 0) AS log_now
     FROM call_log
     WHERE account = $account AND kind = 'consumption' AND created_at * 1000 >= $from AND created_at * 1000 < $end`,
    { account, from: window.start - nearby, start: window.start, end: window.end },
  );
  return { before: Number(text(row, 'log_before')), now: Number(text(row, 'log_now')) };
};

/** The ratio of the new figures to the log's charges, relative to the same ratio of the stored figures before. */
const ratioToLog = async (connection: Sql, batch: UsageBatch): Promise<readonly number[]> => {
  const { isProven } = await valueOfServed(connection, batch.account);
  const total = batch.values.reduce((sum, { value }) => sum + Number(value), 0);
  if (!isProven || total === 0) return [];
  const stored = await sumBefore(connection, batch);
  if (stored === 0) return [];
  const { before, now } = await chargesOfLog(connection, batch);
  return before === 0 || now === 0 ? [] : [total / now / (stored / before)];
};

/** The unit of a batch of spend, from the series' own history, or else from the log. */
export const readingOfUsage = async (connection: Sql, batch: UsageBatch): Promise<UsageReading> => {
  if (batch.metric !== 'spend') return 'same';
  const ratios = await ratiosToStored(connection, batch);
  // One or two figures prove nothing: the first call of an hour can be a millionth of what follows it.
  const proof = ratios.length < enoughFigures ? await ratioToLog(connection, batch) : ratios;
  return judgeUsage(proof, batch.unitsPerCurrency);
};
