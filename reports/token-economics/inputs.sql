-- Each token is counted in one class: uncached + cache read + cache write + audio + images + what is not told = input.
SELECT
  coalesce(model_name, '') AS model_name,
  sum(input_tokens) AS input,
  sum(input_uncached_tokens) AS uncached,
  sum(input_cache_read_tokens) AS cache_read,
  nullif(sum(input_cache_write_tokens), 0) AS cache_write,
  nullif(sum(input_unclassified_tokens), 0) AS input_open
FROM cube
WHERE period = 'current' AND kind = 'consumption'
GROUP BY 1
HAVING sum(input_tokens) > 0
ORDER BY input DESC, model_name
