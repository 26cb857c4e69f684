-- Hours are counted from the first second of the local day, so that days of 23 and 25 hours come out right.
SELECT
  days.start_seconds + (cube.quarter - days.start_seconds) // 3600 * 3600 AS hour_start,
  coalesce(cube.model_name, '') AS model_name,
  sum(cube.spend) AS spend
FROM cube
JOIN days ON days.period = cube.period AND days.day = cube.day
WHERE cube.period = 'current' AND cube.kind IN ('consumption', 'refund')
GROUP BY ALL
ORDER BY hour_start, model_name
