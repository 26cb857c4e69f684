-- A row for each model and key, each model and each key that on one day of the comparison spent over three times its median
-- day: when that is over, spend falls. `excess` is what the day cost beyond the median day. An empty name stands for all.
WITH each_day AS (
  -- Periods share days; each day counts in one of them.
  SELECT
    day, min(period) AS period, bool_or(period = 'comparison') AS is_compared,
    bool_or(start_seconds >= run.data_since_seconds AND end_seconds <= run.data_through_seconds) AS is_known
  FROM days, run
  GROUP BY ALL
),
cells AS (
  SELECT model_name, service, day, is_compared, is_known, any_value(spend) AS spend
  FROM (
    SELECT period, model_name, service, day, is_compared, is_known, sum(spend) AS spend
    FROM cube JOIN each_day USING (period, day)
    WHERE kind IN ('consumption', 'refund') AND model_name <> '' AND service <> ''
    GROUP BY ALL
  )
  GROUP BY ALL
),
levels AS (
  SELECT
    coalesce(model_name, '') AS model_name, coalesce(service, '') AS key_name, day, sum(spend) AS spend,
    any_value(is_compared) AS is_compared, any_value(is_known) AS is_known
  FROM cells
  GROUP BY GROUPING SETS ((model_name, service, day), (model_name, day), (service, day))
),
-- The median is that of all known days: one without calls cost nothing.
named AS (
  SELECT
    model_name, key_name,
    max(spend) FILTER (is_compared) AS highest,
    list_sort(list_resize(coalesce(list(spend) FILTER (is_known), []), known.days, 0))[(known.days + 1) // 2] AS median
  FROM levels, (SELECT count(*) AS days FROM each_day WHERE is_known) AS known
  WHERE known.days >= 7
  GROUP BY model_name, key_name, known.days
)
SELECT model_name, key_name, min(levels.day) AS day, any_value(highest - median) AS excess
FROM named JOIN levels USING (model_name, key_name)
WHERE highest > 3 * median AND levels.is_compared AND levels.spend = highest
GROUP BY model_name, key_name
ORDER BY model_name <> '' AND key_name <> '' DESC, excess DESC, model_name, key_name
