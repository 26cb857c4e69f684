-- One row: the sums of the period, and those of the period before as *_before.
-- A count of tokens that the gateway does not tell is NULL, unknown; without calls it is 0.
WITH sums AS (
  SELECT
    periods.period,
    coalesce(sum(spend), 0) AS spend,
    coalesce(sum(spend) FILTER (kind = 'consumption'), 0) AS consumption,
    coalesce(sum(spend) FILTER (kind = 'refund'), 0) AS refunds,
    coalesce(sum(calls) FILTER (kind = 'consumption'), 0) AS calls,
    sum(prompt_tokens) FILTER (kind = 'consumption') AS prompt_tokens,
    sum(cached_tokens) FILTER (kind = 'consumption') AS cached_tokens,
    sum(completion_tokens) FILTER (kind = 'consumption') AS completion_tokens,
    sum(reasoning_tokens) FILTER (kind = 'consumption') AS reasoning_tokens,
    sum(prompt_tokens) FILTER (kind = 'consumption') + sum(completion_tokens) FILTER (kind = 'consumption') AS all_tokens
  FROM (VALUES ('current'), ('comparison')) AS periods (period)
  LEFT JOIN cube ON cube.period = periods.period AND cube.kind IN ('consumption', 'refund')
  GROUP BY 1
),
known AS (
  SELECT period, spend, consumption, refunds, calls, coalesce(COLUMNS('_tokens$'), CASE WHEN calls = 0 THEN 0 END)
  FROM sums
)
SELECT
  now.spend, before.spend AS spend_before,
  now.consumption, before.consumption AS consumption_before,
  now.refunds,
  now.calls, before.calls AS calls_before,
  now.all_tokens AS tokens, before.all_tokens AS tokens_before,
  now.prompt_tokens, before.prompt_tokens AS prompt_tokens_before,
  now.cached_tokens, before.cached_tokens AS cached_tokens_before,
  now.completion_tokens, before.completion_tokens AS completion_tokens_before,
  now.reasoning_tokens, before.reasoning_tokens AS reasoning_tokens_before
FROM known AS now, known AS before
WHERE now.period = 'current' AND before.period = 'comparison'
