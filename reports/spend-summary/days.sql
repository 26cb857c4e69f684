-- Every day of the period, the newest first, with calls or without.
-- A count of tokens that the gateway does not tell is NULL, unknown; without calls it is 0.
SELECT day, spend, calls, coalesce(COLUMNS('_tokens$'), CASE WHEN calls = 0 THEN 0 END), split
FROM (
  SELECT
    days.day,
    coalesce(sum(spend), 0) AS spend,
    coalesce(sum(calls) FILTER (kind = 'consumption'), 0) AS calls,
    sum(input_tokens) FILTER (kind = 'consumption') AS input_tokens,
    -- As stated, where the split is unknown.
    greatest(sum(input_cache_read_tokens) FILTER (kind = 'consumption'), sum(cached_tokens) FILTER (kind = 'consumption')) AS cached_tokens,
    sum(output_tokens) FILTER (kind = 'consumption') AS output_tokens,
    greatest(sum(output_reasoning_tokens) FILTER (kind = 'consumption'), sum(reasoning_tokens) FILTER (kind = 'consumption'))
      AS reasoning_tokens,
    -- As served, for data files.
    sum(prompt_tokens) FILTER (kind = 'consumption') AS prompt_tokens,
    sum(completion_tokens) FILTER (kind = 'consumption') AS completion_tokens,
    -- Stated tokens that could not be placed in a class, or tokens that the export does not state.
    CASE
      WHEN coalesce(
        sum(cached_tokens) FILTER (kind = 'consumption' AND input_counts <> 'lower bound') > coalesce(sum(input_cache_read_tokens) FILTER (kind = 'consumption' AND input_counts <> 'lower bound'), 0)
        OR sum(cache_write_tokens) FILTER (kind = 'consumption' AND input_counts <> 'lower bound') > coalesce(sum(input_cache_write_tokens) FILTER (kind = 'consumption' AND input_counts <> 'lower bound'), 0)
        OR sum(reasoning_tokens) FILTER (kind = 'consumption' AND output_counts <> 'lower bound') > coalesce(sum(output_reasoning_tokens) FILTER (kind = 'consumption' AND output_counts <> 'lower bound'), 0),
        false
      ) THEN 'unknown'
      WHEN bool_or(input_counts = 'lower bound' OR output_counts = 'lower bound') FILTER (kind = 'consumption') THEN 'least'
      WHEN bool_or(input_counts = 'split unknown' OR output_counts = 'split unknown') FILTER (kind = 'consumption') THEN 'partly'
    END AS split
  FROM days
  LEFT JOIN cube ON cube.period = days.period AND cube.day = days.day AND cube.kind IN ('consumption', 'refund')
  WHERE days.period = 'current'
  GROUP BY days.day
)
ORDER BY day DESC
