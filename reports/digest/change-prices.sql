-- The price of each class of tokens by model, from the configuration, else estimated from the charges. Only ratios count.
WITH configured AS (
  SELECT * FROM prices WHERE currency = (SELECT currency FROM run)
),
price AS (
  SELECT
    model_name, input, cached, cache_write, audio_input, image, output, coalesce(reasoning, output) AS reasoning, audio_output
  FROM configured
  UNION ALL
  SELECT model_name, input, cached, cache_write, audio_input, image, output, reasoning, audio_output
  FROM recent_fitted_prices
  WHERE model_name NOT IN (SELECT model_name FROM configured)
)
SELECT
  model_name,
  input AS input_uncached_tokens,
  cached AS input_cache_read_tokens,
  cache_write AS input_cache_write_tokens,
  audio_input AS input_audio_tokens,
  image AS input_image_tokens,
  output AS output_plain_tokens,
  reasoning AS output_reasoning_tokens,
  audio_output AS output_audio_tokens
FROM price
