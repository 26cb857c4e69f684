-- What a person should see of the keys, the most urgent first.
WITH
bounds AS (
  SELECT min(start_seconds) AS first_second, max(end_seconds) AS last_second FROM days WHERE period = 'current'
),
inventory AS (
  SELECT max(taken) AS taken
  FROM (
    SELECT max(taken_seconds) AS taken FROM keys
    UNION ALL
    SELECT max(taken_seconds) FROM account_history WHERE key_count IS NOT NULL
  )
),
-- From the second inventory on a key can be new.
first_inventory AS (SELECT min(from_seconds) AS taken FROM key_history),
seen AS (
  SELECT
    key_id, any_value(name) AS name, any_value(service) AS service, any_value(generation) AS generation,
    bool_or(rotated) AS rotated, min(from_seconds) AS appeared,
    max(coalesce(until_seconds, 9000000000000)) AS went
  FROM key_history
  GROUP BY key_id
),
looks AS (
  SELECT 1 AS rank, 'no-inventory' AS what, '' AS name, NULL::BIGINT AS moment, NULL::BIGINT AS last_call, NULL::BIGINT AS age
  FROM inventory WHERE taken IS NULL
  UNION ALL
  SELECT 2, 'old-inventory', '', NULL, NULL, now_seconds - taken FROM inventory, run WHERE now_seconds - taken > 2 * 86400
  UNION ALL
  SELECT 3, 'no-calls', '', NULL, NULL, NULL FROM run WHERE data_since_seconds IS NULL
  UNION ALL
  SELECT 4, 'expires-in-use', name, expires_seconds, last_call_seconds, NULL
  FROM keys, run
  WHERE expires_seconds > now_seconds AND expires_seconds <= now_seconds + 7 * 86400
    -- A replaced key may expire, unless calls go on.
    AND last_call_seconds >= now_seconds - CASE WHEN succeeded THEN 1 ELSE 7 END * 86400
  UNION ALL
  SELECT 5, 'expired-in-use', name, expires_seconds, last_call_seconds, NULL
  FROM keys, run
  WHERE expires_seconds <= now_seconds AND last_call_seconds > expires_seconds AND same_name = 1
  UNION ALL
  SELECT 6, 'gone', name, went, NULL, NULL FROM seen, bounds
  WHERE went >= first_second AND went < last_second
    -- A service that still has a key goes on.
    AND NOT (
      generation IS NOT NULL
      AND service IN (SELECT keys.service FROM keys WHERE keys.generation IS NOT NULL)
    )
  UNION ALL
  SELECT 7, 'new', seen.name, appeared, NULL, NULL
  FROM seen, bounds, first_inventory
  WHERE appeared > first_inventory.taken AND appeared >= first_second AND appeared < last_second AND NOT rotated
)
SELECT what, name, moment, last_call, age
FROM looks
ORDER BY rank, moment, name
