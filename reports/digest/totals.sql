-- One row: the sums of the period, and those of the period before as *_before.
WITH sums AS (
  SELECT
    periods.period,
    coalesce(sum(spend), 0) AS spend,
    coalesce(sum(spend) FILTER (kind = 'consumption'), 0) AS consumption,
    coalesce(sum(spend) FILTER (kind = 'refund'), 0) AS refunds,
    coalesce(sum(calls) FILTER (kind = 'consumption'), 0) AS calls
  FROM (VALUES ('current'), ('comparison')) AS periods (period)
  LEFT JOIN cube ON cube.period = periods.period AND cube.kind IN ('consumption', 'refund')
  GROUP BY 1
)
SELECT
  now.spend, before.spend AS spend_before,
  now.consumption, before.consumption AS consumption_before,
  now.refunds,
  now.calls, before.calls AS calls_before
FROM sums AS now, sums AS before
WHERE now.period = 'current' AND before.period = 'comparison'
