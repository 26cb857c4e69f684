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
-- What each model spent on each day. Periods share days.
model_days AS (
  SELECT model_name, day, any_value(spend) AS spend
  FROM (
    SELECT period, coalesce(model_name, '') AS model_name, day, sum(spend) AS spend
    FROM cube
    WHERE kind IN ('consumption', 'refund')
    GROUP BY ALL
  )
  GROUP BY ALL
),
-- The models that cost most beyond their usual day: three times as much, and more by a fifth of a usual day of all.
model_spikes AS (
  FROM unusual_days
  WHERE period = 'current' AND model_name <> '' AND service = ''
    AND usual > 0 AND spend > 3 * usual AND (spend - usual) * 5 > usual_of_all
  ORDER BY spend - usual DESC, model_name
  LIMIT 3
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
  SELECT 2, CASE WHEN top_model <> '' AND top_service <> '' THEN 'day-spike' ELSE 'day-spike-of-model' END,
    top_model, day, spend, usual, known_days, NULL, top_service, top_spend
  FROM unusual_days, span
  WHERE period = 'current' AND model_name = '' AND service = '' AND span.days = 1 AND usual > 0
  UNION ALL
  SELECT 3, CASE WHEN top_service = '' THEN 'model-spike-without-key' ELSE 'model-spike' END,
    model_name, day, spend, usual, NULL, NULL, top_service, NULL
  FROM model_spikes
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
