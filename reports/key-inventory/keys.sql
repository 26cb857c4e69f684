-- A row for each key, those of the dearest service first. Keys of one name have one spend: the youngest of them shows it.
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
    CASE
      WHEN expires_seconds <= now_seconds THEN 'expired'
      WHEN NOT unlimited_quota AND remain_quota <= 0 THEN 'exhausted'
      WHEN status <> 1 THEN 'status ' || status
      ELSE 'usable'
    END AS state
  FROM keys, run
),
-- Spend of the period by name; nothing where no call log has been pulled.
spent AS (
  SELECT coalesce(token_name, '') AS name, sum(spend) AS spend
  FROM cube
  WHERE period = 'current' AND kind IN ('consumption', 'refund')
  GROUP BY 1
),
listed AS (
  SELECT
    known.*, CASE WHEN generation IS NOT NULL THEN service END AS lined,
    row_number() OVER (PARTITION BY name ORDER BY age NULLS FIRST, key_id) AS of_name
  FROM known
),
charged AS (
  SELECT
    listed.*, CASE WHEN of_name = 1 AND seen_since IS NOT NULL THEN coalesce(spent.spend, 0) END AS charge,
    CASE WHEN lined IS NULL THEN charge ELSE sum(charge) OVER (PARTITION BY lined) END AS charge_of_service
  FROM listed
  LEFT JOIN spent ON spent.name = listed.name
)
SELECT
  name, lined AS service, CAST(generation AS VARCHAR) AS generation, state, age, expires_seconds, last_call_seconds,
  charge AS spend
FROM charged
ORDER BY charge_of_service DESC NULLS LAST, coalesce(lined, name), generation DESC, name, age
