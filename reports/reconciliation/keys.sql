-- The entries of the source, unknown gaps first, then the largest.
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
-- Their models and keys: those of the same moment, since an older one may have had others.
entries AS (
  SELECT comparisons.*
  FROM comparisons
  JOIN chosen ON chosen.source = comparisons.source AND chosen.start_seconds = comparisons.start_seconds
    AND chosen.end_seconds = comparisons.end_seconds AND chosen.compared_seconds = comparisons.compared_seconds
  WHERE comparisons.entry IS NOT NULL
)
SELECT entry, ours, theirs, gap, verdict
FROM entries
WHERE source = 'usage by key'
ORDER BY abs(gap) DESC NULLS FIRST, abs(ours) DESC, entry
