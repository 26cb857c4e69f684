-- Days whose figures were changed by landings since the mail before this one: as long ago as the period is long.
-- Only landings after the end of a day count: before that it is not over, and was in no mail.
WITH span AS (
  SELECT min(start_seconds) AS starts, max(end_seconds) AS ends FROM days WHERE period = 'current'
),
changed AS (
  SELECT restated_days.day, sum(difference) AS difference, max(changed_seconds) AS changed
  FROM restated_days
  JOIN (SELECT day, max(end_seconds) AS ends FROM days GROUP BY day) AS over_days ON over_days.day = restated_days.day
  CROSS JOIN span
  CROSS JOIN run
  WHERE changed_seconds >= over_days.ends AND changed_seconds > now_seconds - (span.ends - span.starts)
  GROUP BY ALL
  HAVING sum(difference) <> 0
),
-- Each day once, whatever periods it belongs to.
spent AS (
  SELECT day, any_value(spend) AS spend
  FROM (
    SELECT period, day, sum(spend) AS spend FROM cube WHERE kind IN ('consumption', 'refund') GROUP BY ALL
  )
  GROUP BY day
)
SELECT
  changed.day, coalesce(spent.spend, 0) - difference AS spend_before, coalesce(spent.spend, 0) AS spend, difference, changed
FROM changed
LEFT JOIN spent ON spent.day = changed.day
ORDER BY changed.day DESC
