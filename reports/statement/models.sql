-- Every model with calls or refunds, by name, as a list to be filed is read.
SELECT
  coalesce(model_name, '') AS model_name,
  coalesce(sum(calls) FILTER (kind = 'consumption'), 0) AS calls,
  coalesce(sum(spend) FILTER (kind = 'consumption'), 0) AS consumption,
  coalesce(sum(spend) FILTER (kind = 'refund'), 0) AS refunds,
  sum(spend) AS spend
FROM cube
WHERE period = 'current' AND kind IN ('consumption', 'refund')
GROUP BY 1
ORDER BY 1
