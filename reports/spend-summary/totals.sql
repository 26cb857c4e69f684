-- One row: the sums of the period, and those of the period before as *_before.
WITH sums AS (
  SELECT
    period,
    sum(spend) AS spend,
    sum(spend) FILTER (kind = 'consumption') AS consumption,
    sum(spend) FILTER (kind = 'refund') AS refunds,
    sum(calls) FILTER (kind = 'consumption') AS calls,
    sum(prompt_tokens) FILTER (kind = 'consumption') AS prompt_tokens,
    sum(cached_tokens) FILTER (kind = 'consumption') AS cached_tokens,
    sum(completion_tokens) FILTER (kind = 'consumption') AS completion_tokens,
    sum(reasoning_tokens) FILTER (kind = 'consumption') AS reasoning_tokens
  FROM cube
  WHERE kind IN ('consumption', 'refund')
  GROUP BY period
)
SELECT
  coalesce(sum(spend) FILTER (period = 'current'), 0) AS spend,
  coalesce(sum(spend) FILTER (period = 'comparison'), 0) AS spend_before,
  coalesce(sum(consumption) FILTER (period = 'current'), 0) AS consumption,
  coalesce(sum(consumption) FILTER (period = 'comparison'), 0) AS consumption_before,
  coalesce(sum(refunds) FILTER (period = 'current'), 0) AS refunds,
  coalesce(sum(calls) FILTER (period = 'current'), 0) AS calls,
  coalesce(sum(calls) FILTER (period = 'comparison'), 0) AS calls_before,
  coalesce(sum(prompt_tokens + completion_tokens) FILTER (period = 'current'), 0) AS tokens,
  coalesce(sum(prompt_tokens + completion_tokens) FILTER (period = 'comparison'), 0) AS tokens_before,
  coalesce(sum(prompt_tokens) FILTER (period = 'current'), 0) AS prompt_tokens,
  coalesce(sum(prompt_tokens) FILTER (period = 'comparison'), 0) AS prompt_tokens_before,
  coalesce(sum(cached_tokens) FILTER (period = 'current'), 0) AS cached_tokens,
  coalesce(sum(cached_tokens) FILTER (period = 'comparison'), 0) AS cached_tokens_before,
  coalesce(sum(completion_tokens) FILTER (period = 'current'), 0) AS completion_tokens,
  coalesce(sum(completion_tokens) FILTER (period = 'comparison'), 0) AS completion_tokens_before,
  coalesce(sum(reasoning_tokens) FILTER (period = 'current'), 0) AS reasoning_tokens,
  coalesce(sum(reasoning_tokens) FILTER (period = 'comparison'), 0) AS reasoning_tokens_before
FROM sums
