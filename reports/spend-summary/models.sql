-- A row for each model, the dearest first; those of the period before are there too, or the changes would not add up.
-- A count of tokens that the gateway does not tell is NULL, unknown; without calls it is 0.
SELECT
  model_name, spend, spend_before, calls,
  coalesce(COLUMNS('_tokens$'), CASE WHEN calls = 0 THEN 0 END),
  -- What the price of a million tokens is made of, as in figures.sql.
  CASE WHEN NOT is_open AND stated_volume > 0 THEN stated_spend ELSE 0 END AS priced_spend,
  CASE WHEN NOT is_open AND stated_volume > 0 THEN stated_volume ELSE 0 END AS priced_volume,
  CASE WHEN is_open THEN 'unknown' WHEN is_least THEN 'least' WHEN is_partly THEN 'partly' END AS split
FROM (
  SELECT
    coalesce(model_name, '') AS model_name,
    coalesce(sum(spend) FILTER (period = 'current'), 0) AS spend,
    coalesce(sum(spend) FILTER (period = 'comparison'), 0) AS spend_before,
    coalesce(sum(calls) FILTER (period = 'current' AND kind = 'consumption'), 0) AS calls,
    sum(input_tokens) FILTER (period = 'current' AND kind = 'consumption') AS input_tokens,
    -- As stated, where the split is unknown.
    greatest(
      sum(input_cache_read_tokens) FILTER (period = 'current' AND kind = 'consumption'),
      sum(cached_tokens) FILTER (period = 'current' AND kind = 'consumption')
    ) AS cached_tokens,
    greatest(
      sum(input_cache_write_tokens) FILTER (period = 'current' AND kind = 'consumption'),
      sum(cache_write_tokens) FILTER (period = 'current' AND kind = 'consumption')
    ) AS cache_write_tokens,
    sum(output_tokens) FILTER (period = 'current' AND kind = 'consumption') AS output_tokens,
    greatest(
      sum(output_reasoning_tokens) FILTER (period = 'current' AND kind = 'consumption'),
      sum(reasoning_tokens) FILTER (period = 'current' AND kind = 'consumption')
    ) AS reasoning_tokens,
    -- As served, for data files.
    sum(prompt_tokens) FILTER (period = 'current' AND kind = 'consumption') AS prompt_tokens,
    sum(completion_tokens) FILTER (period = 'current' AND kind = 'consumption') AS completion_tokens,
    coalesce(sum(spend) FILTER (period = 'current' AND input_counts <> 'lower bound' AND output_counts <> 'lower bound'), 0)
      AS stated_spend,
    sum(input_tokens) FILTER (period = 'current' AND kind = 'consumption' AND input_counts <> 'lower bound' AND output_counts <> 'lower bound')
      + sum(output_tokens) FILTER (period = 'current' AND kind = 'consumption' AND input_counts <> 'lower bound' AND output_counts <> 'lower bound')
      AS stated_volume,
    -- Stated cached or reasoning tokens that could not be placed in a class.
    coalesce(
      sum(cached_tokens) FILTER (period = 'current' AND kind = 'consumption' AND input_counts <> 'lower bound')
        > coalesce(sum(input_cache_read_tokens) FILTER (period = 'current' AND kind = 'consumption' AND input_counts <> 'lower bound'), 0)
      OR sum(cache_write_tokens) FILTER (period = 'current' AND kind = 'consumption' AND input_counts <> 'lower bound')
        > coalesce(sum(input_cache_write_tokens) FILTER (period = 'current' AND kind = 'consumption' AND input_counts <> 'lower bound'), 0)
      OR sum(reasoning_tokens) FILTER (period = 'current' AND kind = 'consumption' AND output_counts <> 'lower bound')
        > coalesce(sum(output_reasoning_tokens) FILTER (period = 'current' AND kind = 'consumption' AND output_counts <> 'lower bound'), 0),
      false
    ) AS is_open,
    bool_or(input_counts = 'lower bound' OR output_counts = 'lower bound') FILTER (period = 'current' AND kind = 'consumption')
      AS is_least,
    bool_or(input_counts = 'split unknown' OR output_counts = 'split unknown')
      FILTER (period = 'current' AND kind = 'consumption') AS is_partly
  FROM cube
  WHERE kind IN ('consumption', 'refund') AND period IN ('current', 'comparison')
  GROUP BY 1
  HAVING count(*) FILTER (period = 'current') > 0 OR sum(cube.spend) <> 0
)
ORDER BY spend DESC, spend_before DESC, model_name
