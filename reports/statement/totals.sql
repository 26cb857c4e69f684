-- One row: the sums of the period. A count of tokens that the gateway does not tell is NULL, unknown; without calls it is 0.
SELECT spend, consumption, refunds, calls, CASE WHEN calls = 0 THEN 0 ELSE prompt + completion END AS tokens
FROM (
  SELECT
    coalesce(sum(spend), 0) AS spend,
    coalesce(sum(spend) FILTER (kind = 'consumption'), 0) AS consumption,
    coalesce(sum(spend) FILTER (kind = 'refund'), 0) AS refunds,
    coalesce(sum(calls) FILTER (kind = 'consumption'), 0) AS calls,
    sum(prompt_tokens) FILTER (kind = 'consumption') AS prompt,
    sum(completion_tokens) FILTER (kind = 'consumption') AS completion
  FROM cube
  WHERE period = 'current' AND kind IN ('consumption', 'refund')
)
