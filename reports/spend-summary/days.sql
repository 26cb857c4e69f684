-- Every day of the period, the newest first, with calls or without.
SELECT
  days.day,
  coalesce(sum(spend), 0) AS spend,
  coalesce(sum(calls) FILTER (kind = 'consumption'), 0) AS calls,
  coalesce(sum(prompt_tokens) FILTER (kind = 'consumption'), 0) AS prompt_tokens,
  coalesce(sum(cached_tokens) FILTER (kind = 'consumption'), 0) AS cached_tokens,
  coalesce(sum(completion_tokens) FILTER (kind = 'consumption'), 0) AS completion_tokens,
  coalesce(sum(reasoning_tokens) FILTER (kind = 'consumption'), 0) AS reasoning_tokens
FROM days
LEFT JOIN cube ON cube.period = days.period AND cube.day = days.day AND cube.kind IN ('consumption', 'refund')
WHERE days.period = 'current'
GROUP BY days.day
ORDER BY days.day DESC
