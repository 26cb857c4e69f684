-- One row: what rows that arrived after the end of the month have changed; all unknown while nothing did.
WITH month_end AS (SELECT max(end_seconds) AS ends FROM days WHERE period = 'current'),
changed AS (
  SELECT day, sum(difference) AS difference, max(changed_seconds) AS changed
  FROM restated_days
  CROSS JOIN month_end
  WHERE changed_seconds >= ends AND day IN (SELECT current_days.day FROM days AS current_days WHERE current_days.period = 'current')
  GROUP BY day
  HAVING sum(difference) <> 0
)
SELECT nullif(count(*), 0) AS changed_days, sum(difference) AS difference, max(changed) AS changed FROM changed
