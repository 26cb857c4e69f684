-- One row: the calls of which the export did not state all tokens, and their days. Counts of zero are NULL, so that their text is omitted.
SELECT
  nullif(sum(calls) FILTER (is_least), 0) AS least_calls,
  nullif(count(DISTINCT day) FILTER (is_least), 0) AS least_days,
  nullif(sum(calls) FILTER (NOT is_least), 0) AS partly_calls,
  nullif(count(DISTINCT day) FILTER (NOT is_least), 0) AS partly_days
FROM (
  SELECT day, calls, input_counts = 'lower bound' OR output_counts = 'lower bound' AS is_least
  FROM cube
  WHERE period = 'current' AND kind = 'consumption' AND (input_counts <> 'known' OR output_counts <> 'known') AND calls > 0
)
