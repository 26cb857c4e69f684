-- One row: of how many models with tokens no price is known. Counts of zero are NULL, so that their text is omitted.
WITH known AS (
  SELECT model_name FROM prices WHERE currency = (SELECT currency FROM run)
  UNION
  SELECT model_name FROM fitted_prices
),
used AS (
  SELECT coalesce(model_name, '') AS model_name
  FROM cube
  WHERE period = 'current' AND kind = 'consumption'
  GROUP BY 1
  HAVING sum(input_tokens) > 0 OR sum(output_tokens) > 0
)
SELECT
  count(*) AS models,
  (
    SELECT min(r_squared)
    FROM fitted_prices
    WHERE model_name NOT IN (SELECT model_name FROM prices WHERE currency = (SELECT currency FROM run))
  ) AS least,
  nullif(count(*) FILTER (model_name NOT IN (SELECT model_name FROM known)), 0) AS without
FROM used
HAVING count(*) > 0
