-- One row: the sum of the period, and that of the period before.
SELECT
  coalesce(sum(spend) FILTER (period = 'current'), 0) AS spend,
  coalesce(sum(spend) FILTER (period = 'comparison'), 0) AS spend_before
FROM cube
WHERE kind IN ('consumption', 'refund')
