-- The part of the input that came from the cache, to four places; no row at all where nothing ever did. Models with
-- cached tokens that could not be placed in a class are left out, and so are calls whose cached tokens are not stated.
WITH by_model AS (
  SELECT
    day, model_name,
    sum(input_tokens) FILTER (input_counts = 'known') AS input,
    sum(input_cache_read_tokens) FILTER (input_counts = 'known') AS cache_read,
    coalesce(
      sum(cached_tokens) FILTER (input_counts <> 'lower bound') > coalesce(sum(input_cache_read_tokens) FILTER (input_counts <> 'lower bound'), 0)
      OR sum(cache_write_tokens) FILTER (input_counts <> 'lower bound') > coalesce(sum(input_cache_write_tokens) FILTER (input_counts <> 'lower bound'), 0),
      false
    ) AS is_open
  FROM cube
  WHERE period = 'current' AND kind = 'consumption'
  GROUP BY day, model_name
),
by_day AS (
  SELECT day, sum(input) AS input, sum(cache_read) AS cache_read
  FROM by_model
  WHERE cache_read IS NOT NULL AND model_name NOT IN (SELECT open.model_name FROM by_model AS open WHERE open.is_open)
  GROUP BY day
)
SELECT day, CAST(cache_read * 10000 // input AS BIGINT) * 0.0001 AS hit_rate
FROM by_day
WHERE input > 0 AND (SELECT sum(cache_read) FROM by_day) > 0
ORDER BY day
