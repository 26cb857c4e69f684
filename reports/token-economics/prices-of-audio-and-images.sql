-- As prices.sql, of the classes that few models have.
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
    TRY_CAST(sum(input_audio_tokens) FILTER (kind = 'consumption') AS DECIMAL(14, 0)) AS audio_input,
    TRY_CAST(sum(output_audio_tokens) FILTER (kind = 'consumption') AS DECIMAL(14, 0)) AS audio_output,
    TRY_CAST(sum(input_image_tokens) FILTER (kind = 'consumption') AS DECIMAL(14, 0)) AS image
  FROM cube
  WHERE period = 'current' AND kind IN ('consumption', 'refund')
  GROUP BY 1
)
SELECT
  used.model_name,
  CASE fits WHEN 1 THEN 'fit' ELSE 'config' END AS source,
  used.audio_input * TRY_CAST(price.audio_input AS DECIMAL(22, 12)) AS audio_input_cost,
  CASE WHEN price.audio_input IS NOT NULL THEN used.audio_input END AS audio_input,
  used.audio_output * TRY_CAST(price.audio_output AS DECIMAL(22, 12)) AS audio_output_cost,
  CASE WHEN price.audio_output IS NOT NULL THEN used.audio_output END AS audio_output,
  used.image * TRY_CAST(price.image AS DECIMAL(22, 12)) AS image_cost,
  CASE WHEN price.image IS NOT NULL THEN used.image END AS image
FROM used
JOIN price ON price.model_name = used.model_name
WHERE price.audio_input IS NOT NULL AND used.audio_input > 0
  OR price.audio_output IS NOT NULL AND used.audio_output > 0
  OR price.image IS NOT NULL AND used.image > 0
ORDER BY spend DESC, used.model_name
