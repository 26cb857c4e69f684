-- One row: what is stated and in no class, since nothing tells how the model counts it. What is nothing is NULL.
WITH by_model AS (
  SELECT
    greatest(sum(cached_tokens) FILTER (input_counts <> 'lower bound') - coalesce(sum(input_cache_read_tokens) FILTER (input_counts <> 'lower bound'), 0), 0)
      + greatest(coalesce(sum(cache_write_tokens) FILTER (input_counts <> 'lower bound'), 0) - coalesce(sum(input_cache_write_tokens) FILTER (input_counts <> 'lower bound'), 0), 0)
      AS open_cache,
    greatest(sum(reasoning_tokens) FILTER (output_counts <> 'lower bound') - coalesce(sum(output_reasoning_tokens) FILTER (output_counts <> 'lower bound'), 0), 0) AS open_reasoning
  FROM cube
  WHERE period = 'current' AND kind = 'consumption'
  GROUP BY model_name
)
SELECT
  nullif(count(*) FILTER (open_cache > 0), 0) AS input_models,
  nullif(sum(open_cache), 0) AS open_cache,
  nullif(count(*) FILTER (open_reasoning > 0), 0) AS output_models,
  nullif(sum(open_reasoning), 0) AS open_reasoning
FROM by_model
