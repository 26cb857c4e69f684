-- A row for each model, the most expensive first, with its spend of each of 14 days as a line of blocks. Days without data
-- are dots.
WITH moved AS (
  SELECT
    coalesce(model_name, '') AS model_name,
    coalesce(sum(spend) FILTER (period = 'current'), 0) AS spend,
    coalesce(sum(spend) FILTER (period = 'comparison'), 0) AS spend_before
  FROM cube
  WHERE kind IN ('consumption', 'refund') AND period IN ('current', 'comparison')
  GROUP BY 1
),
recent AS (
  SELECT days.day, days.start_seconds >= run.data_since_seconds AND days.end_seconds <= run.data_through_seconds AS is_known
  FROM days, run
  WHERE days.period = 'history'
  QUALIFY row_number() OVER (ORDER BY days.day DESC) <= 14
),
daily AS (
  SELECT coalesce(model_name, '') AS model_name, day, greatest(sum(spend), 0) AS spend
  FROM cube
  WHERE kind IN ('consumption', 'refund') AND period = 'history'
  GROUP BY ALL
),
levels AS (
  SELECT
    moved.model_name, recent.day, recent.is_known,
    coalesce(daily.spend, 0) AS spend,
    max(coalesce(daily.spend, 0)) OVER (PARTITION BY moved.model_name) AS most
  FROM moved
  CROSS JOIN recent
  LEFT JOIN daily ON daily.model_name = moved.model_name AND daily.day = recent.day
),
lines AS (
  SELECT
    model_name,
    string_agg(
      CASE WHEN is_known THEN substr('▁▂▃▄▅▆▇█', CASE WHEN most = 0 THEN 1 ELSE 1 + CAST(round(7 * spend / most) AS INTEGER) END, 1) ELSE '·' END,
      '' ORDER BY day
    ) AS trend
  FROM levels
  GROUP BY 1
)
SELECT model_name, trend, spend, spend_before
FROM moved
LEFT JOIN lines USING (model_name)
WHERE spend <> 0 OR spend_before <> 0
ORDER BY spend DESC, spend_before DESC, model_name
