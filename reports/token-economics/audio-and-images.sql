SELECT
  coalesce(model_name, '') AS model_name,
  sum(input_audio_tokens) AS audio_input,
  sum(output_audio_tokens) AS audio_output,
  sum(input_image_tokens) AS image
FROM cube
WHERE period = 'current' AND kind = 'consumption'
GROUP BY 1
HAVING coalesce(audio_input, 0) + coalesce(audio_output, 0) + coalesce(image, 0) > 0
ORDER BY coalesce(audio_input, 0) + coalesce(audio_output, 0) + coalesce(image, 0) DESC, model_name
