-- Days of the period that later pulls have changed: what they came to at first, and now.
WITH now AS (
  SELECT day, sum(spend) AS spend
  FROM cube
  WHERE period = 'current' AND kind IN ('consumption', 'refund')
  GROUP BY day
),
changed AS (
  SELECT day, max(changed_seconds) AS changed_seconds, sum(difference) AS difference
  FROM restated_days
  GROUP BY day
)
SELECT
  days.day, coalesce(now.spend, 0) - difference AS before, coalesce(now.spend, 0) AS now, difference, changed_seconds
FROM changed
JOIN days ON days.day = changed.day AND days.period = 'current'
LEFT JOIN now ON now.day = days.day
ORDER BY days.day DESC
