-- Each token is counted in one class: uncached + cache read + cache write + audio + images + what is not told = input.
-- Where nothing tells whether the prompt holds the cached tokens, they are shown as stated, the input is the least it can
-- be, and the model is in no rate.
WITH by_model AS (
  SELECT
    coalesce(model_name, '') AS model_name,
    sum(input_tokens) AS input,
    sum(input_uncached_tokens) AS uncached,
    sum(input_cache_read_tokens) AS cache_read,
    sum(input_cache_write_tokens) AS cache_write,
    sum(input_unclassified_tokens) AS unclassified,
    -- What is stated and in no class.
    greatest(sum(cached_tokens) - coalesce(cache_read, 0), 0) AS open_read,
    greatest(sum(cache_write_tokens) - coalesce(cache_write, 0), 0) AS open_write,
    open_read + open_write > 0 AS is_open
  FROM cube
  WHERE period = 'current' AND kind = 'consumption'
  GROUP BY 1
)
SELECT
  model_name, input,
  CASE WHEN NOT is_open THEN uncached END AS uncached,
  CASE WHEN is_open THEN coalesce(cache_read, 0) + open_read ELSE cache_read END AS cache_read,
  nullif(CASE WHEN is_open THEN coalesce(cache_write, 0) + open_write ELSE cache_write END, 0) AS cache_write,
  nullif(CASE WHEN is_open THEN greatest(unclassified - open_read - open_write, 0) ELSE unclassified END, 0) AS input_open,
  CASE WHEN is_open THEN 'unknown' END AS split,
  CASE WHEN NOT is_open AND cache_read IS NOT NULL THEN input END AS rate_input,
  CASE WHEN NOT is_open THEN cache_read END AS rate_cache_read
FROM by_model
WHERE input > 0 OR is_open
ORDER BY input DESC, model_name
