-- A row for each model and key, each model and each key that on one day of the comparison spent over three times its median
-- day: when that is over, spend falls. `excess` is what the day cost beyond the median day. An empty name stands for all.
WITH known AS (
  SELECT DISTINCT days.day
  FROM days
  JOIN run ON days.start_seconds >= run.data_since_seconds AND days.end_seconds <= run.data_through_seconds
),
compared AS (
  SELECT DISTINCT day FROM days WHERE period = 'comparison'
),
-- Each day once, in all the periods.
cells AS (
  SELECT model_name, service, day, any_value(spend) AS spend
  FROM (
    SELECT period, model_name, service, day, sum(spend) AS spend
    FROM cube
    WHERE kind IN ('consumption', 'refund') AND model_name <> '' AND service <> ''
    GROUP BY ALL
  )
  GROUP BY ALL
),
levels AS (
  SELECT coalesce(model_name, '') AS model_name, coalesce(service, '') AS key_name, day, sum(spend) AS spend
  FROM cells
  GROUP BY GROUPING SETS ((model_name, service, day), (model_name, day), (service, day))
),
usual AS (
  SELECT named.model_name, named.key_name, quantile_disc(coalesce(levels.spend, 0), 0.5) AS spend, count(*) AS days
  FROM (SELECT DISTINCT model_name, key_name FROM levels) AS named
  CROSS JOIN known
  LEFT JOIN levels
    ON levels.model_name = named.model_name AND levels.key_name = named.key_name AND levels.day = known.day
  GROUP BY ALL
)
SELECT levels.model_name, levels.key_name, levels.day, levels.spend - usual.spend AS excess
FROM levels
JOIN compared USING (day)
JOIN usual USING (model_name, key_name)
WHERE usual.days >= 7 AND levels.spend > 3 * usual.spend
QUALIFY row_number() OVER (PARTITION BY levels.model_name, levels.key_name ORDER BY levels.spend DESC, levels.day) = 1
ORDER BY levels.model_name <> '' AND levels.key_name <> '' DESC, excess DESC, levels.model_name, levels.key_name
