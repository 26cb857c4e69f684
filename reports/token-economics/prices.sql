-- What tokens of each class cost by the price of the class: divided by the tokens that is the price again, and of several
-- models together the mean price of a token. Numbers that are too large to multiply exactly are left out as unknown.
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
    sum(spend) AS spend,
    TRY_CAST(sum(input_uncached_tokens) FILTER (kind = 'consumption') AS DECIMAL(14, 0)) AS uncached,
    TRY_CAST(sum(input_cache_read_tokens) FILTER (kind = 'consumption') AS DECIMAL(14, 0)) AS cache_read,
    TRY_CAST(sum(input_cache_write_tokens) FILTER (kind = 'consumption') AS DECIMAL(14, 0)) AS cache_write,
    TRY_CAST(sum(output_plain_tokens) FILTER (kind = 'consumption') AS DECIMAL(14, 0)) AS plain,
    TRY_CAST(sum(output_reasoning_tokens) FILTER (kind = 'consumption') AS DECIMAL(14, 0)) AS reasoning
  FROM cube
  WHERE period = 'current' AND kind IN ('consumption', 'refund')
  GROUP BY 1
)
SELECT
  used.model_name,
  CASE fits WHEN 1 THEN 'fit' ELSE 'config' END AS source,
  uncached * TRY_CAST(input AS DECIMAL(22, 12)) AS uncached_cost,
  CASE WHEN input IS NOT NULL THEN uncached END AS uncached,
  cache_read * TRY_CAST(cached AS DECIMAL(22, 12)) AS cache_read_cost,
  CASE WHEN cached IS NOT NULL THEN cache_read END AS cache_read,
  used.cache_write * TRY_CAST(price.cache_write AS DECIMAL(22, 12)) AS cache_write_cost,
  CASE WHEN price.cache_write IS NOT NULL THEN used.cache_write END AS cache_write,
  plain * TRY_CAST(output AS DECIMAL(22, 12)) AS plain_cost,
  CASE WHEN output IS NOT NULL THEN plain END AS plain,
  used.reasoning * TRY_CAST(price.reasoning AS DECIMAL(22, 12)) AS reasoning_cost,
  CASE WHEN price.reasoning IS NOT NULL THEN used.reasoning END AS reasoning
FROM used
JOIN price ON price.model_name = used.model_name
WHERE coalesce(input, cached, price.cache_write, output, price.reasoning) IS NOT NULL
ORDER BY spend DESC, used.model_name
