-- One row: the sums of the period, and those of the period before as *_before.
-- A count of tokens that the gateway does not tell is NULL, unknown; without calls it is 0.
WITH sums AS (
  SELECT
    periods.period,
    coalesce(sum(spend), 0) AS spend,
    coalesce(sum(calls) FILTER (kind = 'consumption'), 0) AS calls,
    sum(input_tokens) FILTER (kind = 'consumption') + sum(output_tokens) FILTER (kind = 'consumption') AS tokens,
    sum(input_tokens) FILTER (kind = 'consumption') AS input,
    sum(input_cache_read_tokens) FILTER (kind = 'consumption') AS cache_read,
    sum(output_tokens) FILTER (kind = 'consumption') AS output,
    sum(output_reasoning_tokens) FILTER (kind = 'consumption') AS reasoning
  FROM (VALUES ('current'), ('comparison')) AS periods (period)
  LEFT JOIN cube ON cube.period = periods.period AND cube.kind IN ('consumption', 'refund')
  GROUP BY 1
)
SELECT
  now.spend, before.spend AS spend_before,
  now.calls, before.calls AS calls_before,
  now.tokens, before.tokens AS tokens_before,
  now.input, before.input AS input_before,
  now.cache_read, before.cache_read AS cache_read_before,
  now.output, before.output AS output_before,
  now.reasoning, before.reasoning AS reasoning_before
FROM sums AS now, sums AS before
WHERE now.period = 'current' AND before.period = 'comparison'
