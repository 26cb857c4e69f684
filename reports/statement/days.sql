-- Every day of the month, with calls or without.
SELECT
  days.day,
  coalesce(sum(calls) FILTER (kind = 'consumption'), 0) AS calls,
  coalesce(sum(spend) FILTER (kind = 'consumption'), 0) AS consumption,
  coalesce(sum(spend) FILTER (kind = 'refund'), 0) AS refunds,
  coalesce(sum(spend), 0) AS spend
FROM days
LEFT JOIN cube ON cube.period = days.period AND cube.day = days.day AND cube.kind IN ('consumption', 'refund')
WHERE days.period = 'current'
GROUP BY days.day
ORDER BY days.day
