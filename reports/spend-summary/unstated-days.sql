-- A row for each run of days on which the export did not state all tokens of some calls, and how far it did.
WITH by_day AS (
  SELECT
    day,
    sum(calls) AS calls,
    CASE max(CASE input_counts WHEN 'lower bound' THEN 2 WHEN 'split unknown' THEN 1 ELSE 0 END)
      WHEN 2 THEN 'least' WHEN 1 THEN 'partly' END AS input_counts,
    CASE max(CASE output_counts WHEN 'lower bound' THEN 2 WHEN 'split unknown' THEN 1 ELSE 0 END)
      WHEN 2 THEN 'least' WHEN 1 THEN 'partly' END AS output_counts
  FROM cube
  WHERE period = 'current' AND kind = 'consumption' AND (input_counts <> 'known' OR output_counts <> 'known')
  GROUP BY day
),
runs AS (
  SELECT *, day - CAST(row_number() OVER (PARTITION BY input_counts, output_counts ORDER BY day) AS INTEGER) AS run
  FROM by_day
)
SELECT min(day) AS first_day, max(day) AS last_day, sum(calls) AS calls, input_counts, output_counts
FROM runs
GROUP BY input_counts, output_counts, run
ORDER BY first_day
