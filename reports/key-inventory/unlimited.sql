-- Spend of the period, once a name.
WITH
-- Spend of the period by name; nothing where no call log has been pulled.
spent AS (
  SELECT coalesce(token_name, '') AS name, sum(spend) AS spend
  FROM cube
  WHERE period = 'current' AND kind IN ('consumption', 'refund')
  GROUP BY 1
),
free AS (
  SELECT *, row_number() OVER (PARTITION BY name ORDER BY key_id) AS of_name
  FROM keys
  WHERE unlimited_quota
)
SELECT
  free.name, now_seconds - coalesce(created_seconds, first_seen_seconds) AS age, last_call_seconds,
  CASE WHEN of_name = 1 AND data_since_seconds IS NOT NULL THEN coalesce(spent.spend, 0) END AS spend
FROM run, free
LEFT JOIN spent ON spent.name = free.name
ORDER BY spend DESC NULLS LAST, free.name, key_id
