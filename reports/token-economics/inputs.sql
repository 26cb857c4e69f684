-- Each token is counted in one class: uncached + cache read + cache write + audio + images + what is not told = input.
-- Where nothing tells whether the prompt holds the cached tokens, they are shown as stated, the input is the least it can
-- be, and the model is in no rate. Where the export did not state them, the rate is that of the other calls.
WITH by_model AS (
  SELECT
    coalesce(model_name, '') AS model_name,
    sum(input_tokens) AS input,
    sum(input_uncached_tokens) AS uncached,
    sum(input_cache_read_tokens) AS cache_read,
    sum(input_cache_write_tokens) AS cache_write,
    sum(input_unclassified_tokens) AS unclassified,
    -- What is stated and in no class.
    coalesce(greatest(sum(cached_tokens) FILTER (input_counts <> 'lower bound') - coalesce(sum(input_cache_read_tokens) FILTER (input_counts <> 'lower bound'), 0), 0), 0) AS open_read,
    coalesce(greatest(sum(cache_write_tokens) FILTER (input_counts <> 'lower bound') - coalesce(sum(input_cache_write_tokens) FILTER (input_counts <> 'lower bound'), 0), 0), 0)
      AS open_write,
    open_read + open_write > 0 AS is_open,
    bool_or(input_counts = 'lower bound') AS is_least,
    bool_or(input_counts = 'split unknown') AS is_partly,
    sum(input_tokens) FILTER (input_counts = 'known') AS rate_input,
    sum(input_cache_read_tokens) FILTER (input_counts = 'known') AS rate_cache_read
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
  CASE
    WHEN is_open THEN 'unknown' WHEN is_least THEN 'least' WHEN is_partly AND cache_read IS NULL THEN 'unknown'
    WHEN is_partly THEN 'partly'
  END AS split,
  CASE WHEN NOT is_open AND rate_cache_read IS NOT NULL THEN rate_input END AS rate_input,
  CASE WHEN NOT is_open THEN rate_cache_read END AS rate_cache_read
FROM by_model
WHERE input > 0 OR is_open OR is_least
ORDER BY input DESC, model_name
