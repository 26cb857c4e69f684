-- A row for each service, a key through all its rotations, the most expensive first, with its spend of each of 14 days as a
-- line of blocks. Days without data are dots. Refunds that name no key are a row of their own.
WITH cells AS (
  SELECT
    coalesce(service, '') AS service,
    kind = 'refund' AND coalesce(service, '') = '' AS is_keyless_refund,
    period, day, spend
  FROM cube
  WHERE kind IN ('consumption', 'refund') AND period IN ('current', 'comparison', 'history')
),
moved AS (
  SELECT
    service, is_keyless_refund,
    coalesce(sum(spend) FILTER (period = 'current'), 0) AS spend,
    coalesce(sum(spend) FILTER (period = 'comparison'), 0) AS spend_before
  FROM cells
  WHERE period IN ('current', 'comparison')
  GROUP BY ALL
),
recent AS (
  SELECT days.day, days.start_seconds >= run.data_since_seconds AND days.end_seconds <= run.data_through_seconds AS is_known
  FROM days, run
  WHERE days.period = 'history'
  QUALIFY row_number() OVER (ORDER BY days.day DESC) <= 14
),
daily AS (
  SELECT service, is_keyless_refund, day, greatest(sum(spend), 0) AS spend
  FROM cells
  WHERE period = 'history'
  GROUP BY ALL
),
levels AS (
  SELECT
    moved.service, moved.is_keyless_refund, recent.day, recent.is_known, coalesce(daily.spend, 0) AS spend,
    max(coalesce(daily.spend, 0)) OVER (PARTITION BY moved.service, moved.is_keyless_refund) AS most
  FROM moved
  CROSS JOIN recent
  LEFT JOIN daily
    ON daily.service = moved.service AND daily.is_keyless_refund = moved.is_keyless_refund AND daily.day = recent.day
),
lines AS (
  SELECT
    service, is_keyless_refund,
    string_agg(
      CASE WHEN is_known THEN substr('▁▂▃▄▅▆▇█', CASE WHEN most = 0 THEN 1 ELSE 1 + CAST(round(7 * spend / most) AS INTEGER) END, 1) ELSE '·' END,
      '' ORDER BY day
    ) AS trend
  FROM levels
  GROUP BY ALL
)
SELECT service, is_keyless_refund, trend, spend, spend_before
FROM moved
LEFT JOIN lines USING (service, is_keyless_refund)
WHERE spend <> 0 OR spend_before <> 0
ORDER BY spend DESC, spend_before DESC, service
