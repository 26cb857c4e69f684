-- A row for each model, the dearest first; those of the period before are there too, or the changes would not add up.
-- `tokens` and `token_spend` are of models whose counts are known: where stated cached or reasoning tokens could not be
-- placed in a class, the model is in no rate, and its reasoning is shown as stated. Of other models they are of the calls
-- whose tokens the export states.
WITH by_model AS (
  SELECT
    coalesce(model_name, '') AS model_name,
    coalesce(sum(spend) FILTER (period = 'current'), 0) AS spend,
    coalesce(sum(spend) FILTER (period = 'comparison'), 0) AS spend_before,
    count(*) FILTER (period = 'current') AS cells,
    coalesce(sum(calls) FILTER (period = 'current' AND kind = 'consumption'), 0) AS calls,
    sum(input_tokens) FILTER (period = 'current' AND kind = 'consumption' AND is_stated) AS stated_input,
    sum(output_tokens) FILTER (period = 'current' AND kind = 'consumption' AND is_stated) AS stated_output,
    sum(spend) FILTER (period = 'current' AND is_stated) AS stated_spend,
    bool_or(output_counts = 'lower bound') FILTER (period = 'current' AND kind = 'consumption') AS is_least,
    bool_or(output_counts = 'split unknown') FILTER (period = 'current' AND kind = 'consumption') AS is_partly,
    sum(output_tokens) FILTER (period = 'current' AND kind = 'consumption') AS output,
    sum(output_reasoning_tokens) FILTER (period = 'current' AND kind = 'consumption') AS reasoning,
    greatest(
      sum(reasoning_tokens) FILTER (period = 'current' AND kind = 'consumption' AND output_counts <> 'lower bound')
        - coalesce(
          sum(output_reasoning_tokens) FILTER (period = 'current' AND kind = 'consumption' AND output_counts <> 'lower bound'),
          0
        ),
      0
    ) AS open_reasoning,
    coalesce(
      sum(cached_tokens) FILTER (period = 'current' AND kind = 'consumption' AND input_counts <> 'lower bound')
        > coalesce(sum(input_cache_read_tokens) FILTER (period = 'current' AND kind = 'consumption' AND input_counts <> 'lower bound'), 0)
      OR sum(cache_write_tokens) FILTER (period = 'current' AND kind = 'consumption' AND input_counts <> 'lower bound')
        > coalesce(sum(input_cache_write_tokens) FILTER (period = 'current' AND kind = 'consumption' AND input_counts <> 'lower bound'), 0),
      false
    ) OR open_reasoning > 0 OR (stated_input IS NULL) <> (stated_output IS NULL) AS is_open
  FROM (
    SELECT *, input_counts <> 'lower bound' AND output_counts <> 'lower bound' AS is_stated
    FROM cube
    WHERE kind IN ('consumption', 'refund')
  )
  GROUP BY 1
)
SELECT
  model_name, spend, spend_before, calls, output,
  nullif(CASE WHEN open_reasoning > 0 THEN coalesce(reasoning, 0) + open_reasoning ELSE reasoning END, 0) AS reasoning,
  CASE
    WHEN open_reasoning > 0 THEN 'unknown' WHEN is_least THEN 'least' WHEN is_partly AND reasoning IS NULL THEN 'unknown'
    WHEN is_partly THEN 'partly'
  END AS split,
  CASE WHEN NOT is_open AND stated_input + stated_output > 0 THEN stated_input + stated_output END AS tokens,
  CASE WHEN NOT is_open AND stated_input + stated_output > 0 THEN stated_spend END AS token_spend
FROM by_model
WHERE cells > 0 OR spend + spend_before <> 0
ORDER BY spend DESC, spend_before DESC, model_name
