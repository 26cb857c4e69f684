-- A row for each model, the dearest first; those of the period before are there too, or the changes would not add up.
SELECT
  coalesce(model_name, '') AS model_name,
  coalesce(sum(spend) FILTER (period = 'current'), 0) AS spend,
  coalesce(sum(spend) FILTER (period = 'comparison'), 0) AS spend_before,
  coalesce(sum(calls) FILTER (period = 'current' AND kind = 'consumption'), 0) AS calls,
  coalesce(sum(prompt_tokens) FILTER (period = 'current' AND kind = 'consumption'), 0) AS prompt_tokens,
  coalesce(sum(cached_tokens) FILTER (period = 'current' AND kind = 'consumption'), 0) AS cached_tokens,
  coalesce(sum(completion_tokens) FILTER (period = 'current' AND kind = 'consumption'), 0) AS completion_tokens,
  coalesce(sum(reasoning_tokens) FILTER (period = 'current' AND kind = 'consumption'), 0) AS reasoning_tokens
FROM cube
WHERE kind IN ('consumption', 'refund')
GROUP BY 1
HAVING count(*) FILTER (period = 'current') > 0 OR sum(spend) <> 0
ORDER BY spend DESC, spend_before DESC, model_name
