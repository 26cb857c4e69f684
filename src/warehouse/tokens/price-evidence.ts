import type { DuckDBConnection } from '@duckdb/node-api';
import { execute, readRows, text } from '../rows.ts';
import type { Row } from '../rows.ts';
import { cachePriceOf } from './cache-price.ts';
import type { PricedCall } from './cache-price.ts';

const day = 86_400;

/** What is asked of the calls of one day: with cached tokens, and without. */
const callsOfEach = 200;

/** The prompt and the cached tokens first. */
const counts = [
  'prompt_tokens',
  'cached_tokens',
  'cache_write_tokens',
  'completion_tokens',
  'reasoning_tokens',
  'audio_tokens',
  'audio_input_tokens',
  'audio_output_tokens',
  'image_tokens',
] as const;

const ofDay = `account = $account AND created_at >= $start AND created_at < $end AND model_name = $model
  AND kind = 'consumption' AND quota > 0`;

/** Prices may differ by key: the one with most calls that hold cached tokens. Calls from all over the day. */
const sampleSql = `
  WITH usual_key AS (
    SELECT token_name FROM call_log WHERE ${ofDay} AND cached_tokens > 0
    GROUP BY token_name ORDER BY count(*) DESC, token_name LIMIT 1
  ), calls AS (
    SELECT token_name, ${counts.join(', ')}, quota, created_at FROM call_log
    WHERE ${ofDay} AND token_name = (SELECT token_name FROM usual_key)
  )
  SELECT * FROM (
    SELECT * FROM calls WHERE cached_tokens > 0
    ORDER BY created_at % 3600, created_at, quota, completion_tokens LIMIT ${callsOfEach})
  UNION ALL
  SELECT * FROM (
    SELECT * FROM calls WHERE coalesce(cached_tokens, 0) <= 0
    ORDER BY created_at % 3600, created_at, quota, completion_tokens LIMIT ${callsOfEach})`;

const pricedCall = (row: Row): PricedCall => ({
  counts: counts.map((name) => Number(row[name] ?? 0)),
  charge: Number(text(row, 'quota')),
});

/** What one more in the last place of these charges is worth: none of them was rounded by more. */
const roundingOf = (rows: readonly Row[]): number => {
  const places = rows.map((row) => text(row, 'quota').replace(/0+$/, '').split('.')[1]?.length ?? 0);
  return 10 ** -Math.max(0, ...places);
};

/** Asks what the calls of one day and model were charged, and keeps what that shows. */
export const judgePrices = async (
  connection: DuckDBConnection,
  account: string,
  asked: { readonly model: string; readonly day: number },
): Promise<void> => {
  const ofEvidence = { account, model: asked.model, day: asked.day };
  const rows = await readRows(connection, sampleSql, {
    account,
    model: asked.model,
    start: asked.day,
    end: asked.day + day,
  });
  await execute(
    connection,
    'DELETE FROM token_price_evidence WHERE account = $account AND day = $day AND model_name = $model',
    ofEvidence,
  );
  const shown = cachePriceOf(rows.map(pricedCall), roundingOf(rows));
  if (shown === undefined) return;
  await execute(
    connection,
    'INSERT INTO token_price_evidence VALUES ($account, $day, $model, $key, $calls, $shows, $prompt, $cached, $error)',
    {
      ...ofEvidence,
      key: text(rows[0], 'token_name'),
      calls: shown.calls,
      shows: shown.shows,
      prompt: shown.prompt.value.toPrecision(6),
      cached: shown.cached.value.toPrecision(6),
      error: shown.cached.error.toPrecision(2),
    },
  );
};
