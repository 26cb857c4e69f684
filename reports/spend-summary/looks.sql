-- What is worth a look, the most important first: keys about to expire, days and models that cost much more than usual,
-- models and keys that are new, keys without calls. What the data does not reach back far enough to tell is not told.
WITH span AS (
  SELECT
    min(day) AS first_day, max(day) AS last_day, count(*) AS days,
    min(start_seconds) AS starts, max(end_seconds) AS ends
  FROM days
  WHERE period = 'current'
),
-- Each day once, whatever periods it belongs to.
known AS (
  SELECT DISTINCT days.day
  FROM days
  JOIN run ON days.start_seconds >= run.data_since_seconds AND days.end_seconds <= run.data_through_seconds
),
-- Periods share days; each day counts in one of them.
one_period AS (
  SELECT day, min(period) AS period FROM days GROUP BY ALL
),
-- What each model and key spent on each day.
model_key_days AS (
  SELECT model_name, key_name, day, any_value(spend) AS spend
  FROM (
    SELECT period, coalesce(model_name, '') AS model_name, coalesce(service, '') AS key_name, day, sum(spend) AS spend
    FROM cube JOIN one_period USING (period, day)
    WHERE kind IN ('consumption', 'refund')
    GROUP BY ALL
  )
  GROUP BY ALL
),
-- The key and the model that spent most on the day of a report about one day.
top_of_days AS (
  SELECT
    day,
    arg_max(model_name, (spend, model_name, key_name)) AS model_name,
    arg_max(key_name, (spend, model_name, key_name)) AS key_name,
    max(spend) AS spend
  FROM model_key_days
  WHERE day = (SELECT first_day FROM span WHERE days = 1)
  GROUP BY ALL
),
model_days AS (
  SELECT model_name, day, sum(spend) AS spend FROM model_key_days GROUP BY ALL
),
all_days AS (
  SELECT known.day, coalesce(sum(model_days.spend), 0) AS spend
  FROM known LEFT JOIN model_days ON model_days.day = known.day
  GROUP BY ALL
),
usual_day AS (
  SELECT quantile_disc(all_days.spend, 0.5) AS spend, count(*) AS days FROM all_days
),
usual_of_model AS (
  SELECT models.model_name, quantile_disc(coalesce(model_days.spend, 0), 0.5) AS spend, count(*) AS days
  FROM (SELECT DISTINCT model_days.model_name FROM model_days) AS models
  CROSS JOIN known
  LEFT JOIN model_days ON model_days.model_name = models.model_name AND model_days.day = known.day
  GROUP BY ALL
),
-- The models that cost most beyond their usual day: three times as much, and more by a fifth of a usual day of all.
model_spikes AS (
  SELECT model_days.model_name, model_days.day, model_days.spend, usual_of_model.spend AS usual
  FROM model_days
  JOIN span ON model_days.day BETWEEN span.first_day AND span.last_day
  JOIN usual_of_model ON usual_of_model.model_name = model_days.model_name
  CROSS JOIN usual_day
  WHERE usual_of_model.days >= 7 AND usual_of_model.spend > 0
    AND model_days.spend > 3 * usual_of_model.spend
    AND (model_days.spend - usual_of_model.spend) * 5 > usual_day.spend
  QUALIFY row_number() OVER (PARTITION BY model_days.model_name ORDER BY model_days.spend DESC, model_days.day) = 1
  ORDER BY model_days.spend - usual_of_model.spend DESC, model_days.model_name
  LIMIT 3
),
top_keys AS (
  SELECT model_name, day, arg_max(key_name, (model_key_days.spend, key_name)) AS key_name
  FROM model_key_days JOIN model_spikes USING (model_name, day)
  GROUP BY ALL
),
days_before AS (
  SELECT count(*) AS days FROM known, span WHERE known.day < span.first_day
),
new_models AS (
  SELECT model_name, min(day) AS day, sum(spend) AS spend
  FROM model_days, span, days_before
  WHERE days_before.days >= 7 AND day <= span.last_day AND model_name <> ''
  GROUP BY ALL
  HAVING min(day) >= any_value(span.first_day)
),
-- A key of a service goes by the service; one that only has the name of such a key goes by its own.
owned AS (
  SELECT
    keys.*,
    CASE WHEN generation IS NULL THEN name ELSE service END AS owner,
    CASE WHEN generation IS NULL THEN spend ELSE service_spend END AS owner_spend,
    -- A call by its name from before it was made was another key's.
    CASE WHEN generation IS NULL THEN greatest(last_call_seconds, created_seconds) ELSE service_last_call_seconds END
      AS owner_last_call
  FROM keys
),
looks AS (
  SELECT 1 AS rank, 'expiring-key' AS what, keys.name, NULL AS day, spend, NULL AS usual, NULL AS days,
    expires_seconds AS moment, NULL AS key_name, NULL AS top_spend
  FROM keys, run
  WHERE status = 1 AND expires_seconds BETWEEN now_seconds AND now_seconds + 14 * 86400
    -- A key whose successor is there may expire, unless it is still in use.
    AND (NOT succeeded OR last_call_seconds >= now_seconds - 86400)
  UNION ALL
  SELECT 2, CASE WHEN top.model_name <> '' AND top.key_name <> '' THEN 'day-spike' ELSE 'day-spike-of-model' END,
    top.model_name, all_days.day, all_days.spend, usual_day.spend, usual_day.days, NULL, top.key_name, top.spend
  FROM all_days JOIN top_of_days AS top ON top.day = all_days.day, usual_day, span
  WHERE span.days = 1 AND all_days.day = span.first_day
    AND usual_day.days >= 7 AND usual_day.spend > 0 AND all_days.spend > 2 * usual_day.spend
  UNION ALL
  SELECT 3, CASE WHEN top.key_name = '' THEN 'model-spike-without-key' ELSE 'model-spike' END,
    model_spikes.model_name, model_spikes.day, spend, usual, NULL, NULL, top.key_name, NULL
  FROM model_spikes JOIN top_keys AS top ON top.model_name = model_spikes.model_name AND top.day = model_spikes.day
  UNION ALL
  SELECT 4, 'new-model', model_name, day, new_models.spend, NULL, days_before.days, NULL, NULL, NULL FROM new_models, days_before
  UNION ALL
  -- A rotation makes no new key, nor is the replaced key idle: the service goes on.
  SELECT 5, 'new-key', owner, NULL, owner_spend, NULL, NULL, coalesce(created_seconds, first_call_seconds), NULL, NULL
  FROM owned, span, run
  WHERE coalesce(created_seconds, CASE WHEN data_since_seconds <= starts - 7 * 86400 THEN first_call_seconds END)
    BETWEEN starts AND ends - 1 AND NOT rotated
  UNION ALL
  -- Of a single day those that crossed the line on it, so that a daily mail tells each once.
  SELECT 6, 'idle-key', owner, NULL, NULL, NULL, NULL,
    -- Before the log begins, calls are unknown.
    greatest(data_since_seconds, coalesce(owner_last_call, created_seconds, first_seen_seconds)) AS since, NULL, NULL
  FROM owned, span, run
  WHERE status = 1 AND (expires_seconds IS NULL OR expires_seconds > now_seconds) AND NOT succeeded
    AND data_since_seconds <= ends - 30 * 86400
    AND since < ends - 30 * 86400
    AND (span.days > 1 OR since >= starts - 30 * 86400)
)
SELECT what, name, key_name, day, spend, top_spend, usual, days, moment
FROM looks
ORDER BY rank, spend DESC NULLS LAST, moment, name
