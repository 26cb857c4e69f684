-- One row: all models together. What is unknown or nothing is NULL, and what the report says of it falls away.
WITH
-- The price of the config where it names the model in the currency of the account, else the fitted one. Reasoning costs
-- what output costs unless the config says otherwise.
price AS (
  SELECT
    model_name, 0 AS fits,
    input, cached, cache_write, audio_input, image, output, coalesce(reasoning, output) AS reasoning, audio_output
  FROM prices
  WHERE currency = (SELECT currency FROM run)
  UNION ALL
  SELECT
    model_name, 1,
    input, cached, cache_write, audio_input, image, output, reasoning, audio_output
  FROM fitted_prices
  WHERE model_name NOT IN (SELECT model_name FROM prices WHERE currency = (SELECT currency FROM run))
),
used AS (
  SELECT
    coalesce(model_name, '') AS model_name,
    -- Only of calls whose cached tokens the export states.
    TRY_CAST(sum(input_cache_read_tokens) FILTER (input_counts = 'known') AS DECIMAL(14, 0)) AS cache_read,
    TRY_CAST(coalesce(sum(input_cache_write_tokens) FILTER (input_counts = 'known'), 0) AS DECIMAL(14, 0)) AS cache_write
  FROM cube
  WHERE period = 'current' AND kind = 'consumption'
  GROUP BY 1
  -- Where the prompt may hold cached tokens or not, neither is known.
  HAVING NOT coalesce(
    sum(cached_tokens) FILTER (input_counts <> 'lower bound') > coalesce(sum(input_cache_read_tokens) FILTER (input_counts <> 'lower bound'), 0)
    OR sum(cache_write_tokens) FILTER (input_counts <> 'lower bound') > coalesce(sum(input_cache_write_tokens) FILTER (input_counts <> 'lower bound'), 0),
    false
  )
),
-- What cached tokens would have cost uncached, and what they did cost, each with the tokens that were written; in money
-- for a million tokens, so that it is exact.
valued AS (
  SELECT
    used.model_name, cache_read, fits,
    (cache_read + used.cache_write) * TRY_CAST(input AS DECIMAL(22, 12)) AS without_cache,
    cache_read * TRY_CAST(cached AS DECIMAL(22, 12))
      + CASE WHEN used.cache_write = 0 THEN 0 ELSE used.cache_write * TRY_CAST(price.cache_write AS DECIMAL(22, 12)) END
      AS with_cache
  FROM used
  LEFT JOIN price ON price.model_name = used.model_name
  WHERE cache_read > 0
),
sums AS (
  SELECT
    sum(without_cache) FILTER (with_cache IS NOT NULL) AS without_cache,
    sum(with_cache) FILTER (without_cache IS NOT NULL) AS with_cache,
    count(*) FILTER (without_cache - with_cache IS NOT NULL) AS priced,
    count(*) FILTER (without_cache - with_cache IS NOT NULL AND fits = 1) AS fitted,
    count(*) FILTER (without_cache - with_cache IS NULL) AS unpriced,
    sum(cache_read) FILTER (without_cache - with_cache IS NULL) AS unpriced_tokens
  FROM valued
)
SELECT
  CASE WHEN with_cache <= without_cache THEN CAST(without_cache * 0.000001 AS DECIMAL(38, 12)) END AS without,
  CASE WHEN with_cache <= without_cache THEN CAST(with_cache * 0.000001 AS DECIMAL(38, 12)) END AS "with",
  CASE WHEN with_cache <= without_cache THEN CAST((without_cache - with_cache) * 0.000001 AS DECIMAL(38, 12)) END AS saved,
  CASE WHEN with_cache > without_cache THEN CAST((with_cache - without_cache) * 0.000001 AS DECIMAL(38, 12)) END AS lost,
  nullif(fitted, 0) AS fitted, priced,
  nullif(unpriced, 0) AS unpriced, unpriced_tokens
FROM sums
