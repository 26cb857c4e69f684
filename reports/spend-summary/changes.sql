-- A row for each model and key, with the calls, charge, refunds and tokens of the period and of the comparison: the
-- causes of the change are computed from these. Tokens in no class are what the classes leave of the total.
SELECT *,
  input_tokens - input_uncached_tokens - input_cache_read_tokens - input_cache_write_tokens - input_audio_tokens - input_image_tokens AS input_unclassified_tokens,
  output_tokens - output_plain_tokens - output_reasoning_tokens - output_audio_tokens AS output_unclassified_tokens,
  input_tokens_before - input_uncached_tokens_before - input_cache_read_tokens_before - input_cache_write_tokens_before - input_audio_tokens_before - input_image_tokens_before AS input_unclassified_tokens_before,
  output_tokens_before - output_plain_tokens_before - output_reasoning_tokens_before - output_audio_tokens_before AS output_unclassified_tokens_before
FROM (
  SELECT
    coalesce(model_name, '') AS model_name,
    coalesce(service, '') AS key_name,
    coalesce(sum(calls) FILTER (period = 'current'), 0) AS calls,
    -- Calls of which the export does not state all tokens.
    coalesce(sum(calls) FILTER (period = 'current' AND (input_counts <> 'known' OR output_counts <> 'known')), 0) AS unstated_calls,
    coalesce(sum(spend) FILTER (period = 'current' AND kind = 'consumption'), 0) AS charge,
    coalesce(-sum(spend) FILTER (period = 'current' AND kind = 'refund'), 0) AS refunds,
    coalesce(sum(input_uncached_tokens) FILTER (period = 'current' AND kind = 'consumption'), 0) AS input_uncached_tokens,
    coalesce(sum(input_cache_read_tokens) FILTER (period = 'current' AND kind = 'consumption'), 0) AS input_cache_read_tokens,
    coalesce(sum(input_cache_write_tokens) FILTER (period = 'current' AND kind = 'consumption'), 0) AS input_cache_write_tokens,
    coalesce(sum(input_audio_tokens) FILTER (period = 'current' AND kind = 'consumption'), 0) AS input_audio_tokens,
    coalesce(sum(input_image_tokens) FILTER (period = 'current' AND kind = 'consumption'), 0) AS input_image_tokens,
    coalesce(sum(output_plain_tokens) FILTER (period = 'current' AND kind = 'consumption'), 0) AS output_plain_tokens,
    coalesce(sum(output_reasoning_tokens) FILTER (period = 'current' AND kind = 'consumption'), 0) AS output_reasoning_tokens,
    coalesce(sum(output_audio_tokens) FILTER (period = 'current' AND kind = 'consumption'), 0) AS output_audio_tokens,
    coalesce(sum(input_tokens) FILTER (period = 'current' AND kind = 'consumption'), 0) AS input_tokens,
    coalesce(sum(output_tokens) FILTER (period = 'current' AND kind = 'consumption'), 0) AS output_tokens,
    coalesce(sum(calls) FILTER (period = 'comparison'), 0) AS calls_before,
    coalesce(sum(calls) FILTER (period = 'comparison' AND (input_counts <> 'known' OR output_counts <> 'known')), 0) AS unstated_calls_before,
    coalesce(sum(spend) FILTER (period = 'comparison' AND kind = 'consumption'), 0) AS charge_before,
    coalesce(-sum(spend) FILTER (period = 'comparison' AND kind = 'refund'), 0) AS refunds_before,
    coalesce(sum(input_uncached_tokens) FILTER (period = 'comparison' AND kind = 'consumption'), 0) AS input_uncached_tokens_before,
    coalesce(sum(input_cache_read_tokens) FILTER (period = 'comparison' AND kind = 'consumption'), 0) AS input_cache_read_tokens_before,
    coalesce(sum(input_cache_write_tokens) FILTER (period = 'comparison' AND kind = 'consumption'), 0) AS input_cache_write_tokens_before,
    coalesce(sum(input_audio_tokens) FILTER (period = 'comparison' AND kind = 'consumption'), 0) AS input_audio_tokens_before,
    coalesce(sum(input_image_tokens) FILTER (period = 'comparison' AND kind = 'consumption'), 0) AS input_image_tokens_before,
    coalesce(sum(output_plain_tokens) FILTER (period = 'comparison' AND kind = 'consumption'), 0) AS output_plain_tokens_before,
    coalesce(sum(output_reasoning_tokens) FILTER (period = 'comparison' AND kind = 'consumption'), 0) AS output_reasoning_tokens_before,
    coalesce(sum(output_audio_tokens) FILTER (period = 'comparison' AND kind = 'consumption'), 0) AS output_audio_tokens_before,
    coalesce(sum(input_tokens) FILTER (period = 'comparison' AND kind = 'consumption'), 0) AS input_tokens_before,
    coalesce(sum(output_tokens) FILTER (period = 'comparison' AND kind = 'consumption'), 0) AS output_tokens_before
  FROM cube
  WHERE kind IN ('consumption', 'refund') AND period IN ('current', 'comparison')
  GROUP BY ALL
)
