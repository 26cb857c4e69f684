-- One row about all keys; what is not known without a call log or an inventory is NULL.
WITH
-- What the gateway writes as status can come late or never: expiry and exhaustion are worked out.
known AS (
  SELECT
    keys.*,
    now_seconds - coalesce(created_seconds, first_seen_seconds) AS age,
    -- Idle is counted to where the call log reaches: what comes after it is not known yet.
    least(now_seconds, data_through_seconds) AS seen_until,
    data_since_seconds AS seen_since,
    now_seconds,
    -- A call by its name from before it was made was another key's.
    greatest(
      coalesce(last_call_seconds, greatest(data_since_seconds, coalesce(created_seconds, first_seen_seconds))),
      created_seconds
    ) AS idle_since,
    CASE
      WHEN expires_seconds <= now_seconds THEN 'expired'
      WHEN NOT unlimited_quota AND remain_quota <= 0 THEN 'exhausted'
      WHEN status <> 1 THEN 'status ' || status
      ELSE 'usable'
    END AS state
  FROM keys, run
),
-- Without a call for 30 days that the call log covers, made before them; and of a replaced key that is expected.
idle AS (
  SELECT
    *,
    seen_until - idle_since AS idle_for
  FROM known
  WHERE state = 'usable' AND NOT succeeded
    AND idle_since <= seen_until - 30 * 86400
),
inventory AS (
  SELECT max(taken) AS taken
  FROM (
    SELECT max(taken_seconds) AS taken FROM keys
    UNION ALL
    SELECT max(taken_seconds) FROM account_history WHERE key_count IS NOT NULL
  )
)
SELECT
  CASE WHEN taken IS NOT NULL THEN (SELECT count(*) FROM keys) END AS keys,
  taken AS taken_seconds,
  CASE WHEN (SELECT count(*) FROM known WHERE last_call_seconds IS NULL) > 0 THEN data_since_seconds END AS calls_since,
  CASE WHEN taken IS NOT NULL AND data_since_seconds IS NOT NULL THEN (SELECT count(*) FROM idle) END AS idle,
  CASE WHEN taken IS NOT NULL
    THEN (SELECT count(*) FROM known WHERE expires_seconds > known.now_seconds AND expires_seconds <= known.now_seconds + 30 * 86400)
  END AS expiring,
  CASE WHEN taken IS NOT NULL THEN (SELECT count(*) FROM known WHERE unlimited_quota) END AS unlimited,
  CASE WHEN taken IS NOT NULL THEN (SELECT count(*) FROM known WHERE same_name > 1) END AS sharing
FROM inventory, run
