-- One row: the sums of the period. A count of tokens that the gateway does not tell is NULL, unknown; without calls it is 0.
-- Models with stated cached or reasoning tokens that could not be placed in a class are told apart: their tokens are the
-- least they can be, and so are those of calls whose export lacked token columns.
WITH by_model AS (
  SELECT
    coalesce(sum(spend), 0) AS spend,
    coalesce(sum(spend) FILTER (kind = 'consumption'), 0) AS consumption,
    coalesce(sum(spend) FILTER (kind = 'refund'), 0) AS refunds,
    coalesce(sum(calls) FILTER (kind = 'consumption'), 0) AS calls,
    coalesce(sum(spend) FILTER (input_counts = 'lower bound' OR output_counts = 'lower bound'), 0) AS least_spend,
    sum(calls) FILTER (kind = 'consumption' AND (input_counts = 'lower bound' OR output_counts = 'lower bound')) AS least_calls,
    sum(input_tokens) FILTER (kind = 'consumption') AS input,
    sum(output_tokens) FILTER (kind = 'consumption') AS output,
    coalesce(
      sum(cached_tokens) FILTER (kind = 'consumption' AND input_counts <> 'lower bound')
        > coalesce(sum(input_cache_read_tokens) FILTER (kind = 'consumption' AND input_counts <> 'lower bound'), 0)
      OR sum(cache_write_tokens) FILTER (kind = 'consumption' AND input_counts <> 'lower bound')
        > coalesce(sum(input_cache_write_tokens) FILTER (kind = 'consumption' AND input_counts <> 'lower bound'), 0)
      OR sum(reasoning_tokens) FILTER (kind = 'consumption' AND output_counts <> 'lower bound')
        > coalesce(sum(output_reasoning_tokens) FILTER (kind = 'consumption' AND output_counts <> 'lower bound'), 0),
      false
    ) AS is_open
  FROM cube
  WHERE period = 'current' AND kind IN ('consumption', 'refund')
  GROUP BY model_name
)
SELECT
  coalesce(sum(spend), 0) AS spend,
  coalesce(sum(consumption), 0) AS consumption,
  coalesce(sum(refunds), 0) AS refunds,
  coalesce(sum(calls), 0) AS calls,
  CASE WHEN coalesce(sum(calls), 0) = 0 THEN 0 ELSE sum(input) + sum(output) END AS tokens,
  CASE WHEN bool_or(is_open OR least_calls > 0) THEN sum(CASE WHEN is_open THEN spend ELSE least_spend END) END AS open_spend,
  nullif(count(*) FILTER (is_open), 0) AS open_models
FROM by_model
