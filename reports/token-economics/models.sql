-- A row for each model, the dearest first; those of the period before are there too, or the changes would not add up.
SELECT
  coalesce(model_name, '') AS model_name,
  coalesce(sum(spend) FILTER (period = 'current'), 0) AS spend,
  coalesce(sum(spend) FILTER (period = 'comparison'), 0) AS spend_before,
  coalesce(sum(calls) FILTER (period = 'current' AND kind = 'consumption'), 0) AS calls,
  sum(input_tokens + output_tokens) FILTER (period = 'current' AND kind = 'consumption') AS tokens,
  sum(output_tokens) FILTER (period = 'current' AND kind = 'consumption') AS output,
  nullif(sum(output_reasoning_tokens) FILTER (period = 'current' AND kind = 'consumption'), 0) AS reasoning
FROM cube
WHERE kind IN ('consumption', 'refund')
GROUP BY 1
HAVING coalesce(sum(calls) FILTER (period = 'current'), 0) > 0 OR sum(cube.spend) <> 0
ORDER BY spend DESC, spend_before DESC, model_name
