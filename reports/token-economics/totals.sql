-- One row: the sums of the period, and those of the period before as *_before. Rates are made of models whose counts are
-- known: where stated cached or reasoning tokens could not be placed in a class, or one side is not told, the count is
-- unknown, and the model is in no rate. Of the others they are made of the calls whose tokens the export states.
WITH by_model AS (
  SELECT
    period, model_name, sum(spend) AS whole_spend,
    coalesce(sum(spend) FILTER (is_stated), 0) AS spend,
    sum(calls) FILTER (kind = 'consumption' AND is_stated) AS calls,
    sum(input_tokens) FILTER (kind = 'consumption' AND is_stated) AS input,
    sum(output_tokens) FILTER (kind = 'consumption' AND is_stated) AS output,
    sum(input_tokens) FILTER (kind = 'consumption' AND input_counts = 'known') AS split_input,
    sum(input_cache_read_tokens) FILTER (kind = 'consumption' AND input_counts = 'known') AS cache_read,
    sum(output_tokens) FILTER (kind = 'consumption' AND output_counts = 'known') AS split_output,
    sum(output_reasoning_tokens) FILTER (kind = 'consumption' AND output_counts = 'known') AS reasoning,
    coalesce(
      sum(cached_tokens) FILTER (kind = 'consumption' AND input_counts <> 'lower bound') > coalesce(sum(input_cache_read_tokens) FILTER (kind = 'consumption' AND input_counts <> 'lower bound'), 0)
      OR sum(cache_write_tokens) FILTER (kind = 'consumption' AND input_counts <> 'lower bound')
        > coalesce(sum(input_cache_write_tokens) FILTER (kind = 'consumption' AND input_counts <> 'lower bound'), 0),
      false
    ) AS open_input,
    coalesce(
      sum(reasoning_tokens) FILTER (kind = 'consumption' AND output_counts <> 'lower bound')
        > coalesce(sum(output_reasoning_tokens) FILTER (kind = 'consumption' AND output_counts <> 'lower bound'), 0),
      false
    ) AS open_output,
    open_input OR open_output OR (input IS NULL) <> (output IS NULL)
      OR bool_or(NOT is_stated) AND coalesce(input + output, 0) = 0 AS is_open
  FROM (
    SELECT *, input_counts <> 'lower bound' AND output_counts <> 'lower bound' AS is_stated
    FROM cube
    WHERE kind IN ('consumption', 'refund')
  )
  GROUP BY period, model_name
),
sums AS (
  SELECT
    periods.period,
    coalesce(sum(whole_spend), 0) AS spend,
    sum(by_model.spend) FILTER (NOT is_open AND input + output > 0) AS token_spend,
    sum(input + output) FILTER (NOT is_open AND input + output > 0) AS tokens,
    sum(calls) FILTER (NOT is_open AND input + output > 0) AS token_calls,
    nullif(greatest(sum(by_model.spend) FILTER (NOT is_open AND coalesce(input + output, 0) = 0), 0), 0) AS spend_without_tokens,
    -- Models with refunds and no calls.
    nullif(greatest(-sum(by_model.spend) FILTER (NOT is_open AND coalesce(input + output, 0) = 0), 0), 0) AS refunds_without_tokens,
    nullif(sum(CASE WHEN is_open THEN whole_spend ELSE whole_spend - by_model.spend END), 0) AS open_spend,
    sum(split_input) FILTER (NOT open_input AND cache_read IS NOT NULL) AS input,
    sum(cache_read) FILTER (NOT open_input) AS cache_read,
    sum(split_output) FILTER (NOT open_output AND reasoning IS NOT NULL) AS output,
    sum(reasoning) FILTER (NOT open_output) AS reasoning
  FROM (VALUES ('current'), ('comparison')) AS periods (period)
  LEFT JOIN by_model ON by_model.period = periods.period
  GROUP BY 1
)
SELECT
  now.spend, before.spend AS spend_before,
  now.token_spend, before.token_spend AS token_spend_before,
  now.tokens, before.tokens AS tokens_before,
  now.token_calls, before.token_calls AS token_calls_before,
  now.spend_without_tokens, now.refunds_without_tokens, now.open_spend,
  now.input, before.input AS input_before,
  now.cache_read, before.cache_read AS cache_read_before,
  now.output, before.output AS output_before,
  now.reasoning, before.reasoning AS reasoning_before
FROM sums AS now, sums AS before
WHERE now.period = 'current' AND before.period = 'comparison'
