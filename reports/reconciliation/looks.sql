-- What was not compared and why, and what was compared of a part of the period alone.
WITH
bounds AS (
  SELECT min(start_seconds) AS first_second, max(end_seconds) AS last_second FROM days WHERE period = 'current'
),
-- Of each source the comparison that fits the period best, the newest of several that do.
chosen AS (
  SELECT comparisons.*, first_second, last_second
  FROM comparisons, bounds
  WHERE entry IS NULL
  QUALIFY row_number() OVER (
    PARTITION BY source
    ORDER BY abs(start_seconds - first_second) + abs(end_seconds - last_second), compared_seconds DESC
  ) = 1
),
source AS (
  SELECT unnest(['statistics', 'usage by model', 'usage by key', 'used_quota', 'balance']) AS source, unnest([1, 2, 3, 4, 5]) AS rank
),
missing AS (
  SELECT
    source, rank,
    CASE
      WHEN source = 'usage by model' AND (SELECT count(*) FROM usage_days WHERE dimension = 'model') = 0 THEN 'usage-never'
      WHEN source = 'usage by key' AND (SELECT count(*) FROM usage_days WHERE dimension = 'token') = 0 THEN 'usage-never'
      WHEN source = 'balance' AND (SELECT count(*) FROM chosen WHERE chosen.source = 'used_quota') > 0 THEN 'top-ups'
      WHEN source IN ('used_quota', 'balance') AND (
        SELECT count(*) FROM account_history, bounds
        WHERE taken_seconds >= first_second AND used_quota IS NOT NULL
      ) < 2 THEN 'snapshots-few'
      ELSE 'not-compared'
    END AS what
  FROM source
  WHERE source NOT IN (SELECT source FROM chosen) AND (SELECT team FROM run) IS NULL
)
SELECT 'part' AS what, NULL AS source, NULL::BIGINT AS start_seconds, NULL::BIGINT AS end_seconds, 0 AS place, 0 AS rank
FROM run
WHERE team IS NOT NULL
UNION ALL
SELECT what, source, NULL::BIGINT AS start_seconds, NULL::BIGINT AS end_seconds, 1 AS place, rank FROM missing
UNION ALL
SELECT 'narrower', chosen.source, start_seconds, end_seconds, 2, rank
FROM chosen
JOIN source ON source.source = chosen.source
WHERE start_seconds > first_second OR end_seconds < last_second
ORDER BY place, rank
