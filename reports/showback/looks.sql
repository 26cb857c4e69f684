-- What is worth a look among the keys, the most important first: those about to expire, new ones, those without calls.
-- What the data does not reach back far enough to tell is not told.
WITH span AS (
  SELECT
    count(*) AS days,
    min(start_seconds) AS starts, max(end_seconds) AS ends
  FROM days
  WHERE period = 'current'
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
  SELECT 1 AS rank, 'expiring-key' AS what, keys.name, spend, expires_seconds AS moment
  FROM keys, run
  WHERE status = 1 AND expires_seconds BETWEEN now_seconds AND now_seconds + 14 * 86400
    -- A key whose successor is there may expire, unless it is still in use.
    AND (NOT succeeded OR last_call_seconds >= now_seconds - 86400)
  UNION ALL
  -- A rotation makes no new key, nor is the replaced key idle: the service goes on.
  SELECT 2, 'new-key', owner, owner_spend, coalesce(created_seconds, first_call_seconds)
  FROM owned, span, run
  WHERE coalesce(created_seconds, CASE WHEN data_since_seconds <= starts - 7 * 86400 THEN first_call_seconds END)
    BETWEEN starts AND ends - 1 AND NOT rotated
  UNION ALL
  -- Of a single day those that crossed the line on it, so that a daily mail tells each once.
  SELECT 3, 'idle-key', owner, NULL,
    -- Before the log begins, calls are unknown.
    greatest(data_since_seconds, coalesce(owner_last_call, created_seconds, first_seen_seconds)) AS since
  FROM owned, span, run
  WHERE status = 1 AND (expires_seconds IS NULL OR expires_seconds > now_seconds) AND NOT succeeded
    AND data_since_seconds <= ends - 30 * 86400
    AND since < ends - 30 * 86400
    AND (span.days > 1 OR since >= starts - 30 * 86400)
)
SELECT what, name, spend, moment
FROM looks
ORDER BY rank, spend DESC NULLS LAST, moment, name
