-- The part of the input that came from the cache, to four places; no row at all where nothing ever did.
WITH by_day AS (
  SELECT day, sum(input_tokens) AS input, sum(input_cache_read_tokens) AS cache_read
  FROM cube
  WHERE period = 'current' AND kind = 'consumption'
  GROUP BY day
)
SELECT day, CAST(cache_read * 10000 // input AS BIGINT) * 0.0001 AS hit_rate
FROM by_day
WHERE input > 0 AND cache_read IS NOT NULL AND (SELECT sum(cache_read) FROM by_day) > 0
ORDER BY day
