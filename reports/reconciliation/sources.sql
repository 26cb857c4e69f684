-- A row for each source that was compared.
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
)
SELECT source, ours, theirs, gap, unit, verdict
FROM chosen
ORDER BY list_position(['statistics', 'usage by model', 'usage by key', 'used_quota', 'balance'], source), source
